package policy_test

import (
	"testing"

	"libra/policy"
	"libra/policy/policytest"
)

// Every policy in the registry keeps the promises of all policies.
func TestConformance(t *testing.T) {
	for _, kind := range policy.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			policytest.Run(t, kind)
		})
	}
}
