package book

import (
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// shared is a book of three nodes of two processors and 100 MB, the last one
// down, on which two jobs share the first four processors.
func shared(independent bool) (b *Book, first, second Slot) {
	nodes := market.PlainNodes(3)
	for i := range nodes {
		nodes[i].Processors, nodes[i].Memory = 2, 100
	}
	b = New(market.Each(nodes))
	b.Tick(0)
	b.SetDown(2, true)
	terms := Terms{Independent: independent}
	first = b.Add(&market.Job{ID: 1, Width: 3, Memory: 30, Estimate: 10})
	b.Place(first, terms, market.ProcsOf(0, 1, 2))
	second = b.Add(&market.Job{ID: 2, Width: 2, Memory: 20, Estimate: 10})
	b.Place(second, terms, market.ProcsOf(2, 3))
	b.Planned()
	return b, first, second
}

// holdings is who is where, and what is left.
func holdings(b *Book) string {
	said := fmt.Sprint(b.running, b.users, b.idle, b.idleN, b.upN, b.memory, b.disk, b.tasks, b.only)
	for s := range b.slots.n {
		said += fmt.Sprint(*b.slots.at(Slot(s)))
	}
	return said
}

// Without a job the book looks as if the job were not there, and as if its
// processors were all there is; afterwards it is as it was.
func TestWithoutAJob(t *testing.T) {
	for _, independent := range []bool{false, true} {
		b, first, second := shared(independent)
		before := holdings(b)
		j := &b.slots.at(first).Job
		b.Without(first, func(v View) {
			if v.Idle() != 2 || !v.HasIdle(j, 2) || v.HasIdle(j, 3) || !v.IsIdle(0) || !v.IsIdle(1) || v.IsIdle(2) || len(v.Running()) != 1 {
				t.Errorf("independent %v: %d idle, running %v", independent, v.Idle(), v.Running())
			}
			for proc, room := range []bool{true, true, true, false, false, false} {
				if v.Room(proc, j) != room {
					t.Errorf("independent %v: room on processor %d is %v", independent, proc, !room)
				}
			}
			if memory, _ := v.FreeOn(0); memory != 100 {
				t.Errorf("independent %v: %d MB free on the first node", independent, memory)
			}
			if memory, _ := v.FreeOn(2); memory != 60 {
				t.Errorf("independent %v: %d MB free on the second node", independent, memory)
			}
			if v.AllRoom(&market.Job{Width: 1}) {
				t.Errorf("independent %v: there is room everywhere", independent)
			}
			if independent && (len(v.Tasks(0)) != 0 || len(v.Tasks(2)) != 1 || v.Tasks(2)[0].Slot != second) {
				t.Errorf("the tasks are %v and %v", v.Tasks(0), v.Tasks(2))
			}
		})
		if after := holdings(b); after != before {
			t.Errorf("independent %v: before\n%s\nafter\n%s", independent, before, after)
		}
	}
}

// Of a job one of whose tasks is done, the others are what it holds.
func TestWithoutTheTasksThatStillRun(t *testing.T) {
	b, first, _ := shared(true)
	b.FinishTask(first, 1, 10)
	before := holdings(b)
	b.Without(first, func(v View) {
		j := &market.Job{Width: 1, Memory: 10}
		if !v.Room(0, j) || v.Room(1, j) || !v.Room(2, j) {
			t.Error("there is room where its task is done, or none where it runs")
		}
	})
	if after := holdings(b); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if b.Tasks(first) != 2 {
		t.Errorf("it is on %d processors", b.Tasks(first))
	}
}
