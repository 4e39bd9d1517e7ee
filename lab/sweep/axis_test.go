package sweep

import (
	"strings"
	"testing"
)

func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"0.1:1:0.1": "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1", "1:10:4": "1 5 9", "3": "3", "best": "best", "0:0:1": "0",
	} {
		got, err := parseValues(text)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}
