package main

import (
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/model"
)

// Under every policy that lets jobs wait, also one that shares processors by time, licences are
// counted when a job begins, and a reservation is sold to who says until when it takes.
func TestWhatIsPromisedToWhoWaits(t *testing.T) {
	for policy, waits := range map[string]bool{"make-way": true, "libra": false} {
		m := openBench(t, policy, func(f *model.Slurm) {
			f.Licenses = "LicenseName=fluent Total=1 Used=1 Free=0 Reserved=0 Remote=no\n"
		})
		r := trade.Request{Argv: []string{"true"}, EstimateMS: 1000, Reservation: "course"}
		if got, err := m.letsWait(t.Context(), &r); got != waits || (err != nil) != waits {
			t.Errorf("%s: jobs wait: %v; in a reservation, without a deadline: %v", policy, got, err)
		}
		r = trade.Request{Argv: []string{"true"}, EstimateMS: 1000, Env: withLicenses("fluent")}
		if _, over := m.backend.Admit(t.Context(), "eve", &r, waits); (over == nil) != waits {
			t.Errorf("%s: a licence that is taken now: %+v", policy, over)
		}
	}
}
