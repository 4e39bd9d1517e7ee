package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/limit"
	"github.com/libra-market/libra/live/slurm/model"
)

// Of an array a limit leaves fewer elements at a time, and never as many as before; what was asked
// for stays as it was.
func TestFewerElementsWithinALimit(t *testing.T) {
	for _, c := range []struct {
		threads, gpus, limit int
		field                string
		most                 int64
		want                 int // 0: it is not changed
	}{
		{0, 0, 0, "processors", 3, 3},
		{2, 0, 0, "processors", 5, 2},
		{2, 0, 0, "processors", 3, 1},
		{4, 0, 0, "processors", 3, 0},
		{2, 2, 0, "gpus", 5, 2},
		{0, 2, 0, "gpus", 1, 0},
		{0, 0, 0, "processors", 9, 0},
		{0, 0, 4, "processors", 4, 0},
		{0, 0, 4, "processors", 3, 3},
		{0, 0, 20, "processors", 9, 0},
		{0, 0, 0, "memory_mb", 3, 0},
		{0, 0, 0, "", 3, 0},
	} {
		asked := trade.Array{First: 1, Last: 9, Step: 1, Limit: c.limit}
		r := trade.Request{Threads: c.threads, GPUs: c.gpus, Array: &asked}
		fewer := fewerAtATime(&r, &limit.Excess{Field: c.field, Most: c.most})
		if fewer != (c.want > 0) || fewer && r.Array.Limit != c.want || asked.Limit != c.limit || r.GPUs != c.gpus || r.Processors != 0 {
			t.Errorf("%+v: %v, %+v", c, fewer, r.Array)
		}
	}
	for fit, want := range map[int64]int{5: 2, 4: 2, 1: 0, 18: 0} { // of two processors each, with their memory
		r := trade.Request{Threads: 2, Array: &trade.Array{First: 1, Last: 9, Step: 1}}
		if fewer := fewerAtATime(&r, &limit.Excess{Field: "memory_mb", Most: 3, Fit: fit}); fewer != (want > 0) || r.Array.Limit != want {
			t.Errorf("%d processors have memory: %v, %+v", fit, fewer, r.Array)
		}
	}
	for n, want := range map[int64]int{3: 3, 1: 1, 0: 0, 9: 0} { // whatever each has
		r := trade.Request{Threads: 2, Array: &trade.Array{First: 1, Last: 9, Step: 1}}
		if fewer := fewerAtATime(&r, &limit.Excess{Elements: n}); fewer != (want > 0) || r.Array.Limit != want {
			t.Errorf("%d elements may: %v, %+v", n, fewer, r.Array)
		}
	}
	for n, want := range map[int]bool{0: true, 2: false, 3: false, 4: true} { // nodes that it may be on, of which there are three at most
		asked := trade.Array{First: 1, Last: 9, Step: 1, Nodes: n}
		r := trade.Request{Array: &asked}
		if fewer := fewerAtATime(&r, &limit.Excess{Field: "processors", Most: 3, Nodes: 3}); fewer != want || fewer && r.Array.Nodes != 3 || r.Array.Limit != 0 || asked.Nodes != n {
			t.Errorf("on %d nodes: %v, %+v", n, fewer, r.Array)
		}
	}
	for want, c := range map[string][2]int{"2 elements at a time": {2, 0}, "all elements that run at a time on 1 node": {0, 1}, "2 elements at a time, on 3 nodes": {2, 3}} {
		if got := fewerInWords(c[0], c[1]); got != want {
			t.Errorf("%v: %q", c, got)
		}
	}
	if fewerAtATime(&trade.Request{Processors: 4}, &limit.Excess{Field: "processors", Most: 2}) {
		t.Error("a job that is no array has fewer elements")
	}
}

