package client_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// arrays hands an array in, and has each element run where it is told, after the one before it.
func (b *bench) arrays(t *testing.T) {
	slurm, can := b.s.(client.Arrays)
	if !can || !slurm.Arrays() {
		t.Fatal("it cannot be told of elements")
	}
	s := b.job("exit $SLURM_ARRAY_TASK_ID")
	s.Nodes, s.Later, s.Array, s.Output = nil, true, "0-2,5%3", "/dev/null"
	id := b.submit(t, s)
	elements := func() map[int]client.Job {
		jobs, err := b.s.Jobs(t.Context(), slurmtest.Partition)
		if err != nil {
			t.Fatal(err)
		}
		all := map[int]client.Job{}
		for _, j := range jobs {
			for _, e := range j.Elements {
				if j.Array == id {
					all[e] = j
				}
			}
		}
		return all
	}
	waiting := elements()
	if got := slices.Sorted(maps.Keys(waiting)); !slices.Equal(got, []int{0, 1, 2, 5}) || !waiting[5].Held || waiting[5].ID != id {
		t.Fatalf("elements %v: %+v", got, waiting[5])
	}
	first, second := b.c.Nodes[0], b.c.Nodes[1]
	links := []client.Link{{Element: 0, Node: first, After: client.NoElement}, {Element: 1, Node: second, After: client.NoElement}, {Element: 5, Node: first, After: 0}}
	placed, err := slurm.Place(t.Context(), id, links)
	if err != nil || len(placed) != len(links) {
		t.Fatalf("placed are %v: %v", placed, err)
	}
	given, err := slurm.Numbers(t.Context(), id)
	if err != nil || !slices.Contains(given, id) || len(given) != 4 {
		t.Fatalf("the numbers of %d are %v: %v", id, given, err)
	}
	if err := slurm.LetGo(t.Context(), id, placed); err != nil {
		t.Fatal(err)
	}
	if err := slurm.Throttle(t.Context(), id, 2); err != nil {
		t.Fatal(err)
	}
	for e, j := range elements() {
		if !slices.Contains(given, j.ID) {
			t.Errorf("element %d has the number %d, and %v were known", e, j.ID, given)
		}
	}
	over := func(all map[int]client.Job) bool {
		return all[0].State.Over() && all[1].State.Over() && all[5].State.Over()
	}
	all := elements()
	for end := time.Now().Add(3 * time.Minute); !over(all) && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		all = elements()
	}
	for e, node := range map[int]string{0: first, 1: second, 5: first} {
		if j := all[e]; j.Exit != e || !slices.Equal(j.Nodes, []string{node}) || len(j.Elements) != 1 {
			t.Errorf("element %d: %+v", e, j)
		}
	}
	if all[5].Started < all[0].Ended || all[0].ID == all[1].ID {
		t.Errorf("the fifth ran at %d, the one before until %d", all[5].Started, all[0].Ended)
	}
	if j := all[2]; !j.Held || j.State != client.Pending {
		t.Errorf("who was not let go: %+v", j)
	}
	b.cancel(t, id, false)
	for end := time.Now().Add(3 * time.Minute); !elements()[2].State.Over() && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
	}
	if j := elements()[2]; j.State != client.Cancelled {
		t.Errorf("cancelled with all: %+v", j)
	}
}
