package adversary

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

const (
	second = int64(1_000_000)
	start  = 1_700_000_000 * second
	grant  = 10_000_000 * int64(market.Unit) // to everybody; what owners gave is what users have at the most
)

var owner = trade.Identity{User: "root", Role: trade.RoleOwner}

// world is a market, its nodes, and what the people in it are going to do.
type world struct {
	x          *exchange.Exchange
	idle       *exchange.Exchange // the same market, in which nothing ever happens: what things cost there
	rng        *rand.Rand
	now        int64
	report     int64 // interval at which nodes say how far tasks are
	nextSay    int64
	nodes      []string
	runs       map[task.Key]*run
	order      []task.Key // of runs, by key: maps have none
	does       map[int64]program
	pending    program             // of the job that is being submitted
	jobs       map[int64]trade.Job // as last seen
	took       map[int64]float64   // processor seconds, by job, of all attempts
	kept       map[int64]float64   // megabytes times seconds for which they were held, by job
	faulty     map[int64]bool      // a node was lost under it
	amends     map[int64]int64     // paid for a job that was lost
	policy     string
	posted     bool    // who offers more than is asked pays what is asked
	rate       float64 // of a second of a processor, in micro-units
	memory     float64 // of a gigabyte for an hour, in micro-units
	trade      rules.Rules
	agenda     []deed
	granted    int64
	cheapest   float64                // price of a processor second, once somebody asked
	honest     map[string]bool        // who is
	quotes     map[string]trade.Quote // that keep room
	rents      map[string]float64     // by user: what quotes that were not taken owe
	ended      map[string]int         // and how many they were
	processors int
	crashed    bool
	holds      bool     // its nodes hold tasks to what was sold to them
	broken     []string // invariants that did not hold
}

// deed is something that somebody is going to do.
type deed struct {
	at int64
	do func()
}

// scene is what a seed says of a world before anybody comes.
type scene struct {
	policy string
	set    map[string]string
	rate   int64 // of an hour of a processor
	memory int64 // of a gigabyte for an hour
	nodes  int
	width  int // processors of each
	report int64
	crash  bool
	holds  bool // its nodes stop a task by themselves that has had what was sold to it
}

func newScene(rng *rand.Rand) scene {
	s := scene{policy: "libra", rate: rates[rng.IntN(len(rates))], nodes: 1 + rng.IntN(2), width: 2 + rng.IntN(3), report: second * int64(1+rng.IntN(3))}
	if rng.IntN(3) == 0 {
		s.policy = "libra-plus"
	}
	s.crash = s.nodes > 1 && rng.IntN(5) == 0
	s.holds = s.report < 3*second // those of before do not
	return s
}

func newWorld(s *scene, rng *rand.Rand) *world {
	w := &world{
		x: exchange.New("adversary"), idle: exchange.New("adversary"), rng: rng, now: start, report: s.report, nextSay: start + s.report,
		runs: map[task.Key]*run{}, does: map[int64]program{}, jobs: map[int64]trade.Job{}, took: map[int64]float64{}, kept: map[int64]float64{}, memory: float64(s.memory),
		posted: s.set["price"] == "posted", faulty: map[int64]bool{}, amends: map[int64]int64{}, honest: map[string]bool{}, policy: s.policy, rate: float64(s.rate) / 3600,
		quotes: map[string]trade.Quote{}, rents: map[string]float64{}, ended: map[string]int{}, processors: s.nodes * s.width, crashed: s.crash, holds: s.holds,
	}
	open := trade.Command{By: owner, Open: &trade.Open{Policy: s.policy, Settings: settings(s.policy, s.report, s.set), Rates: trade.Rates{ProcessorHour: s.rate, MemoryHour: s.memory}}}
	for n := range s.nodes {
		w.nodes = append(w.nodes, fmt.Sprintf("n%d", n))
	}
	for _, x := range []*exchange.Exchange{w.x, w.idle} {
		must(x.Do(w.now, open))
		for _, name := range w.nodes {
			must(x.Do(w.now, trade.Command{By: trade.Identity{User: name, Role: trade.RoleNode}, Enlist: &task.Hello{
				Node: name, Processors: s.width, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b", Holds: s.holds,
			}}))
		}
		x.Effects()
	}
	w.trade = w.x.Epochs()[0].Rules()
	if s.crash {
		name := w.nodes[len(w.nodes)-1]
		w.at(start+micros(60+rng.Float64()*120), func() {
			for _, r := range w.runs {
				if r.node == name {
					w.faulty[r.order.Spec.Job] = true
				}
			}
			w.do(trade.Command{Node: &trade.NodeChange{Node: name, Why: "power"}})
		})
		w.at(start+micros(240), func() { w.do(trade.Command{Node: &trade.NodeChange{Node: name, Up: true}}) })
	}
	return w
}

