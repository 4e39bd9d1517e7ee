package adversary

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
)

var (
	shortUnder = flag.String("too-short", "", "policies under which to count who is in time that says too little, with settings: libra-plus,going-rate:further=0.4")
	shortSeeds = flag.Uint64("too-short-seeds", 10, "how many worlds")
)

// errand is a job that somebody wants done by a time.
type errand struct {
	short bool
	id    int64
}

// errands lets people come to three processors, one every so many seconds, with jobs of 6 to 24 s, due after 1.4 to 8
// times as long, for which they offer 2 to 8 times the rate. A part of them says 5 to 25 % less than it needs, the
// others say a twentieth to four fifths more.
func errands(t *testing.T, way string, seed uint64, n int, gap, short float64) (w *world, all []*errand, offered int64) {
	t.Helper()
	set := map[string]string{}
	words := strings.Split(way, ":")
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		set[name] = value
	}
	w = newWorld(&scene{policy: words[0], set: set, rate: 3_600_000_000, nodes: 3, width: 1, report: second / 4, holds: true}, nil)
	p := w.player("mallory")
	r, at := rand.New(rand.NewPCG(seed, 31)), 0.0
	for i := range n {
		at += gap * r.ExpFloat64()
		v := wish{work: 6 + 18*r.Float64(), width: 1}
		over, slack, offer, which, less := 1.05+0.75*max(0, r.Float64()*2.5-1.5), []float64{1.4, 2, 3, 5, 8}[r.IntN(5)], 2+6*r.Float64(), r.Float64(), 0.05+0.2*r.Float64()
		v.deadline = slack*v.work*over + 2
		e := &errand{short: which < short}
		if e.short {
			over = 1 - less
		}
		q := ask(&v, v.work*over)
		budget := int64(offer * v.work * over * 1e6)
		q.Budget, q.PenaltyMicros = &budget, int64(offer*1e5)
		all, offered, p.wants = append(all, e), offered+budget, append(p.wants, v)
		w.at(start+micros(at), func() { e.id, _ = p.submitAs(p.ids[0], i, trade.Submit{Request: q}, program{work: v.work}) })
	}
	w.play(start + micros(at+400))
	w.finish()
	if len(w.broken) > 0 {
		t.Fatalf("%s, world %d: %s", way, seed, w.broken[0])
	}
	return w, all, offered
}

// shortTally is what became of errands.
type shortTally struct {
	all, inTime, short, shortInTime, stopped int
	broken                                   int // promises to those who said enough
	offered, charged                         int64
}

func (n *shortTally) add(w *world, all []*errand, offered int64) {
	n.offered += offered
	for _, e := range all {
		j := w.jobs[e.id]
		n.all++
		n.short += count(e.short)
		n.charged += j.Charged - j.Penalty
		n.stopped += count(j.State == trade.Stopped)
		inTime := j.State == trade.Completed && j.InTime
		n.inTime += count(inTime)
		n.shortInTime += count(inTime && e.short)
		n.broken += count(!inTime && !e.short && j.PromisedUS != 0)
	}
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Where the price is what is bid and nothing of it is kept, hardly anybody gets through who says a little too little;
// where something is kept most do, of whom there is room for, and nobody else is late for it.
func TestWhoSaysTooLittleGetsThroughIfSomethingIsKept(t *testing.T) {
	for _, policy := range []string{"going-rate", "make-way"} {
		var none, kept shortTally
		for seed := range uint64(3) {
			none.add(errands(t, policy, seed, 100, 5, 0.3))
			kept.add(errands(t, policy+":further=0.4", seed, 100, 5, 0.3))
		}
		if 20*none.shortInTime > none.short || none.stopped < none.short/2 {
			t.Errorf("%s, nothing kept: %+v", policy, none)
		}
		if 2*kept.shortInTime < kept.short || kept.inTime < none.inTime+kept.shortInTime/2 {
			t.Errorf("%s: %+v, and with nothing kept %+v", policy, kept, none)
		}
		if none.broken+kept.broken > 0 {
			t.Errorf("%s: promises to others were broken: %+v, %+v", policy, kept, none)
		}
	}
}

// go test ./lab/adversary -run CountedShort -v -args -too-short libra-plus,make-way,going-rate,going-rate:further=0.4
func TestCountedShort(t *testing.T) {
	if *shortUnder == "" {
		t.Skip("-too-short says under which policies")
	}
	const jobs = 200
	part := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	for way := range strings.SplitSeq(*shortUnder, ",") {
		for _, factor := range []float64{1, 0.5, 0.2} {
			var n shortTally
			for seed := range *shortSeeds {
				n.add(errands(t, way, seed, jobs, 5*factor, 0.3))
			}
			t.Logf("%s, gaps x %v: %.1f %% in time, of those who say too little %.1f %%, of the others %.1f %%; %.1f %% of what was offered is charged", way, factor,
				part(n.inTime, n.all), part(n.shortInTime, n.short), part(n.inTime-n.shortInTime, n.all-n.short), 100*float64(n.charged)/float64(n.offered))
		}
	}
}
