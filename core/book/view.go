package book

import "github.com/libra-market/libra/core/market"

// View is all that a policy can know: a read-only window on the book. It is a
// pointer in disguise and costs nothing to hand around.
type View struct{ b *Book }

// Cause says what happened since the last plan.
type Cause uint8

// The causes of a plan.
const (
	Arrived  Cause = 1 << iota // a job came to the door, whatever was said to it
	Placed                     // a job was put on processors
	Departed                   // a job, or a task of one, is gone
	Measured                   // a job has had more or less than it was granted
	Woke                       // the time a policy asked for has come
	NodesChanged
)

// Now is the instant at which the policy is asked.
func (v View) Now() market.Time { return v.b.now }

// Cause is what happened since the last plan.
func (v View) Cause() Cause { return v.b.cause }

// Processors counts the processors of the cluster, up or down.
func (v View) Processors() int { return len(v.b.nodeOf) }

// NodeOf is the number of a processor's node.
func (v View) NodeOf(proc int) int32 { return v.b.nodeOf[proc] }

// Node is what the node of a processor is like. Nodes that are alike may be one and the same.
func (v View) Node(proc int) *market.Node { return v.b.nodes.At(int(v.b.nodeOf[proc])) }

// Ratings are the ratings of all processors; nil means that all are 1.
func (v View) Ratings() []float64 { return v.b.rating }

// Rating is the rating of one processor.
func (v View) Rating(proc int) float64 {
	if v.b.rating == nil {
		return 1
	}
	return v.b.rating[proc]
}

// Up reports whether the node of a processor is up.
func (v View) Up(proc int) bool { return !v.b.shut(v.b.nodeOf[proc]) }

// CouldHold reports whether the empty cluster, every node up, could hold the
// job: enough processors with the memory, the disk and the GPUs it asks for.
func (v View) CouldHold(j *market.Job) bool { return v.b.couldHold(j) }

// AllRoom reports whether every processor has room for the job whatever else
// runs: the common case, worth asking once instead of for each processor.
func (v View) AllRoom(j *market.Job) bool {
	return v.b.upN == len(v.b.nodeOf) && v.b.only == nil && !v.b.needs(j)
}

// Room reports whether a processor is up and its node has memory, disk and GPUs left
// for a task of the job.
func (v View) Room(proc int, j *market.Job) bool {
	return (v.b.only == nil || v.b.only.has(proc)) && v.b.room(proc, j)
}

// FreeOn is the memory and the disk left on the node of a processor.
func (v View) FreeOn(proc int) (memory, disk int64) { return v.b.free(int(v.b.nodeOf[proc])) }

// RoomOn is for how many tasks of the job the node of a processor has memory, disk and
// GPUs left, and for how many it would have if it were empty; for none if it is set aside
// for others.
func (v View) RoomOn(proc int, j *market.Job) (now, ever int) {
	node := int(v.b.nodeOf[proc])
	if v.b.kept(node, j) {
		return 0, 0
	}
	return v.b.roomNow(node, j), v.b.roomEver(node, j)
}

// Entry is what the book says of a job. It is for reading.
func (v View) Entry(s Slot) *Entry { return v.b.slots.at(s) }

// Waiting counts the jobs in the queue.
func (v View) Waiting() int { return v.b.queue.n }

// Head is the waiting job of the smallest rank.
func (v View) Head() (Slot, bool) {
	if v.b.queue.n == 0 {
		return NoSlot, false
	}
	return v.b.queue.head(&v.b.slots), true
}

// Late appends the waiting jobs whose latest start has passed.
func (v View) Late(late []Slot) []Slot { return v.b.latestBefore(v.b.now-market.TimeSlack, late) }

// Lapsed appends the waiting jobs whose latest start has come.
func (v View) Lapsed(lapsed []Slot) []Slot { return v.b.latestBefore(v.b.now+market.TimeSlack, lapsed) }

// NextLatest is the first latest start of all waiting jobs.
func (v View) NextLatest() market.Time {
	next := market.Never
	if items := v.b.queue.latest.items; len(items) > 0 {
		next = market.Time(items[0].key)
	}
	for _, s := range v.b.queue.fresh {
		next = min(next, v.b.slots.at(s).Terms.Latest)
	}
	return next
}

// Aside reports whether some nodes are set aside for reservations.
func (v View) Aside() bool { return v.b.aside }

// Idle counts the processors that nobody is on.
func (v View) Idle() int { return v.b.idleN }

// HasIdle reports whether there are so many idle processors that the job could be given.
func (v View) HasIdle(j *market.Job, n int) bool { return v.b.idleFor(j, n) >= n }

// Choosy reports whether not every processor will do for the job: it asks for
// memory or disk that is counted here or for GPUs, or has threads.
func (v View) Choosy(j *market.Job) bool { return v.b.choosy(j) }

