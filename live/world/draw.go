package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	v1 "github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

var users = []string{"alice", "bob", "carol", "dave"}

// makesWay is the stream of chance that says on which days jobs make way for others: a policy that
// came later than most days, which were to stay what they were.
const makesWay = 1 << 20

// drawn are the policies that a day is drawn from.
func drawn() []policy.Kind {
	return slices.DeleteFunc(policy.Kinds(), func(k policy.Kind) bool { return k.Name == "make-way" })
}

// Draw makes a day of a seed, with so many jobs.
func Draw(seed uint64, jobs int) *Day {
	r := rand.New(rand.NewPCG(seed, 0))
	d := &Day{
		Seed: seed, Lease: time.Duration(10+r.IntN(30)) * time.Second, Report: time.Duration(1000+r.IntN(3000)) * time.Millisecond,
		Snapshot: []int{20, 100, 100_000}[r.IntN(3)], Exact: r.IntN(3) == 0, Standby: r.IntN(3) == 0,
	}
	kinds := drawn()
	d.Policy = "libra"
	switch r.IntN(8) {
	case 0, 1, 2:
		d.Policy = kinds[r.IntN(len(kinds))].Name
	case 3: // of the two that know optional parts
		d.Policy = []string{"mf-edf", "mf-hbf"}[r.IntN(2)]
	}
	if d.Policy == "libra" && rand.New(rand.NewPCG(seed, makesWay)).IntN(4) == 0 {
		d.Policy = "make-way"
	}
	if r.IntN(2) == 0 {
		d.Lose, d.Repeat = 0.02*r.Float64(), 0.05*r.Float64()
	}
	processors := 0
	for range 1 + r.IntN(5) {
		n := Node{CPUs: 1 + r.IntN(3), Speed: []float64{1, 1, 0.5, 2}[r.IntN(4)], SkewMS: r.Int64N(200) - 100}
		d.Nodes = append(d.Nodes, n)
		processors += n.CPUs
	}
	work := 0.0
	for i := range jobs {
		d.Deeds = append(d.Deeds, drawDeed(r, d, i, processors))
		work += d.Deeds[i].Seconds
	}
	load := 0.3 + 0.9*r.Float64()
	d.Long = min(30*time.Minute, max(2*time.Minute, time.Duration(work/load/float64(processors)*1e9)))
	for i := range d.Deeds {
		d.Deeds[i].At = between(r, 3*time.Second, d.Long)
	}
	slices.SortFunc(d.Deeds, func(a, b Deed) int { return int(a.At - b.At) })
	for i := range d.Deeds {
		q := &d.Deeds[i].Request
		q.Name = fmt.Sprintf("deed-%d", i)
		q.Argv = []string{"work", fmt.Sprint(i)}
		if q.Optional != nil && q.Optional.Argv != nil {
			q.Optional.Argv = q.Argv
		}
	}
	if s := rand.New(rand.NewPCG(seed, 1)); s.IntN(slurmEvery) == 0 {
		d.onSlurm(s)
		return d
	}
	if r.IntN(4) > 0 {
		drawFaults(r, d)
	}
	return d
}

// drawDeed is what a user does and how the job really is.
func drawDeed(r *rand.Rand, d *Day, _, processors int) Deed {
	e := Deed{User: users[r.IntN(len(users))], Kind: submits, Hungry: 1, ObeysMS: r.Int64N(3000)}
	estimate := 1 + 59*r.Float64()*r.Float64()
	q := &e.Request
	q.Argv, q.Dir, q.EstimateMS = []string{"work"}, "/", int64(1000*estimate)
	if r.IntN(5) > 0 {
		q.DeadlineMS = int64(float64(q.EstimateMS) * (1.3 + 8*r.Float64()))
		q.Soft = r.IntN(3) == 0
		if r.IntN(2) == 0 {
			q.PenaltyMicros = r.Int64N(20_000)
		}
	}
	if r.IntN(6) == 0 {
		q.Processors = 1 + r.IntN(min(4, processors))
	}
	if r.IntN(12) == 0 {
		q.Threads = 1 + r.IntN(2)
	}
	if r.IntN(3) == 0 {
		q.Overrun = []v1.Overrun{v1.OverrunLate, v1.OverrunKill, v1.OverrunStop}[r.IntN(3)]
	}
	if r.IntN(8) == 0 {
		q.Budget = new(r.Int64N(50 * int64(market.Unit)))
	} else if bids(d.Policy) && r.IntN(10) > 0 { // a job costs what its user says that it is worth
		q.Budget = new(int64(estimate * float64(rates) * float64(max(1, q.Processors)) * (0.8 + 4*r.Float64())))
	}
	e.refine(r, d)
	q.NoRestart = r.IntN(10) == 0
	q.GraceMS = r.Int64N(4000)
	e.Seconds = 0.98 * float64(q.EstimateMS) / 1000
	if !d.Exact {
		e.misjudge(r)
	}
	switch r.IntN(20) {
	case 0, 1:
		e.Kind = quotes
	case 2:
		e.Kind = squats
	case 3, 4:
		e.Kind, e.After = cancels, between(r, 0, 40*time.Second)
	case 5:
		e.Kind = sends
	case 6, 7:
		e.Kind = absurd
		e.Path, e.Raw = drawAbsurd(r)
	}
	return e
}

