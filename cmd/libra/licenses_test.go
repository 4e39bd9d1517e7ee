package main

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Licences are Slurm's to count: a market without one refuses them. In front of Slurm who begins
// later has them then.
func TestWhoMayHaveLicenses(t *testing.T) {
	one := []string{task.Licenses + "=fluent:2"}
	for name, c := range map[string]struct {
		asks          trade.Request
		here, onSlurm bool
	}{
		"none":            {trade.Request{Hold: true}, true, true},
		"some":            {trade.Request{Env: one}, false, true},
		"what is nothing": {trade.Request{Env: []string{task.Licenses + "=a|b"}}, false, false},
		"on hold":         {trade.Request{Env: one, Hold: true}, false, true},
		"later":           {trade.Request{Env: one, BeginMS: 1}, false, true},
		"after another":   {trade.Request{Env: one, AfterAny: []int64{1}}, false, true},
		"after a start":   {trade.Request{Env: one, AfterBegun: []trade.Begun{{Job: 1}}}, false, true},
	} {
		if err := withoutSlurm(&c.asks); (err == nil) != c.here {
			t.Errorf("%s, without Slurm: %v", name, err)
		}
		if err := licensed(&c.asks); (err == nil) != c.onSlurm {
			t.Errorf("%s, on Slurm: %v", name, err)
		}
	}
	taken := asked(&trade.Command{Submit: &trade.Submit{Quote: "q1", Request: trade.Request{Argv: []string{"true"}, Env: one}}})
	if taken == nil || len(taken.Env) != 1 { // else who takes a quote has licences that nobody counts
		t.Errorf("with a quote: %+v", taken)
	}
	for name, r := range map[string]trade.Request{"at once": {}, "at a time": {BeginMS: 1}, "on hold": {Hold: true}, "after another": {AfterAny: []int64{1}}} {
		r.Reservation = "course"
		if err := withoutSlurm(&r); err == nil {
			t.Errorf("%s: a reservation, and there is no Slurm", name)
		}
		if err := carried(&r); (err == nil) != (!r.Hold && len(r.AfterAny) == 0) {
			t.Errorf("%s, in a reservation: %v", name, err)
		}
	}
	f := newFloor()
	open(t, f, v1.RoleUser)
	if r := libra(t, "sbatch", "-t", "1", "-L", "fluent", "--wrap", "true"); r.code != exitFailure || !strings.Contains(r.err, "runs its jobs itself") || len(f.asked) > 0 {
		t.Errorf("%+v, %d asked", r, len(f.asked))
	}
	f = newFloor()
	f.prices.Runs = "slurm"
	open(t, f, v1.RoleUser)
	mustLibra(t, "sbatch", "-t", "1", "-Q", "-L", "fluent", "--wrap", "true")
	if some, err := task.LicensesOf(f.last(t).Submit.Request.Env); err != nil || some["fluent"] != 1 {
		t.Errorf("%v, %v", some, err)
	}
}
