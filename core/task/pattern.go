package task

import "strings"

// CutPattern cuts the name of a file at the first pattern that is one of some letters after a
// percent sign and, perhaps, how many digits its number has at least: %a, %4a. The text of the
// pattern is everything between before and after.
func CutPattern(name, letters string) (before, digits string, letter byte, after string, found bool) {
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			continue
		}
		rest := strings.TrimLeft(name[i+1:], "0123456789")
		if rest != "" && strings.IndexByte(letters, rest[0]) >= 0 {
			return name[:i], name[i+1 : len(name)-len(rest)], rest[0], rest[1:], true
		}
	}
	return name, "", 0, "", false
}

// HasPattern reports whether a name has a pattern of that letter.
func HasPattern(name string, letter byte) bool {
	_, _, _, _, found := CutPattern(name, string(letter))
	return found
}

// FillPattern puts a number into a name wherever the pattern of that letter stands for it, with
// zeros before it where it is to have more digits.
func FillPattern(name string, letter byte, number string) string {
	return EachPattern(name, string(letter), func(digits string, _ byte) string {
		return strings.Repeat("0", max(0, PatternWidth(digits)-len(number))) + number
	})
}

// RenamePattern puts another letter in the place of one in all patterns of a name.
func RenamePattern(name string, from, to byte) string {
	return EachPattern(name, string(from), func(digits string, _ byte) string { return "%" + digits + string(to) })
}

// EachPattern puts something in the place of each pattern of some letters, in as much time as the
// name is long: a name may be anything that somebody has sent.
func EachPattern(name, letters string, put func(digits string, letter byte) string) string {
	var b strings.Builder
	for {
		before, digits, letter, after, found := CutPattern(name, letters)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(put(digits, letter))
		name = after
	}
}

// widest is how many digits a number has at the most for whoever asks for more, as in Slurm.
const widest = 10

// PatternWidth is how many digits a pattern asks for; 0: as many as there are.
func PatternWidth(digits string) int {
	n := 0
	for _, d := range []byte(digits) {
		n = min(widest, n*10+int(d-'0'))
	}
	return n
}