// user makes an account with money in it.
func (w *world) user(name string) trade.Identity {
	for _, x := range []*exchange.Exchange{w.x, w.idle} {
		must(x.Do(w.now, trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "open", To: name}}))
		must(x.Do(w.now, trade.Command{By: owner, Money: &trade.MoneyCommand{Op: "grant", To: name, Amount: grant}}))
		x.Effects()
	}
	w.granted += grant
	return trade.Identity{User: name, Role: trade.RoleUser}
}

// at puts something on the agenda.
func (w *world) at(at int64, do func()) {
	i, _ := slices.BinarySearchFunc(w.agenda, at+1, func(d deed, at int64) int {
		if d.at < at {
			return -1
		}
		return 1
	})
	w.agenda = slices.Insert(w.agenda, i, deed{at, do})
}

// in is at, from now.
func (w *world) in(seconds float64, do func()) { w.at(w.now+micros(seconds), do) }

// play lets everything happen until a time.
func (w *world) play(until int64) {
	for w.now < until && len(w.broken) == 0 {
		at := min(until, w.nextSay)
		if len(w.agenda) > 0 {
			at = min(at, w.agenda[0].at)
		}
		if next, asked := w.x.Next(); asked {
			at = min(at, max(w.now, next))
		}
		for _, k := range w.order {
			at = min(at, w.runs[k].next(w.now))
		}
		w.pass(at)
		w.happen()
	}
}

// pass lets time pass, in which nothing happens but work.
func (w *world) pass(to int64) {
	for _, k := range w.order {
		r := w.runs[k]
		before := r.cpu
		r.advance(w.now, to)
		w.took[k.Job] += r.cpu - before
		w.kept[k.Job] += float64(r.order.Spec.Memory>>20) * float64(to-w.now) / 1e6
	}
	w.now = to
	// As the controller does, before it asks what of a report is news and what things
	// cost: a report is bounded by the time there was for it, and the time of the last
	// command may be long ago in a quiet market.
	w.x.At(to)
}

// happen does what is due now.
func (w *world) happen() {
	if next, asked := w.x.Next(); asked && next <= w.now {
		w.do(trade.Command{Tick: &trade.Tick{}})
	}
	var ends []task.Status
	for _, k := range w.order {
		if s, over := w.runs[k].over(w.now); over {
			ends = append(ends, s)
		}
	}
	for _, k := range w.order {
		if r := w.runs[k]; w.holds && r.runsLow() {
			if _, over := r.over(w.now); !over {
				ends = append(ends, r.status())
			}
		}
	}
	if len(ends) > 0 {
		w.sendReport(ends)
	}
	for len(w.agenda) > 0 && w.agenda[0].at <= w.now && len(w.broken) == 0 {
		do := w.agenda[0].do
		w.agenda = w.agenda[1:]
		do()
	}
	if w.now >= w.nextSay {
		w.nextSay = w.now + w.report
		var said []task.Status
		for _, k := range w.order {
			said = append(said, w.runs[k].status())
		}
		w.sendReport(said)
	}
}