// bids reports whether a policy takes what a job is worth for its price.
func bids(policy string) bool { return policy != "libra" && policy != "libra-plus" }

// refine gives some jobs a part that they need not do, where somebody sells that; what
// their programs make of it is another matter.
func (e *Deed) refine(r *rand.Rand, d *Day) {
	often := 100
	if d.Policy == "mf-edf" || d.Policy == "mf-hbf" {
		often = 2
	}
	if r.IntN(often) > 0 {
		return
	}
	q := &e.Request
	q.Optional = &v1.Optional{WorkMS: 1 + r.Int64N(2*q.EstimateMS), RateMicros: rates/2 + r.Int64N(3*rates)}
	if q.DeadlineMS == 0 {
		q.DeadlineMS = 5 * q.EstimateMS
	}
	q.Soft, q.Threads = false, 0
	if r.IntN(2) == 0 {
		q.Optional.Argv = []string{"work"}
	}
	e.Refines = float64(q.Optional.WorkMS) / 1000 * 2 * r.Float64()
}

// misjudge makes the program other than its user said.
func (e *Deed) misjudge(r *rand.Rand) {
	switch r.IntN(8) {
	case 0:
		e.Seconds *= 1 + 3*r.Float64() // too much
	case 1:
		e.Seconds *= r.Float64()
	case 2:
		e.Hungry = 0.2 + 0.8*r.Float64() // sleeps
	case 3:
		e.Exit = 1 + r.IntN(3)
	case 4:
		e.Refuse = r.IntN(3) == 0
	case 5:
		e.ObeysMS = -1
	case 6:
		e.Seconds /= 0.98 // not a moment less than was said
	}
}

// drawFaults breaks some things.
func drawFaults(r *rand.Rand, d *Day) {
	kinds := []string{
		crashes, crashes, crashes, stops, powerless, pauses, partitions, deafens, mutes, fills, unsure, stepsOn, stepsBack, upgrades, restores,
	}
	for range 1 + r.IntN(6) {
		f := Fault{At: between(r, 5*time.Second, d.Long), Kind: kinds[r.IntN(len(kinds))], Node: r.IntN(len(d.Nodes)+1) - 1}
		f.For = between(r, 100*time.Millisecond, 5*time.Second)
		if r.IntN(3) == 0 {
			f.For = between(r, time.Second, 2*d.Lease)
		}
		switch f.Kind {
		case stops, fills, unsure, upgrades, restores:
			f.Node = -1
		case powerless, partitions, deafens, mutes:
			f.Node = max(0, f.Node)
		case pauses:
			if d.Standby && r.IntN(2) == 0 { // long enough for the other to take the lead
				f.Node, f.For = -1, between(r, 8*time.Second, 40*time.Second)
			}
		}
		d.Faults = append(d.Faults, f)
	}
	apart := rand.New(rand.NewPCG(d.Seed, 1)) // so that days of before are what they were but for this
	for i := range d.Faults {
		d.Faults[i].Copied = d.Faults[i].Kind == restores && apart.IntN(2) == 0
	}
	slices.SortFunc(d.Faults, func(a, b Fault) int { return int(a.At - b.At) })
}

// drawAbsurd is a body that nobody should send, and where it goes.
func drawAbsurd(r *rand.Rand) (path, body string) {
	number := []string{"0", "-1", "1e18", "9223372036854775807", "-9223372036854775808", "100000000", "4294967296", "2147483648", "1e400", "null", `"x"`, "0.5"}[r.IntN(12)]
	field := []string{
		"estimate_ms", "deadline_ms", "budget_micros", "penalty_micros_per_s", "processors", "threads", "memory_mb", "disk_mb", "class", "grace_ms",
	}[r.IntN(10)]
	request := fmt.Sprintf(`{"argv":["work","-1"],"dir":"/","estimate_ms":1000,"deadline_ms":60000,%q:%s}`, field, number)
	switch r.IntN(8) {
	case 0:
		return "/v1/quotes", fmt.Sprintf(`{"request":%s,"ttl_ms":%s}`, request, number)
	case 1:
		return "/v1/previews", fmt.Sprintf(`{"request":%s}`, request)
	case 2:
		return "/v1/transfers", fmt.Sprintf(`{"to":%q,"amount_micros":%s}`, users[r.IntN(len(users))], number)
	case 3:
		return "/v1/jobs", fmt.Sprintf(`{"request":{"argv":["work","-1"],"dir":"/","estimate_ms":1000,"array":{"first":0,"last":%s}}}`, number)
	case 4:
		return "/v1/jobs", fmt.Sprintf(`{"request":{"argv":["work","-1"],"dir":"/","estimate_ms":1000,"after":[%s]}}`, number)
	default:
		return "/v1/jobs", fmt.Sprintf(`{"request":%s}`, request)
	}
}
