package workload

// fieldCount is the number of fields of an SWF record.
const fieldCount = 18

// parseFast reads a record that starts at text[at] into f and returns where
// its line ends. It must meet a line feed before the end of text. It reports
// false for any line but 18 ordinary numbers, without saying why: that is left
// to parseCareful.
//
// Reading a log spends its time here. Looking at eight bytes at a time was
// tried in two ways and was slower on real logs: fields are short, and about
// half of them are -1, which is why that is looked for first.
func parseFast(text []byte, at int, f *[fieldCount]float64) (end int, ok bool) {
	i := at
	for n := range f {
		for text[i] == ' ' {
			i++
		}
		if text[i] == '-' && text[i+1] == '1' && text[i+2] <= ' ' {
			f[n] = -1
			i += 2
			continue
		}
		start := i
		value := int64(text[i]) - '0'
		if value < 0 || value > 9 {
			return 0, false
		}
		i++
		digit := int64(0)
		for {
			digit = int64(text[i]) - '0'
			if digit < 0 || digit > 9 {
				break
			}
			value = value*10 + digit
			i++
		}
		if digit > ' '-'0' || i-start > 15 { // not a blank, or more digits than are exact
			for text[i] > ' ' {
				i++
			}
			if f[n], ok = parsePlain(text[start:i]); !ok {
				return 0, false
			}
			continue
		}
		f[n] = float64(value)
	}
	for text[i] == ' ' || text[i] == '\r' {
		i++
	}
	return i, text[i] == '\n'
}

// parseCareful reads any line, field by field. It returns how many numbers
// there were and where it stopped, and says what is not a number. The line ends
// with a line feed; what follows the last field is the caller's to check.
func parseCareful(text []byte, f *[fieldCount]float64) (fields, at int, err error) {
	end := 0
	for n := range f {
		start := end
		for isBlank(text[start]) {
			start++
		}
		end = start
		for !isBlank(text[end]) && text[end] != '\n' {
			end++
		}
		if end == start {
			return n, end, nil
		}
		if f[n], err = parseNumber(text[start:end]); err != nil {
			return n, start, err
		}
	}
	return fieldCount, end, nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
