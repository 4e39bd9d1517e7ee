package trade

import "testing"

// Who takes a quote need not name its partition again, and cannot name another.
func TestTheQuoteSaysThePartition(t *testing.T) {
	quoted := Request{EstimateMS: 1000, Partition: "fast"}
	for partition, good := range map[string]bool{"": true, "fast": true, "slow": false} {
		r, err := Merge(quoted, Request{Argv: []string{"x"}, Partition: partition})
		if (err == nil) != good || good && r.Partition != "fast" {
			t.Errorf("%q: %q, %v", partition, r.Partition, err)
		}
	}
}
