package spelling

import "strings"

// Nearest is the word that somebody who typed another may have meant, or none: it
// begins with what was typed, or a third of it, at most, is wrong.
func Nearest(typed string, words []string) string {
	best, edits := "", len(typed)/3+1
	for _, w := range words {
		n := Edits(typed, w)
		if len(typed) >= 3 && strings.HasPrefix(w, typed) {
			n = 1
		}
		if n < edits {
			best, edits = w, n
		}
	}
	return best
}

// Hint asks, at the end of a sentence, whether that was meant; it is empty where no word
// is near.
func Hint(typed string, words []string) string {
	if near := Nearest(typed, words); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
