package slurm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// runKey is one attempt of one job: what one Slurm job is made for.
type runKey struct {
	job     int64
	attempt int
}

func (k runKey) String() string { return string(k.append(nil)) }

func (k runKey) append(b []byte) []byte {
	b = append(strconv.AppendInt(b, k.job, 10), '.')
	return strconv.AppendInt(b, int64(k.attempt), 10)
}

func parseRunKey(text string) (runKey, error) {
	job, attempt, _ := strings.Cut(text, ".")
	id, err := strconv.ParseInt(job, 10, 64)
	n, err2 := strconv.Atoi(attempt)
	if err == nil && err2 == nil {
		var as [48]byte
		if k := (runKey{id, n}); string(k.append(as[:0])) == text {
			return k, nil
		}
	}
	return runKey{}, fmt.Errorf("%q is not an attempt of a job (want job.attempt)", text)
}

// binding is which job in Slurm a run is, of whom and where.
type binding struct {
	User      string   `json:"user"`
	Nodes     []string `json:"nodes"`                 // each once
	ID        int64    `json:"id,omitempty"`          // in Slurm; 0: not known
	Submitted int64    `json:"submitted_s,omitempty"` // as Slurm says; 0: not known
	BornUS    int64    `json:"born_us,omitempty"`     // as in its Spec; 0: not known

	Requeue  bool `json:"requeue,omitempty"`  // its user may put it back into the queue
	Returns  bool `json:"returns,omitempty"`  // the same of each element of an array: array_back.go
	Restarts int  `json:"restarts,omitempty"` // how often that was done before it was let go
}

// note is what is durable of a run before it may start.
type note struct {
	binding
	Released bool `json:"released,omitempty"` // it may have started

	Done map[int]finish `json:"done,omitempty"` // elements of an array that have ended

	// Why it is ended in Slurm, where that is not its user's wish, or the market's.
	Lost   string `json:"lost,omitempty"`
	Unfit  bool   `json:"unfit,omitempty"`
	Barred string `json:"barred,omitempty"`
}

// cutShort reports whether it is ended in Slurm for a reason of its own.
func (n *note) cutShort() bool { return n.Lost != "" || n.Barred != "" }

// run is all that is known of one attempt of a job.
type run struct {
	key    runKey
	size   int
	grace  time.Duration      // between asking it to end and ending it
	orders map[int]task.Order // by rank: what the market wants
	places []string           // the node of each rank; none: no order has come yet
	gpus   int                // of each rank
	within string             // the reservation that it is in; empty: in none
	qos    string             // that it named; empty: none

	binding
	nonce  string
	state  state
	note   durability
	misfit *misfit // what happened last that cannot

	sentAt time.Time // when it was handed in last, or may have been
	acted  time.Time // when something was last done to it: listings begun before do not count
	tried  time.Time // when something was last tried that did not help
	busy   bool      // an action is under way

	job     *client.Job // as it was listed last; nil: it was not
	first   int64       // when Slurm said first that it had started it; 0: it has not
	asOf    time.Time   // when that listing was begun
	vouched time.Time   // when Slurm last said that the number is its own
	missing time.Time   // since when good listings do not have it; zero: they do
	misses  int

	array    array
	tallied  tallied
	statuses map[int]task.Status // by rank: what agents say of this Slurm job
	restored time.Time           // when it was read back: agents have not spoken yet
	began    time.Time           // when an agent first saw processes of it
	empty    time.Time           // since when agents say that none of them is left; zero: they do not

	asked     time.Time    // when slurmctld last said since when it runs: see doubtful
	about     client.State // as the job was then
	shunned   bool         // Slurm does not start it where it was sold
	shunnedAt time.Time    // since when it says so
	avoids    bool         // so it is to be moved
	short     time.Time    // since when there are not the licences that it asks for; zero: nobody has found that
	licensed  bool         // its licences, where it has any, are kept for it
	armed     bool         // it is known how often it was put back before it was let go
	back      *putBack     // its user has put it back; nil: nobody knows that
	counted   stand        // as it stood when it was last asked whether it was put back, and was not
	ranOnce   bool         // and it was, before it was cancelled: so it has begun
	orphan    bool         // its agents were told to end what is left of it
	lost      string       // why it has to begin anew, once Slurm has ended it
	unfit     bool         // and it never can: so it is refused
	barred    string       // why what is left of it cannot begin, which is no fault of the market's
	cut       bool         // why it is ended is written down
	stop      stopState    // how far its end was asked for
	stopped   time.Time    // since when
	end       *ending      // how it ended
}

// ending is how a run ended, seen at a time.
type ending struct {
	verdict
	at time.Time

	weighed, believed bool // that it never began, where nobody measured it: see weigh
}

// ends notes how it ended.
func (r *run) ends(v verdict, now time.Time) {
	r.on(finished)
	r.end, r.tried = &ending{verdict: v, at: now}, time.Time{}
}

// restore makes it what a note says that an earlier backend has written.
func (r *run) restore(n note, now time.Time) {
	r.binding, r.note, r.restored = n.binding, durable, now
	r.array.done = n.Done
	if r.lost, r.unfit, r.barred = n.Lost, n.Unfit, n.Barred; n.cutShort() {
		r.stop, r.stopped = terminated, now // Slurm may have been told
	}
	switch {
	case n.ID == 0:
		r.state, r.sentAt = unconfirmed, now
	case n.Released:
		r.state, r.armed = releasing, true
	default:
		r.state = held
	}
}

