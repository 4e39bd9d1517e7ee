package trade

import (
	"strings"
	"testing"
)

// What a request says of nodes is looked for on all of them: there is a most.
func TestWhatIsSaidOfNodesIsBounded(t *testing.T) {
	long := strings.Repeat("a", 100)
	for n, good := range map[int]bool{1: true, 40: true, 41: false, 10_000: false} {
		r := Request{EstimateMS: 1000, Constraint: strings.TrimSuffix(strings.Repeat(long+"|", n), "|")}
		if err := r.ValidateTerms(); (err == nil) != good {
			t.Errorf("a constraint of %d bytes: %v", len(r.Constraint), err)
		}
	}
}
