package chart

import "strings"

// textWidth estimates how wide a text is. It goes by DejaVu Sans, the widest
// of the fonts that [CSS] names, so that text which fits here fits everywhere.
func textWidth(text string, size float64) float64 {
	sum := 0.0
	for _, r := range text {
		sum += runeWidth(r)
	}
	return sum * size
}

func runeWidth(r rune) float64 {
	switch {
	case strings.ContainsRune("ijl'|", r):
		return 0.29
	case strings.ContainsRune(" \u00a0.,:;!", r):
		return 0.33
	case strings.ContainsRune("ftrI()[]/-\"", r):
		return 0.41
	case strings.ContainsRune("mwMW%@", r):
		return 0.96
	case r >= 'A' && r <= 'Z':
		return 0.71
	case r >= 0x2e80: // scripts that fill a square
		return 1
	}
	return 0.63
}

// wrap breaks a text at spaces into lines no wider than limit, at most so many;
// what does not fit ends in an ellipsis.
func wrap(text string, size, limit float64, most int) []string {
	var lines []string
	for _, paragraph := range strings.Split(text, "\n") {
		line := ""
		for _, word := range strings.FieldsFunc(paragraph, breakable) {
			longer := strings.TrimSpace(line + " " + word)
			if line != "" && textWidth(longer, size) > limit {
				lines = append(lines, line)
				longer = word
			}
			line = longer
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] += " …"
	}
	for i := range lines {
		lines[i] = shorten(lines[i], size, limit)
	}
	return lines
}

// breakable: a no-break space is not.
func breakable(r rune) bool { return r == ' ' || r == '\t' }

// shorten cuts a line that is too wide, keeping its beginning.
func shorten(line string, size, limit float64) string {
	if textWidth(line, size) <= limit {
		return line
	}
	runes := []rune(strings.TrimSuffix(line, " …"))
	for len(runes) > 0 && textWidth(string(runes)+"…", size) > limit {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
