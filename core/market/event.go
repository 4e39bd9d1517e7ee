package market

// Kind says what an [Event] is. Kinds up to lastInput come from outside, the
// others but Fulfilled are the cluster's own.
type Kind uint8

// What can happen, from outside.
const (
	// Submitted: a job is at the door. Spec is the job.
	Submitted Kind = iota + 1
	// Reserved: a quote asks to be kept. Spec is the job: it is answered as if
	// it had been submitted now, but does not run, and its deadline does not
	// begin, before it is Confirmed.
	Reserved
	// Confirmed: a job that was reserved is an ordinary job from now on.
	Confirmed
	// Finished: a job ran to its end, or its task on processor Proc did where
	// that is not AllTasks. Work is what it really took on each processor.
	Finished
	// Cancelled: its user took a job, or a reservation, back.
	Cancelled
	// Used: a measurement. Work is what the job has had on each processor, or
	// its task on processor Proc where that is not AllTasks. Presumed says that
	// nobody has measured it: until somebody does, the job needs no more than was
	// kept for it, whatever its deadline.
	Used
	// Extended: a running job asks for more than its estimate by the deadline
	// it has. Work is the further work on each processor, Price the most that
	// may be asked for it. The answer is Prolonged or Overran.
	Extended
	// Released: what was promised to a running job is void: it goes on, behind
	// those to whom something is promised.
	Released
	// Dislodged: a running job has lost its progress, though its nodes stand: it
	// begins again, like one whose node is lost. Node, counted from 1, is the one that
	// lost it, and gets it again only if no other can take it; 0: any may.
	Dislodged
	// NodeDown and NodeUp: Node is gone, or back.
	NodeDown
	NodeUp
	// Woken: the time asked for by Wake has come.
	Woken

	lastInput = Woken
)

// What can happen, from the cluster.
const (
	// Queued: the job waits; nothing is promised yet.
	Queued Kind = lastInput + 1 + iota
	// Accepted: the job has a promise: Price, and Finish if one is predicted.
	// It is said of a reservation that is kept, with Start at Never, and again
	// when that is confirmed.
	Accepted
	// Rejected: the job never ran and never will; Reason says why.
	Rejected
	// Granted: from now on the job, which advances as one, does so at Speed,
	// work per second; Procs is what it holds. Of one that waited and whose
	// tasks advance each on its own: it begins, standing still, on Procs.
	Granted
	// Shared: from now on the tasks on processor Proc, which advance each on
	// its own, do so as Slices says: all of them are in it, and no others. One
	// that is only reserved stands still.
	Shared
	// Evicted: the job lost its processors and its progress with a node; what
	// becomes of it follows: Queued, Accepted or Stopped.
	Evicted
	// Stopped: the job no longer runs and did not finish; Reason says why.
	Stopped
	// Completed: the job ran to its end; Price is its cost, Start when it
	// first got processor time, Work what it used on each processor.
	Completed
	// Prolonged: the job may have further work: Work is its estimate now, Price
	// what the further work costs beside the price promised, Finish what is
	// promised as before.
	Prolonged
	// Overran: the job may not have the further work it asked for, and goes on
	// as before; Reason says why, and Price what it would have cost where the
	// price alone was in the way.
	Overran
	// Wake: the cluster asks for Woken at Finish.
	Wake
)

// Fulfilled comes from outside: the mandatory part of a job whose tasks advance
// apart is done, or that of its task on processor Proc where that is not
// AllTasks; what follows of it is optional. Work is what the mandatory part took
// on each processor.
//
// It comes last because the numbers of the others are in the sums of old logs.
const Fulfilled Kind = Wake + 1

// NodeClosed and NodeOpened come from outside: Node takes no new jobs, and those it has
// run on; or it takes them again.
//
// NodeWithheld comes from outside: Proc is how many GPUs of Node are somebody else's from
// now on, who is none of the market's.
const (
	NodeClosed Kind = Fulfilled + 1 + iota
	NodeOpened
	NodeWithheld
)

var kinds = [...]string{
	"", "submitted", "reserved", "confirmed", "finished", "cancelled", "used", "extended", "released", "dislodged",
	"node-down", "node-up", "woken",
	"queued", "accepted", "rejected", "granted", "shared", "evicted", "stopped", "completed", "prolonged", "overran", "wake",
	"fulfilled", "node-closed", "node-opened", "node-withheld",
}

func (k Kind) String() string { return kinds[k] }

// Input reports whether events of this kind come from outside.
func (k Kind) Input() bool { return k <= lastInput || k >= Fulfilled }

// AllTasks stands for the whole of a job that advances as one.
const AllTasks int32 = -1

// Event is one thing that happened. It is plain data of one size, so that a
// stream of them costs no allocation; the comment of each kind names the
// fields it uses beside Job.
//
// Spec, Procs and Slices point into the book of the cluster: they hold until the next
// step, and whoever keeps an event copies what it needs of them.
type Event struct {
	Kind   Kind
	Reason Reason
	Firm   bool

	Presumed bool // of Used

	Proc   int32 // a processor of the cluster, or AllTasks
	Slot   int32 // where the job sits in the book while it lives
	Node   int32
	Job    JobID
	Start  Time
	Finish Time
	Speed  float64
	Work   Work
	Price  Price
	Spec   *Job
	Procs  Procs
	Slices []Slice
}

// Slice is one task's part of a processor.
type Slice struct {
	Job   JobID
	Speed float64 // work per second
	Slot  int32
}

// Record is an event in its place. The log of a cluster, live or simulated, is
// a sequence of these.
type Record struct {
	Seq int64
	At  Time
	*Event
}
