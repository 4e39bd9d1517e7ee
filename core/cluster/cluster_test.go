package cluster_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
)

// open makes a cluster of plain nodes under a policy.
func open(t *testing.T, nodes int, name string, set map[string]string) *cluster.Cluster {
	t.Helper()
	kind, err := policy.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := kind.New(set)
	if err != nil {
		t.Fatal(err)
	}
	c, err := cluster.New(market.PlainNodes(nodes), p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func job(id market.JobID, submit market.Time, estimate market.Work, deadline market.Time) *market.Job {
	return &market.Job{
		ID: id, Submit: submit, Estimate: estimate, Width: 1, SLA: market.SLA{Deadline: deadline, Budget: 1000},
	}
}

func submitted(j *market.Job) market.Event {
	return market.Event{Kind: market.Submitted, Job: j.ID, Spec: j}
}

// step lets things happen and returns what was said, but for wake-ups, with
// what it points to copied.
func step(t *testing.T, c *cluster.Cluster, at market.Time, happened ...market.Event) []market.Event {
	t.Helper()
	said, err := c.Step(at, happened)
	if err != nil {
		t.Fatalf("at %v: %v", at, err)
	}
	var kept []market.Event
	for _, e := range said {
		if e.Kind != market.Wake {
			e.Spec, e.Procs, e.Slices = nil, append(market.Procs(nil), e.Procs...), append([]market.Slice(nil), e.Slices...)
			kept = append(kept, e)
		}
	}
	return kept
}

// words lists kinds and jobs, as in "accepted 0, granted 0".
func words(events []market.Event) string {
	var w []string
	for _, e := range events {
		w = append(w, e.Kind.String()+" "+string('0'+rune(e.Job)))
	}
	return strings.Join(w, ", ")
}

func TestAClusterNeedsSoundNodes(t *testing.T) {
	bad := market.Plain()
	bad.Rating = 0
	huge := market.Plain()
	huge.Processors = market.MaxWidth
	for name, nodes := range map[string][]market.Node{"none": nil, "bad": {bad}, "too many": {huge, huge}} {
		if _, err := cluster.New(nodes, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// What a driver gets wrong is an error that says what, and changes nothing:
// neither time nor anything that came with it in the same step.
func TestADriversMistakesChangeNothing(t *testing.T) {
	nan := market.Time(math.NaN())
	for _, c := range []struct {
		name     string
		at       market.Time
		happened market.Event
		want     error
	}{
		{"the same job twice", 6, submitted(job(0, 6, 1, 10)), cluster.ErrDuplicateJob},
		{"an unknown job is done", 6, market.Event{Kind: market.Finished, Job: 7}, cluster.ErrUnknownJob},
		{"an unknown job is cancelled", 6, market.Event{Kind: market.Cancelled, Job: 7}, cluster.ErrUnknownJob},
		{"an unknown job is measured", 6, market.Event{Kind: market.Used, Job: 7}, cluster.ErrUnknownJob},
		{"a job with a number that never was", 6, market.Event{Kind: market.Finished, Job: -1}, cluster.ErrUnknownJob},
		{"an unknown node fails", 6, market.Event{Kind: market.NodeDown, Node: 2}, cluster.ErrUnknownNode},
		{"a negative node comes back", 6, market.Event{Kind: market.NodeUp, Node: -1}, cluster.ErrUnknownNode},
		{"time runs back", 4, market.Event{Kind: market.Woken}, cluster.ErrTimeRunsBack},
		{"a time that is none", nan, market.Event{Kind: market.Woken}, cluster.ErrTimeRunsBack},
		{"a job that makes no sense", 6, submitted(&market.Job{ID: 9}), nil},
		{"an event of the cluster's own", 6, market.Event{Kind: market.Granted}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{"libra", "fcfs-bf", "libra-sla"} {
				a, b := open(t, 2, name, nil), open(t, 2, name, nil)
				for _, x := range []*cluster.Cluster{a, b} {
					step(t, x, 0, submitted(job(0, 0, 10, 20)))
					step(t, x, 5, submitted(job(1, 5, 10, 20)))
				}
				arrival := submitted(job(2, 6, 10, 20))
				if _, err := a.Step(c.at, []market.Event{arrival, c.happened}); err == nil || c.want != nil && !errors.Is(err, c.want) {
					t.Fatalf("%s: error %v, want %v", name, err, c.want)
				}
				got, want := step(t, a, 5.5, arrival), step(t, b, 5.5, arrival)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: after the mistake\n%v, want\n%v", name, got, want)
				}
			}
		})
	}
}

// Two jobs of one number in one step are the same mistake as in two.
func TestTheSameJobTwiceInOneStepIsAnError(t *testing.T) {
	for _, name := range []string{"libra", "fifo"} {
		c := open(t, 2, name, nil)
		first, second := submitted(job(3, 0, 10, 20)), submitted(job(3, 0, 10, 20))
		if _, err := c.Step(0, []market.Event{first, second}); !errors.Is(err, cluster.ErrDuplicateJob) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A job said to be done twice in one instant is done once.
func TestAJobIsDoneOnce(t *testing.T) {
	c := open(t, 1, "libra", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	done := market.Event{Kind: market.Finished, Job: 0, Proc: market.AllTasks, Work: 10}
	if got := words(step(t, c, 10, done, done)); got != "completed 0" {
		t.Error(got)
	}
}

// A cancelled job leaves at once, whether it waits or runs, and makes room.
func TestCancelledJobsMakeRoom(t *testing.T) {
	c := open(t, 1, "fifo", nil)
	if got := words(step(t, c, 0, submitted(job(0, 0, 10, 50)), submitted(job(1, 0, 10, 50)), submitted(job(2, 0, 10, 50)))); got !=
		"queued 0, queued 1, queued 2, granted 0" {
		t.Fatal(got)
	}
	waiting := step(t, c, 1, market.Event{Kind: market.Cancelled, Job: 1})
	if words(waiting) != "stopped 1" || waiting[0].Reason != market.ByUser || waiting[0].Start.Finite() {
		t.Errorf("a waiting job: %+v", waiting)
	}
	running := step(t, c, 2, market.Event{Kind: market.Cancelled, Job: 0})
	if words(running) != "stopped 0, granted 2" || running[0].Reason != market.ByUser || running[0].Start != 0 {
		t.Errorf("a running job: %+v", running)
	}
	if _, err := c.Step(3, []market.Event{{Kind: market.Cancelled, Job: 0}}); !errors.Is(err, cluster.ErrUnknownJob) {
		t.Errorf("cancelled again: %v", err)
	}
}

// What a cancelled job had is shared by the others from that instant on.
func TestCancelledJobsGiveTheirShareBack(t *testing.T) {
	for name, want := range map[string]string{
		"libra": "stopped 0, granted 1", "libra-plus": "stopped 0, granted 1", "libra-sla": "stopped 0, shared 0",
	} {
		c := open(t, 1, name, nil)
		step(t, c, 0, submitted(job(0, 0, 10, 30)), submitted(job(1, 0, 10, 30)))
		said := step(t, c, 1, market.Event{Kind: market.Cancelled, Job: 0})
		if words(said) != want {
			t.Fatalf("%s: %s", name, words(said))
		}
		speed := said[1].Speed
		if name == "libra-sla" {
			speed = said[1].Slices[0].Speed
		}
		if speed != 1 {
			t.Errorf("%s: the other has %v, want all", name, speed)
		}
	}
}

// A measurement corrects what is left (002: "if the job has run more or less
// than it was supposed to in this time, the node may request the OS to update
// its CPU share"). The job of 10 s in 20 has had 2 of the 5 s it was given by
// 5 with spare=none 0.5 of the node: it needs 8/15 from now on.
func TestAMeasurementCorrectsTheShare(t *testing.T) {
	c := open(t, 1, "libra", map[string]string{"spare": "none"})
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	said := step(t, c, 5, market.Event{Kind: market.Used, Job: 0, Work: 2})
	if words(said) != "granted 0" || math.Abs(said[0].Speed-8.0/15) > 1e-12 {
		t.Errorf("after a measurement: %+v", said)
	}
	// Used up: it needs all there is.
	said = step(t, c, 6, market.Event{Kind: market.Used, Job: 0, Work: 10})
	if words(said) != "granted 0" || said[0].Speed != 1 {
		t.Errorf("used up: %+v", said)
	}
	// And admission hears of it: nothing is left for a newcomer.
	if _, err := c.Quote(6, *job(1, 6, 1, 100)); !reject(err, market.CannotMeetDeadline) {
		t.Errorf("beside a job that needs all: %v", err)
	}
}

// Tasks that advance on their own are measured on their own: the processor of
// the one that is behind gives it more, the other is left alone.
func TestAMeasurementCorrectsOneTask(t *testing.T) {
	c := open(t, 2, "libra-sla", nil)
	wide, other := job(0, 0, 10, 40), job(1, 0, 10, 20)
	wide.Width, wide.SLA.Soft, wide.SLA.Budget = 2, true, 10
	other.Width, other.SLA.Soft, other.SLA.Budget = 2, true, 100 // the top job: it gets the spare
	step(t, c, 0, submitted(wide))
	step(t, c, 0, submitted(other))
	said := step(t, c, 4, market.Event{Kind: market.Used, Job: 0, Proc: 1, Work: 0})
	if words(said) != "shared 0" || said[0].Proc != 1 || len(said[0].Slices) != 2 {
		t.Fatalf("after a measurement: %+v", said)
	}
	// All of its 10 are left, and 36 of its 40 seconds.
	if got := said[0].Slices[0].Speed; math.Abs(got-10.0/36) > 1e-12 {
		t.Errorf("the task that is behind gets %v, want %v", got, 10.0/36)
	}
}

func reject(err error, why market.Reason) bool {
	var r *market.Rejection
	return errors.As(err, &r) && r.Reason == why
}

// A quote is the answer itself, and asking leaves no trace.
func TestAQuoteIsTheAnswer(t *testing.T) {
	c := open(t, 2, "libra", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	j := job(1, 3, 10, 40)
	for range 3 {
		q, err := c.Quote(3, *j)
		if err != nil || q.Price != 10.25 || q.Finish != 43 || !q.Firm || !reflect.DeepEqual(q.Procs, market.ProcsOf(0)) {
			t.Fatalf("quote %+v, %v", q, err)
		}
	}
	said := step(t, c, 3, submitted(j))
	if said[0].Kind != market.Accepted || said[0].Price != 10.25 || said[0].Finish != 43 || !said[0].Firm ||
		!reflect.DeepEqual(said[0].Procs, market.ProcsOf(0)) {
		t.Errorf("answer %+v", said[0])
	}
	if _, err := c.Quote(3, *job(2, 3, 10, 5)); !reject(err, market.CannotMeetDeadline) {
		t.Errorf("hopeless: %v", err)
	}
	var wrong *market.FieldError
	if _, err := c.Quote(3, market.Job{}); !errors.As(err, &wrong) {
		t.Errorf("nonsense: %v", err)
	}
}

// A quote of a queue promises nothing.
func TestAQueueQuotesNoPromise(t *testing.T) {
	c := open(t, 1, "fcfs-bf", nil)
	if q, err := c.Quote(0, *job(0, 0, 10, 20)); err != nil || q.Firm || q.Finish.Finite() || q.Procs != nil || q.Price != 10 {
		t.Errorf("%+v, %v", q, err)
	}
}

// A quote is the caller's to keep: the next one does not overwrite it.
func TestAQuoteIsNotOverwritten(t *testing.T) {
	c := open(t, 3, "libra", map[string]string{"fit": "least-loaded"})
	first, _ := c.Quote(0, *job(0, 0, 10, 20))
	step(t, c, 0, submitted(job(0, 0, 10, 20)))
	if _, err := c.Quote(0, *job(1, 0, 10, 20)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(first.Procs, market.ProcsOf(0)) {
		t.Errorf("the first quote is now %v", first.Procs)
	}
}

// A node that is lost twice, or comes back without having been away, is no
// event at all; and nobody is put on it while it is down.
func TestANodeIsLostOnce(t *testing.T) {
	c := open(t, 2, "libra", nil)
	step(t, c, 0, submitted(job(0, 0, 10, 20)), market.Event{Kind: market.NodeUp, Node: 1})
	down := market.Event{Kind: market.NodeDown, Node: 0}
	if got := words(step(t, c, 1, down)); got != "evicted 0, accepted 0, granted 0" {
		t.Fatal(got)
	}
	if got := words(step(t, c, 2, down)); got != "" {
		t.Errorf("lost again: %s", got)
	}
	said := step(t, c, 2, submitted(job(1, 2, 1, 100)))
	if said[0].Kind != market.Accepted || said[0].Procs.Has(0) {
		t.Errorf("put on a node that is down: %+v", said)
	}
	// Needs all of a node, and finds it on the one that is back.
	said = step(t, c, 3, market.Event{Kind: market.NodeUp, Node: 0}, submitted(job(2, 3, 10, 10)))
	if said[0].Kind != market.Accepted || !said[0].Procs.Has(0) {
		t.Errorf("not put on the node that is back: %s", words(said))
	}
}