// Of which elements not even one may run none is offered; what is for each of them may be less.
func TestWhatIsOfferedOfAnArray(t *testing.T) {
	for _, c := range []struct {
		field string
		most  int64
		want  string
	}{{"processors", 3, ""}, {"processors", 4, "array"}, {"gpus", 1, ""}, {"memory_mb", 100, "memory"}, {"deadline_ms", 5000, "deadline"}} {
		r := trade.Request{EstimateMS: 1000, DeadlineMS: 9000, Threads: 4, GPUs: 2, MemoryMB: 200, Array: &trade.Array{First: 1, Last: 9, Step: 1}}
		if change, detail := withinLimit(&r, &limit.Excess{Field: c.field, Most: c.most}); change != c.want || r.Processors != 0 || r.GPUs != 2 {
			t.Errorf("%+v: %q, %q: %+v", c, change, detail, r)
		}
	}
}

// An array that Slurm's limit of nodes would keep waiting as a whole is sold on as many nodes, with as
// many elements at a time as fit there, as Slurm, to which each is a job on a node, would run it; any
// other job is refused.
func TestAnArrayIsSoldWithinLimits(t *testing.T) {
	m := openBench(t, "libra", func(f *model.Slurm) { f.Partition = "MaxNodes=1" }, "eve") // on two nodes of four processors
	if p, err := m.Prices(t.Context()); err != nil || p.Runs != slurm.Runs || p.UsualMS != 3_600_000 {
		t.Errorf("who runs jobs, and how long where nobody says so: %+v, %v", p, err)
	}
	ask := trade.Request{Argv: []string{"true"}, EstimateMS: 1000, DeadlineMS: 10_000_000}
	of := func(limit int) trade.Request {
		r := ask
		r.Array = &trade.Array{First: 1, Last: 10, Step: 1, Limit: limit}
		return r
	}
	r := of(0)
	o, err := m.Preview(t.Context(), trade.Identity{User: "eve", Role: trade.RoleUser}, r)
	if err != nil || o.Quote == nil || o.Quote.Request.Array.Nodes != 1 || o.Quote.Width != 4 || r.Array.Nodes != 0 {
		t.Fatalf("%+v, %v", o.Quote, err)
	}
	if o = m.do("eve", trade.Command{Quote: &trade.AskQuote{Request: of(0)}}); o.Quote == nil || o.Quote.Request.Array.Nodes != 1 {
		t.Fatalf("%+v", o.Refusal)
	}
	if o = m.do("eve", trade.Command{Submit: &trade.Submit{Quote: o.Quote.ID, Request: of(0)}}); o.Job == nil || o.Job.Request.Array.Nodes != 1 { // with what it was asked for with
		t.Fatalf("%+v", o)
	}
	for limit, width := range map[int]int{0: 4, 1: 1, 2: 2, 9: 4} {
		if o = m.do("eve", trade.Command{Submit: &trade.Submit{Request: of(limit)}}); o.Job == nil || o.Job.Width != width || o.Job.Request.Array.Limit != limit || (o.Job.Request.Array.Nodes == 1) != (limit != 1) {
			t.Fatalf("%d at a time: %+v", limit, o)
		}
		if j, bad := m.Job(t.Context(), o.Job.ID); bad != nil || len(j.Places) != width || j.Places[0].Node != j.Places[width-1].Node {
			t.Errorf("%d at a time: on %+v, %v", limit, j.Places, bad)
		}
	}
	ask.Processors = 4
	if o = m.do("eve", trade.Command{Submit: &trade.Submit{Request: ask}}); o.Refusal == nil || !strings.Contains(o.Refusal.Detail, "at most 1 nodes") || len(o.Refusal.Offers) != 1 || o.Refusal.Offers[0].Change != "processors" {
		t.Errorf("%+v", o)
	}
	ask.Processors = 0
	m = openBench(t, "libra", func(f *model.Slurm) { f.Partition = "MaxNodes=2" }, "eve")
	if o = m.do("eve", trade.Command{Submit: &trade.Submit{Request: of(0)}}); o.Job == nil || o.Job.Width != 8 || o.Job.Request.Array.Nodes != 0 {
		t.Errorf("there are no more: %+v", o)
	}
}