// FirstFit returns the first waiting job in rank that fits on the idle
// processors and either ends within the window or is no wider than extra; of those
// who came since the last plan, if only they are asked for.
func (v View) FirstFit(idle int, window market.Time, extra int, onlyNew bool) Slot {
	if onlyNew {
		return v.b.queue.freshFit(&v.b.slots, NoSlot, idle, within(window), extra)
	}
	return v.b.queue.firstFit(&v.b.slots, idle, window, extra)
}

// OnlyNew reports whether since the last plan nothing has happened but that jobs
// came and wait: where the others have stood, they still stand.
func (v View) OnlyNew() bool { return v.b.steady && v.b.cause == Arrived }

// Came lists the jobs that came to wait since the last plan; some may have left again.
func (v View) Came() []Slot { return v.b.queue.came }

// Waits reports whether the job on a slot waits.
func (v View) Waits(s Slot) bool { return v.b.slots.at(s).state == waiting }

// Here reports whether the job on a slot waits or runs, and has not gone.
func (v View) Here(s Slot) bool { return v.b.slots.at(s).state != free }

// Reservations counts the jobs that only keep their places.
func (v View) Reservations() int { return v.b.Reservations() }

// IsNew reports whether a waiting job has come since the last plan.
func (v View) IsNew(s Slot) bool { return v.b.slots.at(s).fresh }

// Shadow is the first instant at which the jobs that hold processors alone
// will have left enough of them idle for the job, if they end as estimated (a
// job past its estimate ends now), and how many will be idle then.
func (v View) Shadow(j *market.Job) (at market.Time, idle int) {
	if v.b.choosy(j) {
		return v.b.shadowWithRoom(j)
	}
	at, ok := v.b.ends.reach(int64(int(j.Width) - v.b.idleN))
	if !ok {
		return market.Never, v.b.idleN
	}
	at = max(v.b.now, at)
	return at, v.b.idleN + int(v.b.ends.by(at+market.TimeSlack))
}

// NextIdle is the first idle processor from a number on, or -1.
func (v View) NextIdle(from int) int { return v.b.idle.next(from) }

// Alike reports whether every processor that is up will do for the job as far as
// memory, disk, GPUs and threads go, and none of them is closed to it.
func (v View) Alike(j *market.Job) bool {
	return v.b.only == nil && v.b.closedN == 0 && !v.b.choosy(j)
}

// Confined reports whether only some processors count: those of a job that would have more of them.
func (v View) Confined() bool { return v.b.only != nil }

// OneRate reports whether all nodes sell at the same rates.
func (v View) OneRate() bool { return !v.b.rates }

// IsIdle reports whether nobody is on a processor that is up.
func (v View) IsIdle(proc int) bool { return v.b.idle.has(proc) }

// Uneven reports whether some waiting job is choosy, so that idle processors are
// not all alike.
func (v View) Uneven() bool { return v.b.queue.choosy > 0 }

// InOrder lists all waiting jobs by rank. It costs what it lists: it is for
// the few cases in which no index helps.
func (v View) InOrder() []Slot { return v.b.inOrder() }

// Running lists the jobs that hold processors, in no particular order.
func (v View) Running() []Slot { return v.b.running }

// Place is where a job is in that list.
func (v View) Place(s Slot) int32 { return v.b.slots.at(s).at }

// Tasks lists the independent tasks on a processor: the hard ones, then the
// soft ones, each in the order in which they were accepted.
func (v View) Tasks(proc int) []Task {
	if v.b.tasks == nil {
		return nil
	}
	return v.b.tasks[proc]
}

// Pile is what the independent tasks on a processor amount to.
func (v View) Pile(proc int) *Pile {
	if v.b.tasks == nil {
		return &emptyPile
	}
	p := &v.b.piles[proc]
	if !p.counted {
		p.count(v.b.tasks[proc])
	}
	return p
}

var emptyPile = pileOf(nil)

// Version changes whenever the tasks on a processor, or their speeds, do: what
// was worked out from them may be kept until then. It is never 0.
func (v View) Version(proc int) uint32 { return v.b.versions[proc] }

// Touched lists the processors whose tasks changed since the last plan.
func (v View) Touched() []int32 { return v.b.touched }

// Touch says how they changed.
func (v View) Touch(proc int) Touch { return v.b.isTouch[proc] }

// latestBefore appends the waiting jobs whose latest start is before a time.
func (b *Book) latestBefore(at market.Time, found []Slot) []Slot {
	for _, s := range b.queue.fresh {
		if b.slots.at(s).Terms.Latest < at {
			found = append(found, s)
		}
	}
	return b.latestFrom(0, at, found)
}

// latestFrom walks the heap of latest starts from one of its places down.
func (b *Book) latestFrom(i int, at market.Time, found []Slot) []Slot {
	items := b.queue.latest.items
	if i >= len(items) || market.Time(items[i].key) >= at {
		return found
	}
	if b.queue.still(items[i]) {
		found = append(found, items[i].slot)
	}
	return b.latestFrom(2*i+2, at, b.latestFrom(2*i+1, at, found))
}
