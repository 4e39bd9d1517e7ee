package policy_test

import (
	"testing"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/policytest"
)

// Every policy in the registry keeps the promises of all policies.
func TestConformance(t *testing.T) {
	for _, kind := range policy.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			policytest.Run(t, kind)
		})
		if kind.Name == "make-way" {
			t.Run("make-way for what is asked", func(t *testing.T) {
				t.Parallel()
				policytest.Run(t, kind.With(map[string]string{"price": "posted", "follow": "0.5"}))
			})
		}
	}
}
