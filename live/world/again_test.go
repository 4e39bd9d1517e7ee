package world

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "github.com/libra-market/libra/client/v1"
)

// still is a day of one node on which nothing is drawn.
func still(deeds []Deed, faults ...Fault) *Day {
	for i := range deeds {
		deeds[i].Request.Name, deeds[i].Request.Argv = fmt.Sprint("deed-", i), []string{"work", fmt.Sprint(i)}
	}
	return &Day{
		Policy: "libra", Lease: 30 * time.Second, Report: time.Second, Snapshot: 100, Exact: true, Long: 2 * time.Minute,
		Nodes: []Node{{CPUs: 1, Speed: 1}}, Deeds: deeds, Faults: faults,
	}
}

// job is a deed of so many seconds, to be done within a while.
func job(at time.Duration, seconds float64, within time.Duration) Deed {
	return Deed{
		At: at, User: "alice", Kind: submits, Seconds: 0.98 * seconds, Hungry: 1, Request: v1.Request{
			Dir: "/", EstimateMS: int64(seconds * 1000), DeadlineMS: within.Milliseconds(), PenaltyMicros: 8000,
		},
	}
}

// takenBack is a job that is cancelled some time after it was taken in.
func takenBack(d Deed, after time.Duration) Deed {
	d.Kind, d.After = cancels, after
	return d
}

// longer is a job that takes twice what its user said, and may.
func longer(d Deed) Deed {
	d.Seconds *= 2
	d.Request.Overrun = v1.OverrunLate
	return d
}

// refined is a job with an optional part, in a market that knows them.
func refined(d *Day, seconds float64) *Day {
	d.Policy = "mf-edf"
	for i := range d.Deeds {
		r := &d.Deeds[i].Request
		budget := int64(1_000_000)
		r.Budget, r.Optional = &budget, &v1.Optional{WorkMS: int64(seconds * 1000), RateMicros: 100_000}
		d.Deeds[i].Refines = seconds
	}
	return d
}

// twoNodes is a day of two like the first.
func twoNodes(d *Day) *Day {
	d.Nodes = append(d.Nodes, d.Nodes[0])
	return d
}

func seeded(seed uint64, d *Day) *Day {
	d.Seed, d.Exact = seed, false
	return d
}

