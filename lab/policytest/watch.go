package policytest

import (
	"fmt"
	"math"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// watcher follows the records of one run and says which promise was broken.
type watcher struct {
	world  *world
	nodeOf []int // by processor
	now    market.Time
	seq    int64
	jobs   map[market.JobID]*watched
	tasks  [][]market.Slice // by processor: the tasks that advance apart
	down   []bool
	errs   []string
}

// watched is what has been seen of one job.
type watched struct {
	spec     market.Job
	state    market.Kind
	queued   bool
	procs    market.Procs
	speed    float64
	reserved bool
	void     bool    // its user let it over-run
	apart    bool    // its tasks advance apart
	had      float64 // on each processor, since it last began
	since    market.Time
	promised market.Time // Never: nothing is
}

func newWatcher(w *world) *watcher {
	o := &watcher{world: w, jobs: map[market.JobID]*watched{}, down: make([]bool, len(w.nodes))}
	for i := range w.nodes {
		for range w.nodes[i].Processors {
			o.nodeOf = append(o.nodeOf, i)
		}
	}
	o.tasks = make([][]market.Slice, len(o.nodeOf))
	return o
}

func (o *watcher) fail(format string, args ...any) {
	o.errs = append(o.errs, fmt.Sprintf("at %v: ", o.now)+fmt.Sprintf(format, args...))
}

// see takes in a record. Whatever holds between instants is checked when the
// next one begins: within one, a plan is written line by line.
func (o *watcher) see(r *market.Record) {
	if r.At < o.now {
		o.fail("time runs back to %v", r.At)
	}
	if r.Seq != o.seq {
		o.fail("record %d has number %d", o.seq, r.Seq)
	}
	o.seq++
	if r.At > o.now {
		o.settled()
		o.now = r.At
	}
	switch r.Kind {
	case market.Submitted:
		o.jobs[r.Job] = &watched{spec: *r.Spec, state: market.Submitted, promised: market.Never}
	case market.NodeDown, market.NodeUp:
		o.down[r.Node] = r.Kind == market.NodeDown
		o.excuse(r.Kind)
	case market.Shared:
		o.tasks[r.Proc] = append(o.tasks[r.Proc][:0], r.Slices...)
		for _, s := range r.Slices {
			j := o.jobs[s.Job]
			j.apart = true
			if j.reserved && s.Speed != 0 {
				o.fail("job %d is only reserved and advances at %v", s.Job, s.Speed)
			}
		}
	case market.Queued, market.Accepted, market.Rejected, market.Granted, market.Evicted, market.Stopped, market.Completed:
		o.seeJob(r, o.jobs[r.Job])
	default: // of no consequence for a job
	}
}

// excuse lets the cluster off what it promised to those who wait, when it has
// lost a node: it promised as many nodes as it had.
func (o *watcher) excuse(kind market.Kind) {
	for _, j := range o.jobs {
		if kind == market.NodeDown && j.state == market.Queued {
			j.promised = market.Never
		}
	}
}

func (o *watcher) seeJob(r *market.Record, j *watched) {
	if j == nil {
		o.fail("job %d is %s and was never submitted", r.Job, r.Kind)
		return
	}
	if !follows(j.state, r.Kind) && !(j.reserved && r.Kind == market.Accepted) {
		o.fail("job %d is %s after %s", r.Job, r.Kind, j.state)
	}
	j.state = r.Kind
	switch r.Kind {
	case market.Queued:
		j.queued = true
		if r.Firm && !j.void {
			j.promised = r.Finish
		}
	case market.Accepted:
		j.had, j.since, j.speed = 0, o.now, 0
		j.reserved = !r.Start.Finite()
		j.procs = append(market.Procs(nil), r.Procs...)
		if j.procs.Len() != int(j.spec.Width) {
			o.fail("job %d wants %d processors and is given %d", r.Job, j.spec.Width, j.procs.Len())
		}
		if r.Firm && !j.void {
			j.promised = r.Finish
		}
	case market.Granted:
		if j.reserved {
			o.fail("job %d is only reserved and is granted %v", r.Job, r.Speed)
		}
		j.had += float64(o.now-j.since) * j.speed
		j.speed, j.since = r.Speed, o.now
		j.procs = append(j.procs[:0], r.Procs...)
	case market.Completed:
		o.completed(r, j)
		j.procs = nil
	default: // evicted or at its end: it holds nothing, and nothing is promised
		j.procs, j.speed, j.had, j.promised = nil, 0, 0, market.Never
	}
}

// follows are the ways of a job through the house. Ends have no successor.
func follows(before, after market.Kind) bool {
	switch before {
	case market.Submitted:
		return after == market.Queued || after == market.Accepted || after == market.Rejected
	case market.Queued:
		return after == market.Granted || after == market.Rejected || after == market.Stopped
	case market.Accepted, market.Granted:
		return after == market.Granted || after == market.Completed || after == market.Stopped || after == market.Evicted
	case market.Evicted:
		return after == market.Queued || after == market.Accepted || after == market.Stopped
	default:
		return false
	}
}

func (o *watcher) completed(r *market.Record, j *watched) {
	// With exact estimates a firm promise is kept; after the loss of a node it
	// was given anew, or the job was stopped.
	if o.world.exact && r.Finish.After(j.promised) {
		o.fail("job %d was promised for %v", r.Job, j.promised)
	}
	// Who drops the hopeless starts nobody in vain; on unequal nodes hope is
	// for the fastest.
	if o.world.exact && o.world.even && o.world.set["late"] == "hopeless" && r.Finish.After(j.spec.Due()) {
		o.fail("job %d was started in vain: it was due at %v", r.Job, j.spec.Due())
	}
	if j.apart {
		return
	}
	actual := float64(o.world.jobs[r.Job].Actual)
	had := j.had + float64(o.now-j.since)*j.speed
	if math.Abs(had-actual) > 1e-5 {
		o.fail("job %d is done after %v of %v s of work", r.Job, had, actual)
	}
}

// settled checks what holds from this instant to the next.
func (o *watcher) settled() {
	used := make([]float64, len(o.nodeOf)) // share of each processor
	holders := make([]int, len(o.nodeOf))
	alone := make([]bool, len(o.nodeOf))
	memory, disk := make([]int64, len(o.down)), make([]int64, len(o.down))
	gpus := make([]map[market.JobID]int, len(o.down)) // by node and job: processors of jobs that hold some
	hold := func(proc int, j *watched, speed float64) {
		node := o.nodeOf[proc]
		used[proc] += speed / o.world.nodes[node].Rating
		holders[proc]++
		alone[proc] = alone[proc] || j.queued && !o.world.kind.TimeShared
		memory[node] += j.spec.Memory
		disk[node] += j.spec.Disk
		if j.spec.GPUs > 0 {
			if gpus[node] == nil {
				gpus[node] = map[market.JobID]int{}
			}
			gpus[node][j.spec.ID]++
		}
		if o.down[node] {
			o.fail("job %d is on node %d, which is down", j.spec.ID, node)
		}
	}
	for id := range market.JobID(len(o.jobs)) { // in order: sums of floats depend on it
		j := o.jobs[id]
		o.inSets(j)
		if !j.apart {
			for proc := range j.procs.All() {
				hold(proc, j, j.speed)
			}
		}
	}
	for proc, slices := range o.tasks {
		for _, s := range slices {
			j := o.jobs[s.Job]
			hold(proc, j, s.Speed)
			if !j.procs.Has(proc) {
				o.fail("job %d has a task on processor %d and does not hold it", s.Job, proc)
			}
		}
	}
	for proc := range used {
		if used[proc] > 1+1e-6 {
			o.fail("processor %d gives %v of itself", proc, used[proc])
		}
		if alone[proc] && holders[proc] > 1 {
			o.fail("processor %d is held alone by %d jobs", proc, holders[proc])
		}
		if alone[proc] && used[proc] <= 0 {
			o.fail("processor %d is held by a job that stands still", proc)
		}
	}
	for node := range memory {
		if n := &o.world.nodes[node]; memory[node] > n.Memory || disk[node] > n.Disk {
			o.fail("node %d has %d MB of memory and %d of disk, %d and %d are in use", node, n.Memory, n.Disk, memory[node], disk[node])
		}
		o.gpusOn(node, gpus[node])
	}
}

// gpusOn checks that the GPUs of a node are held whole, by one program each, and are of
// the kind that was asked for.
func (o *watcher) gpusOn(node int, holders map[market.JobID]int) {
	n, held, named := &o.world.nodes[node], 0, map[string]int{}
	for id, processors := range holders {
		j := &o.jobs[id].spec
		threads := int(max(1, j.Threads))
		its := (processors + threads - 1) / threads * int(j.GPUs)
		held += its
		if named[j.GPUKind] += its; j.GPUKind != "" && n.OfKind(j.GPUKind) < int64(named[j.GPUKind]) {
			o.fail("job %d asked for GPUs of kind %q and is on node %d, which has %q for %d of them", id, j.GPUKind, node, n.GPUKind, named[j.GPUKind])
		}
	}
	if held > n.GPUs {
		o.fail("node %d has %d GPUs, %d are in use", node, n.GPUs, held)
	}
}

// inSets checks that the threads of a job share nodes, on which it may be.
func (o *watcher) inSets(j *watched) {
	for proc := range j.procs.All() {
		if node := o.nodeOf[proc]; !j.spec.Where.Takes(&o.world.nodes[node]) || !j.spec.Where.Admits(&o.world.nodes[node]) {
			o.fail("job %d is on node %d, which it may not be on: %+v", j.spec.ID, node, j.spec.Where)
		}
	}
	if j.spec.Threads <= 1 && !j.spec.Spread {
		return
	}
	on := map[int]int{}
	for proc := range j.procs.All() {
		on[o.nodeOf[proc]]++
	}
	for node, n := range on {
		if j.spec.Whole(n) != n {
			o.fail("job %d has %d processors on node %d, its programs have %d threads", j.spec.ID, n, node, j.spec.Threads)
		}
	}
}

// report says what was wrong, when all is over.
func (o *watcher) report(t *testing.T) {
	t.Helper()
	o.close()
	for i, e := range o.errs {
		if i == 5 {
			t.Errorf("... and %d more", len(o.errs)-i)
			break
		}
		t.Errorf("%v: %s", o.world, e)
	}
}

// close checks what holds when all is over: every job has come to an end.
func (o *watcher) close() {
	o.settled()
	for id := range market.JobID(len(o.world.jobs)) {
		switch j := o.jobs[id]; {
		case j == nil:
			o.fail("job %d was never submitted", id)
		case j.state != market.Completed && j.state != market.Rejected && j.state != market.Stopped:
			o.fail("job %d is left %s", id, j.state)
		}
	}
}