// Where licences are few an array is sold with as many elements at a time as have their own, and
// what is left is another's.
func TestAnArrayIsSoldWithItsLicenses(t *testing.T) {
	m := openBench(t, "libra", func(f *model.Slurm) { // on two nodes of four processors
		f.Licenses = "LicenseName=fluent Total=5 Used=0 Free=5 Reserved=0 Remote=no\n"
	}, "eve", "bob")
	ask := func(limit int, some string) trade.Request {
		return trade.Request{Argv: []string{"true"}, EstimateMS: 1000, DeadlineMS: 10_000_000, Env: withLicenses(some), Array: &trade.Array{First: 1, Last: 10, Step: 1, Limit: limit}}
	}
	o, err := m.Preview(t.Context(), trade.Identity{User: "eve", Role: trade.RoleUser}, ask(0, "fluent:2"))
	if err != nil || o.Quote == nil || o.Quote.Request.Array.Limit != 2 {
		t.Fatalf("%+v, %v", o, err)
	}
	if o = m.do("eve", trade.Command{Submit: &trade.Submit{Request: ask(0, "fluent:6")}}); o.Refusal == nil {
		t.Errorf("of which none can have its own: %+v", o.Job)
	}
	if o = m.do("eve", trade.Command{Submit: &trade.Submit{Request: ask(0, "fluent:2")}}); o.Job == nil || o.Job.Request.Array.Limit != 2 || o.Job.Width != 2 {
		t.Fatalf("%+v", o)
	}
	job := o.Job.ID
	if j, bad := m.Job(t.Context(), job); bad != nil || atATime(&j) != 2 {
		t.Errorf("%+v, %v", j, bad)
	}
	if o = m.do("bob", trade.Command{Submit: &trade.Submit{Request: ask(2, "fluent")}}); o.Job == nil || o.Job.Request.Array.Limit != 1 {
		t.Errorf("of five four are another's: %+v", o)
	}
	if o = m.do("bob", trade.Command{Submit: &trade.Submit{Request: ask(0, "fluent")}}); o.Refusal == nil || !strings.Contains(o.Refusal.Detail, "0 are free") {
		t.Errorf("there are none left: %+v", o)
	}
	if n := atATime(&v1.Job{Width: 4}); n != 0 {
		t.Errorf("of none %d", n)
	}
}

// Who handed it in is told.
func TestFewerElementsAreSaid(t *testing.T) {
	var said bytes.Buffer
	con := &console{err: &said}
	some := func(n int) *v1.Request { return &v1.Request{Array: &v1.Array{First: 1, Last: 9, Step: 1, Limit: n}} }
	if con.passedOver(some(3), some(3)); said.Len() > 0 {
		t.Errorf("of as many as were asked for: %q", said.String())
	}
	on := some(0)
	on.Array.Nodes = 1
	if con.passedOver(some(0), on); said.String() != "libra: warning: the elements of the array that run at a time are on 1 node: Slurm gives a job no more\n" {
		t.Errorf("%q", said.String())
	}
	said.Reset()
	if con.passedOver(some(0), some(3)); said.String() != "libra: warning: 3 elements of the array at a time: Slurm's limits or licences let no more run\n" {
		t.Errorf("%q", said.String())
	}
}

// Prices say what is usual in each partition, where there are several.
func TestTheUsualTimeOfPartitions(t *testing.T) {
	m := openBench(t, "libra", func(f *model.Slurm) { f.Partition = "DefaultTime=00:20:00" })
	p, err := m.Prices(t.Context())
	if err != nil || p.UsualMS != 20*60_000 || len(p.UsualIn) != 0 {
		t.Errorf("of one: %d, %v, %v", p.UsualMS, p.UsualIn, err)
	}
	m.config.Slurm.Partition = "libra,fast"
	if p, err = m.Prices(t.Context()); err != nil || len(p.UsualIn) != 2 || p.UsualIn["libra"] != p.UsualMS {
		t.Errorf("of two: %d, %v, %v", p.UsualMS, p.UsualIn, err)
	}
}
