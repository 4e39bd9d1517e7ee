package policy_test

import (
	"testing"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/policytest"
)

// Worlds in which qops once promised a time to a job whose memory was on a node
// that was down, and with it broke what it had promised to those behind.
func TestQoPSPromisesNothingOnLostMemory(t *testing.T) {
	kind, err := policy.Find("qops")
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range []uint64{2203, 2347} {
		policytest.One(t, kind, seed)
	}
}
