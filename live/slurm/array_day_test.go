package slurm

import (
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// sweptBackend is one of a market that wants sweptRun, on two nodes that are well.
func sweptBackend(t *testing.T) (*Backend, *run) {
	t.Helper()
	b, n := idle(t, Agents)
	b.applyOrders(n, &task.Desired{Version: 2, LeaseMS: 60_000})
	r := sweptRun()
	r.nonce, r.ID, r.state = b.nonce(r.key, 0), 0, unconfirmed
	b.runs = map[runKey]*run{r.key: r}
	b.nodes["n1"].slurm, b.node("n2").slurm = client.Node{Name: "n1", Up: true}, client.Node{Name: "n2", Up: true}
	return b, r
}

// asHandedIn is the one row of an array that was handed in, and none of which was let go.
func asHandedIn(b *Backend, r *run, id int64) client.Job {
	return client.Job{ID: id, Array: id, Elements: []int{1, 2, 3, 4, 5}, State: client.Pending, Held: true, User: "ann", Submitted: 90, Comment: b.commentOf(r), Reason: "JobHeldUser"}
}

// The answer to a submission was lost, or the market was killed before it was written down: the array
// is found by its comment, and is one from that moment on. Let go as one job, all of its elements
// would begin at once, anywhere.
func TestAnArrayIsFoundAgain(t *testing.T) {
	b, r := sweptBackend(t)
	b.applyListing(noon, []client.Job{asHandedIn(b, r, 40), asHandedIn(b, r, 60)})
	if r.ID != 40 || r.state != held || !r.array.is {
		t.Fatalf("%s under %d, array %+v", r.state, r.ID, r.array)
	}
	if got := b.links(r); len(got) != 5 {
		t.Errorf("let go are %v", got)
	}
	b.applyListing(noon.Add(time.Second), []client.Job{asHandedIn(b, r, 40)})
	if !slices.Equal(r.array.waiting, []int{1, 2, 3, 4, 5}) {
		t.Errorf("held are %v", r.array.waiting)
	}
}

// One that is no array is none, though its run was to be one.
func TestOneJobIsNoArray(t *testing.T) {
	b, r := sweptBackend(t)
	j := asHandedIn(b, r, 40)
	j.Array, j.Elements, r.array.is = 0, nil, true
	if b.applyListing(noon, []client.Job{j}); r.ID != 40 || r.array.is {
		t.Errorf("%d, %+v", r.ID, r.array)
	}
}