// TestDaysThatWentWrong are days that went wrong once, as small as they could be made.
// What is drawn from a seed changes, these do not.
func TestDaysThatWentWrong(t *testing.T) {
	for name, d := range map[string]*Day{
		// 50006: what was acknowledged after the first restore was lost in a controller that
		// the second began beside it.
		"two restores wait for who stands still": seeded(2, still([]Deed{longer(job(20*time.Second, 15, 2*time.Minute)), job(70*time.Second, 1, time.Minute)},
			Fault{At: 30 * time.Second, Kind: pauses, Node: -1, For: 30 * time.Second},
			Fault{At: 40 * time.Second, Kind: restores, Node: -1, For: 2 * time.Second},
			Fault{At: 41 * time.Second, Kind: restores, Node: -1, For: 5 * time.Second})),
		// A backup that is restored twice gives no number twice: the node that was cut off runs a
		// job of after the first restore, and must not take the one of after the second for it.
		"the same backup is restored twice": still([]Deed{
			job(20*time.Second, 5, time.Minute), job(45*time.Second, 60, 90*time.Second), job(63*time.Second, 10, 100*time.Second),
		},
			Fault{At: 30 * time.Second, Kind: restores, Node: -1, For: 10 * time.Second},
			Fault{At: 30 * time.Second, Kind: restores, Node: -1, For: 30 * time.Second},
			Fault{At: 59 * time.Second, Kind: partitions, Node: 0, For: 6 * time.Second}),
		// The same of files that were copied: nothing says that numbers were given out which
		// the copy does not know, and the node says of one that it runs, and then that it has ended.
		"a copy is put back": still([]Deed{
			job(20*time.Second, 5, time.Minute), job(45*time.Second, 40, 60*time.Second), job(61*time.Second, 10, 100*time.Second),
		},
			Fault{At: 30 * time.Second, Kind: restores, Node: -1, For: 30 * time.Second, Copied: true}),
		"a copy is put back while a node is away": still([]Deed{
			job(20*time.Second, 5, time.Minute), job(45*time.Second, 15, 60*time.Second), job(61*time.Second, 10, 100*time.Second),
		},
			Fault{At: 30 * time.Second, Kind: restores, Node: -1, For: 30 * time.Second, Copied: true},
			Fault{At: 59 * time.Second, Kind: partitions, Node: 0, For: 6 * time.Second}),
		// 700428: a job was taken back in what is lost, its node heard of it, and the market that
		// went on did not: that it failed was none of the market's doing.
		"a job is taken back in what is lost": still([]Deed{takenBack(job(20*time.Second, 60, 3*time.Minute), 12*time.Second)},
			Fault{At: 30 * time.Second, Kind: restores, Node: -1, For: 4 * time.Second},
			Fault{At: 31 * time.Second, Kind: mutes, Node: 0, For: 4 * time.Second}),
		// 52549: who stood still when the day was over never went on.
		"a leader stands still at the end": still(nil, Fault{At: 110 * time.Second, Kind: pauses, Node: -1, For: time.Hour}),
		// 52666: what a node said of an end was on its way for eight seconds, and the job late
		// by as much.
		"an end is long on its way": still([]Deed{job(20*time.Second, 10, 12*time.Second)},
			Fault{At: 29 * time.Second, Kind: pauses, Node: 0, For: 18 * time.Second}),
		// 65233: that a mandatory part was done was long on its way.
		"a mandatory part is heard of late": refined(still([]Deed{job(20*time.Second, 10, 12*time.Second)},
			Fault{At: 29 * time.Second, Kind: mutes, Node: 0, For: 12 * time.Second}), 60),
		// 622689: a restored market that does not know how long it was away believes less of a
		// mandatory part at first than was, and took what it believed later for more of the optional one.
		"less is believed of a mandatory part than was": refined(still([]Deed{job(20*time.Second, 10, 90*time.Second)},
			Fault{At: 10 * time.Second, Kind: stepsBack, Node: -1, For: 10 * time.Second},
			Fault{At: 24 * time.Second, Kind: restores, Node: -1, For: 3 * time.Second}), 20),
		// 601746: a node is at an attempt that it began in what is lost when the restored market
		// begins one of the same number there: it was billed for less than it had used, or had
		// failed, because the node was just ending it.
		"an attempt has the number of one of what is lost": twoNodes(still([]Deed{job(20*time.Second, 30, 3*time.Minute)},
			Fault{At: 25 * time.Second, Kind: restores, Node: -1, For: 20 * time.Second},
			Fault{At: 30 * time.Second, Kind: powerless, Node: 0, For: 2 * time.Second})),
	} {
		t.Run(name, func(t *testing.T) {
			for _, wrong := range live(t, d).Wrong {
				t.Error(wrong)
			}
		})
	}
}

// 605202, 622894: a copy of the files from before another backup was restored. Agents have
// heard of that one, and do not obey the copy until its operator says that it was put back;
// then they do, and jobs run again.
func TestACopyIsPutBackOverWhatWasRestoredSince(t *testing.T) {
	r := live(t, still([]Deed{job(20*time.Second, 5, time.Minute), job(60*time.Second, 10, 10*time.Minute), job(118*time.Second, 10, 10*time.Minute)},
		Fault{At: 30 * time.Second, Kind: restores, Node: -1, For: 20 * time.Second, Copied: true},
		Fault{At: 32 * time.Second, Kind: restores, Node: -1, For: 5 * time.Second}))
	for _, wrong := range r.Wrong {
		t.Error(wrong)
	}
	if r.Jobs[string(v1.Completed)] != 3 {
		t.Errorf("%v\n%s", r.Jobs, strings.Join(r.Lines, "\n"))
	}
}
