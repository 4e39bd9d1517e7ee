package directive

import (
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/spelling"
)

// unknown says that a word is none of those known, and which is meant perhaps.
func unknown(word string, known []string) error {
	letters := len(strings.TrimLeft(word, "-"))
	if letters < 3 {
		return ErrUnknown // everything is near to a letter
	}
	best, distance := "", max(1, letters/3)+1
	for _, k := range known {
		if d := spelling.Edits(word, k); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ErrUnknown
	}
	return fmt.Errorf("%w; did you mean %s?", ErrUnknown, best)
}