// newRun makes a run known, of a job that was submitted to the market at a time.
func (b *Backend) newRun(key runKey, bornUS int64) *run {
	r := &run{key: key, nonce: b.nonce(key, bornUS), orders: map[int]task.Order{}, statuses: map[int]task.Status{}}
	r.BornUS = bornUS
	b.runs[key] = r
	b.attempts[key.job] = append(b.attempts[key.job], r)
	r.tallied.sums = &b.gate.sums
	r.moved()
	return r
}

// complete reports whether all tasks of the job are wanted.
func (r *run) complete() bool { return r.size > 0 && len(r.orders) == r.size }

// wantedStop is how the market wants it to end.
func (r *run) wantedStop() task.Stop {
	how := task.GoOn
	for _, o := range r.orders {
		if o.Stop == task.Kill || how == task.GoOn {
			how = o.Stop
		}
		if how == task.Kill {
			break
		}
	}
	return how
}

// goesOnAs takes in what is wanted of a task whose order was taken in before, and is about the very
// same: no more than its share is another. It reports whether that was all.
func (r *run) goesOnAs(w *dispatch.Want) bool {
	o, known := r.orders[w.Spec.Rank]
	if !known || o.Stop != w.Stop || r.state == reported {
		return false
	}
	if o.CPU == w.CPU && o.Weight == w.Weight && o.Processor == w.Processor && o.MostUS == w.MostUS && slices.Equal(o.More, w.More) {
		return true // as for most: who comes shares a processor with few, and orders are large
	}
	o.CPU, o.Weight, o.Processor, o.More, o.MostUS = w.CPU, w.Weight, w.Processor, w.More, w.MostUS
	r.orders[w.Spec.Rank] = o
	return true
}

// setOrder takes an order in.
func (r *run) setOrder(o *task.Order) {
	if _, known := r.orders[o.Spec.Rank]; !known && r.state == reported {
		r.on(reordered)
	}
	r.moved()
	r.orders[o.Spec.Rank], r.places, r.gpus, r.within, r.qos = *o, o.Spec.Nodes, o.Spec.GPUs, o.Spec.Within, o.Spec.QOS
	r.grace = time.Duration(o.Spec.GraceMS) * time.Millisecond
	if r.size == 0 {
		r.size = o.Spec.Size
	}
	r.Requeue = requeues(&o.Spec)
	if len(r.Nodes) == 0 {
		r.User = o.Spec.User
		r.Nodes = slices.Clone(o.Spec.Nodes)
		slices.Sort(r.Nodes)
		r.Nodes = slices.Compact(r.Nodes)
	}
}

// standing reports whether the agents hold a place for every task.
func (r *run) standing() bool {
	for rank := range r.size {
		if s, here := r.statuses[rank]; !here || s.State == task.Lost {
			return false
		}
	}
	return true
}

// used reports whether an agent has seen processes of the Slurm job.
func (r *run) used() bool { return !r.began.IsZero() }

// alive reports whether processes of the Slurm job go on, as far as agents know.
// After a start they have a while to say so.
func (r *run) alive(now time.Time) bool {
	for _, s := range r.statuses {
		if s.State == task.Running && s.EndedUS == 0 {
			return true
		}
	}
	return len(r.statuses) == 0 && now.Sub(r.restored) < quiet
}

// emptied reports whether the agents have seen the last of its processes end.
func (r *run) emptied() bool {
	for rank := range r.size {
		if s, here := r.statuses[rank]; !here || s.EndedUS == 0 {
			return false
		}
	}
	return true
}

// observe takes in what an agent says of one of its tasks.
func (r *run) observe(s *task.Status, now time.Time) {
	if r.began.IsZero() && (s.CPUUS > 0 || s.State == task.Running) {
		r.began = now
	}
	r.statuses[s.Rank] = *s
	if !r.emptied() {
		r.empty = time.Time{}
	} else if r.empty.IsZero() {
		r.empty = now
	}
}

// isOn reports whether a task of the run is a node's. Before its orders have come
// again after a start, the nodes are known and not yet which has what.
func (r *run) isOn(rank int, node string) bool {
	if len(r.places) == 0 {
		return rank >= 0 && slices.Contains(r.Nodes, node)
	}
	return rank >= 0 && rank < len(r.places) && r.places[rank] == node
}

// batch is the number in Slurm as agents know it.
func (r *run) batch() string { return strconv.FormatInt(r.ID, 10) }

// forget forgets the Slurm job: there is none of that number any more.
func (r *run) forget() {
	r.on(vanished)
	if r.note == durable {
		r.note = attempted
	}
	r.ID, r.Submitted, r.vouched = 0, 0, time.Time{}
	r.job, r.first, r.missing, r.misses = nil, 0, time.Time{}, 0
	r.stop, r.stopped, r.tried = goesOn, time.Time{}, time.Time{}
	clear(r.statuses)
	r.array = array{}
	r.armed, r.Restarts, r.back, r.counted, r.ranOnce = false, 0, nil, stand{}, false
	r.began, r.empty = time.Time{}, time.Time{}
}
