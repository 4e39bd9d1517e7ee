package exchange_test

import (
	"encoding/json"
	"flag"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// In a snapshot of before it was noted in which epoch a job was taken in, that is the
// epoch of its submission: each is billed by the rules of its own.
func TestEpochsOfBeforeTheyWereNoted(t *testing.T) {
	charges := func(noted bool) (all []int64) {
		f := open(t, "libra", 4)
		var ids []int64
		for _, set := range []map[string]string{nil, {"unused": "0.5"}, {"unused": "0"}} {
			if set != nil { // in the first one unused time is paid for whole
				f.wait(1)
				f.do(trade.Command{By: owner, Epoch: &trade.Epoch{Policy: "libra", Settings: epoch.Complete("libra", set, epoch.LiveSettings())}})
			}
			ids = append(ids, f.submit(alice, trade.Request{EstimateMS: 20_000, DeadlineMS: 100_000}).Job.ID)
		}
		text, err := json.Marshal(f.x.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		era := regexp.MustCompile(`"era":\d+,?`)
		if !era.Match(text) {
			t.Fatal("no epoch is noted")
		}
		if !noted {
			text = era.ReplaceAll(text, nil)
		}
		if f.x, err = exchange.Restore("test", text); err != nil {
			t.Fatal(err)
		}
		f.wait(5)
		for _, id := range ids {
			f.end(task.Key{Job: id}, 5, 0)
			all = append(all, f.job(id).Charged)
		}
		return all
	}
	noted, old := charges(true), charges(false)
	if noted[0] <= noted[1] || noted[1] <= noted[2] {
		t.Errorf("by three rules: %d", noted)
	}
	for i := range noted {
		if noted[i] != old[i] {
			t.Errorf("job %d is charged %d, and was to be charged %d", i, old[i], noted[i])
		}
	}
}

// A snapshot is encoded while the market goes on: whatever happens after it, it says
// what it said.
func TestASnapshotStaysAsItWas(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() == checks.DefValue {
		defer func() { _ = checks.Value.Set(checks.DefValue) }()
		_ = checks.Value.Set("10")
	}
	for _, kind := range policy.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				var taken []journal.Snapshot
				var said [][]byte
				randomDay(r, kind.Name, func(_ rapid.TB, f *floor) {
					taken = append(taken, f.x.Snapshot())
					said = append(said, encode(r, f.x))
				})
				for i := range taken {
					if d := differ(said[i], asJSON(r, taken[i])); d != "" {
						t.Fatalf("at the end of the day it says %s", d)
					}
				}
			})
		})
	}
}
