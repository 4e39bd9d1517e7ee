package policy_test

import (
	"testing"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/lab/policytest"
)

// otherwise are settings under which a policy is as good as another one.
var otherwise = map[string]map[string]string{
	"make-way":   {"price": "posted", "follow": "0.5"},
	"going-rate": {"price": "posted", "follow": "0.5"},
	"mf-hbf":     {"order": "rate"},
}

// Every policy in the registry keeps the promises of all policies.
func TestConformance(t *testing.T) {
	for _, kind := range policy.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			policytest.Run(t, kind)
		})
		if set := otherwise[kind.Name]; set != nil {
			t.Run(kind.Name+" otherwise", func(t *testing.T) {
				t.Parallel()
				policytest.Run(t, kind.With(set))
			})
		}
	}
}
