package api

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// An event has a number where one can go on after it: a browser keeps the number before otherwise.
func TestWhatHasNoNumberHasNoID(t *testing.T) {
	for want, n := range map[string]v1.Notice{
		"id: 3\nevent: job\n":      {Seq: 3, Kind: "job"},
		"event: job\n":             {Kind: "job"},
		"id: 0\nevent: lost\ndata": {Kind: v1.NoticeLost},
	} {
		out, err := (&call{}).appendEvent(nil, &n, "")
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%+v is %q, %v", n, out, err)
		}
	}
}
