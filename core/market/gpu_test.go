package market_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// A number of GPUs that is too large is answered with the largest there is.
func TestGPUsAreReadAndSaid(t *testing.T) {
	for text, want := range map[string]string{
		"99999": "at most 32768 GPUs", "a100:99999999999999999999": "at most 32768 GPUs", "two": "a kind and a number", "-1": "a kind and a number", ":2": "a kind and a number",
	} {
		if _, _, err := market.ParseGPUs(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for n, want := range map[int]string{0: "0 t4 GPUs", 1: "1 t4 GPU", 2: "2 t4 GPUs"} {
		if got := market.CountGPUs("t4", n); got != want {
			t.Errorf("%d are %q", n, got)
		}
	}
}

// A cluster may have a million nodes, most of them without GPUs: to look at one
// of those costs next to nothing.
func TestNodesWithoutGPUsAreCheckedForNothing(t *testing.T) {
	n := market.Plain()
	if made := testing.AllocsPerRun(100, func() {
		if err := n.Validate(); err != nil {
			t.Error(err)
		}
	}); made != 0 {
		t.Errorf("%v allocations for a plain node", made)
	}
}
