package slurm

import (
	"context"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/client"
)

// Who follows is told when Slurm suspends a job and when it resumes it, also before anything else has been told; of one's
// own jobs, and of none that has ended.
func TestWhoFollowsHearsOfTheSuspended(t *testing.T) {
	b, _ := idle(t, Agents)
	suspend := func(ids ...int64) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.suspends = map[int64]bool{}
		for _, id := range ids {
			b.suspends[id] = true
		}
	}
	jobs := func(_ context.Context, id int64) (v1.Job, error) {
		j := v1.Job{ID: id, State: v1.Running, Owner: "ann", Suspended: b.Suspended(id)}
		switch id {
		case 2:
			j.Owner = "bob"
		case 3:
			j.State = v1.Completed
		}
		return j, nil
	}
	from := make(chan v1.Notice)
	to := b.Tell(t.Context(), "ann", -1, from, jobs)
	hears := func(what string, seq int64, suspended bool) {
		t.Helper()
		select {
		case n := <-to:
			if n.Seq != seq || n.Job == nil || n.Job.ID != 1 || n.Job.Suspended != suspended || n.IsPlace() != (seq > 0) {
				t.Errorf("%s: %+v", what, n)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: nothing is said", what)
		}
	}
	suspend(1, 2, 3)
	hears("suspended, and nothing was said before", 0, true)
	from <- v1.Notice{Seq: 7, Kind: "job", Owner: "ann", Job: &v1.JobNotice{ID: 1, State: v1.Running}}
	hears("a notice of the market's", 7, true)
	for seq, other := range map[int64]v1.Notice{
		5: {Kind: "price"}, 6: {Kind: "job", Owner: "ann", Job: &v1.JobNotice{ID: 3, State: v1.Completed}},
	} {
		other.Seq = seq
		from <- other
		if n := <-to; n.Seq != seq || n.Kind != other.Kind || n.Job != other.Job {
			t.Errorf("%+v becomes %+v", other, n)
		}
	}
	from <- v1.Notice{Seq: 7, Kind: "job", Owner: "ann", Job: &v1.JobNotice{ID: 1, State: v1.Running}}
	hears("another", 7, true)
	suspend(1, 2, 3, 4)
	if n := <-to; n.Job == nil || n.Job.ID != 4 || !n.Job.Suspended {
		t.Errorf("another is suspended, and it is said: %+v", n)
	}
	suspend(2, 4)
	hears("resumed", 7, false)
	close(from)
	if n, open := <-to; open {
		t.Errorf("who heard the last one hears %+v", n)
	}
}

// Who comes back is told of the jobs that were suspended or resumed while they were away: the market does not keep that.
func TestWhoComesBackHearsOfTheSuspended(t *testing.T) {
	b, _ := idle(t, Agents)
	list := func(states ...client.State) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for i, state := range states {
			key := runKey{int64(i) + 1, 0}
			if b.runs[key] == nil {
				b.newRun(key, 0)
			}
			b.runs[key].state, b.runs[key].job = running, &client.Job{State: state}
		}
		b.noteSuspended()
	}
	jobs := func(_ context.Context, id int64) (v1.Job, error) {
		return v1.Job{ID: id, State: v1.Running, Owner: "ann", Suspended: b.Suspended(id)}, nil
	}
	list(client.Suspended, client.Running, client.Running) // they have heard of that
	list(client.Running, client.Suspended, client.Running)
	for _, after := range []int64{0, 7} {
		ctx, leave := context.WithCancel(t.Context())
		to := b.Tell(ctx, "ann", after, make(chan v1.Notice), jobs)
		for id, suspended := range []bool{false, true} {
			select {
			case n := <-to:
				if n.Job == nil || n.Job.ID != int64(id)+1 || n.Job.Suspended != suspended || n.IsPlace() {
					t.Errorf("after %d: %+v", after, n)
				}
			case <-time.After(time.Minute):
				t.Fatalf("after %d: nothing is said of job %d", after, id+1)
			}
		}
		leave()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.attempts) // all have ended
	if b.noteSuspended(); len(b.resumed) > 0 {
		t.Errorf("%v are remembered", b.resumed)
	}
}
