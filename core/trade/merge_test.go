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

// Nor need they say how many elements of an array run at a time, and cannot say another number.
func TestTheQuoteSaysHowManyElementsRunAtATime(t *testing.T) {
	some := func(last, limit int) *Array { return &Array{First: 1, Last: last, Step: 1, Limit: limit} }
	quoted := Request{EstimateMS: 1000, Array: some(9, 3)}
	for name, c := range map[string]struct {
		given *Array
		good  bool
	}{"nothing": {nil, true}, "no number": {some(9, 0), true}, "the same": {some(9, 3), true}, "another": {some(9, 4), false}, "other elements": {some(8, 0), false}} {
		r, err := Merge(quoted, Request{Argv: []string{"x"}, Array: c.given})
		if (err == nil) != c.good || c.good && r.Array.Limit != 3 {
			t.Errorf("%s: %+v, %v", name, r.Array, err)
		}
	}
	if _, err := Merge(Request{EstimateMS: 1000}, Request{Argv: []string{"x"}, Array: some(9, 0)}); err == nil {
		t.Error("an array is taken where none was quoted")
	}
}