// sendReport lets the nodes report, each of its own tasks, what is worth a command.
func (w *world) sendReport(tasks []task.Status) {
	var news []task.Status
	for _, name := range w.nodes {
		var own, others []task.Status
		for i := range tasks {
			if r := w.runs[tasks[i].Key]; r != nil && r.node == name {
				own = append(own, tasks[i])
			} else if r != nil {
				lie := tasks[i]
				lie.State, lie.CPUUS = task.Ended, lie.CPUUS+1e9
				others = append(others, lie)
			}
		}
		if heard := w.x.News(name, others); len(heard) > 0 {
			w.fail("g", "node %s is heard on task %s, which is another's", name, heard[0].Key)
		}
		news = append(news, w.x.News(name, own)...)
		w.x.Observe(name, w.now, own)
	}
	for i := range tasks {
		if tasks[i].State.Final() {
			w.forget(tasks[i].Key)
		}
	}
	if len(news) > 0 {
		w.do(trade.Command{Report: &trade.Measured{Tasks: news}})
	}
}

func (w *world) forget(k task.Key) {
	delete(w.runs, k)
	if i := slices.Index(w.order, k); i >= 0 {
		w.order = slices.Delete(w.order, i, i+1)
	}
}

// do carries out a command, and lets nodes do what follows from it.
func (w *world) do(c trade.Command) (trade.Outcome, error) {
	o, err := w.x.Do(w.now, c)
	if err == nil && o.Job != nil && c.Submit != nil {
		w.does[o.Job.ID] = w.pending
	}
	fx := w.x.Effects()
	for i := range fx.Jobs {
		w.jobs[fx.Jobs[i].ID] = fx.Jobs[i]
	}
	for _, name := range fx.Nodes {
		w.obey(name)
	}
	for _, name := range fx.Reshared {
		w.obey(name)
	}
	if err == nil {
		w.noteQuotes(&c, &o)
	}
	w.check(&c, &fx)
	return o, err
}

// obey makes a node do what it is told.
func (w *world) obey(name string) {
	told := map[task.Key]bool{}
	for _, o := range w.x.Orders(name) {
		told[o.Spec.Key] = true
		r := w.runs[o.Spec.Key]
		if r == nil {
			r = &run{node: name, does: w.programFor(o.Spec.Key), began: w.now}
			w.runs[o.Spec.Key] = r
			i, _ := slices.BinarySearchFunc(w.order, o.Spec.Key, compareKeys)
			w.order = slices.Insert(w.order, i, o.Spec.Key)
			if r.does.work <= 0 {
				r.worked = w.now
			}
		}
		if !w.holds {
			o.MostUS = 0 // an agent of before does not know the word
		}
		r.order = o
		if o.Stop != task.GoOn && r.term == 0 {
			r.term = w.now
		}
	}
	for _, k := range slices.Clone(w.order) {
		if w.runs[k].node == name && !told[k] {
			w.forget(k)
		}
	}
}

func compareKeys(a, b task.Key) int {
	if a.Job != b.Job {
		return int(a.Job - b.Job)
	}
	if a.Rank != b.Rank {
		return a.Rank - b.Rank
	}
	return a.Attempt - b.Attempt
}

// programFor is what a task does: of an array, so much for each of its elements.
func (w *world) programFor(k task.Key) program {
	p := w.does[k.Job]
	if p.lead && k.Rank > 0 {
		return program{}
	}
	j := w.jobs[k.Job]
	if j.Request.Array != nil && !math.IsInf(p.work, 1) {
		lanes := max(1, j.Width)
		n := j.Request.Array.Len()
		p.work *= float64((n - k.Rank + lanes - 1) / lanes)
	}
	return p
}

func must(_ trade.Outcome, err error) {
	if err != nil {
		panic("adversary: " + err.Error()) // the stage is set wrong: no play is worth seeing
	}
}
