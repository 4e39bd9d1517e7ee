package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/model"
)

// A job that Slurm has suspended is shown so, to who asks and to who follows, as long as it is; and what
// is said of when it started is when Slurm began it, also after its end.
func TestASuspendedJobIsShownSo(t *testing.T) {
	m := openBench(t, "fcfs-bf", func(f *model.Slurm) {
		f.Program = func(client.Submission) model.Program { return model.Program{Takes: time.Hour} }
	}, "alice")
	o := m.do("alice", trade.Command{Submit: &trade.Submit{Request: trade.Request{Argv: []string{"true"}, EstimateMS: 7_200_000}}})
	id := o.Job.ID
	job := func() *v1.Job {
		t.Helper()
		j, err := m.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return &j
	}
	m.await("Slurm has begun it", func() bool { return job().BegunUS != 0 })
	began := job().BegunUS
	m.slurm.Mu.Lock()
	says := m.slurm.Known[1].Started
	m.slurm.Mu.Unlock()
	if began != says*1e6 || job().Begun() != began || job().StartedUS == 0 {
		t.Errorf("Slurm began it at %d s, and it is said to have begun at %d us, handed over at %d us", says, began, job().StartedUS)
	}
	notices, err := m.Follow(t.Context(), "alice", -1)
	if err != nil {
		t.Fatal(err)
	}
	told := func(suspended bool) {
		t.Helper()
		for end := time.After(time.Minute); ; {
			select {
			case n := <-notices:
				if n.Job != nil && n.Job.ID == id && n.Job.State == v1.Running && n.Job.Suspended == suspended {
					return
				}
			case <-end:
				t.Fatalf("nobody is told that it is suspended: %v", suspended)
			}
		}
	}
	for _, suspended := range []bool{false, true, false} {
		if suspended {
			m.slurm.Suspend(1)
		} else {
			m.slurm.Resume(1)
		}
		word := map[bool]string{false: "running", true: "suspended"}[suspended]
		m.await("it is shown as "+word, func() bool { return job().Shown() == word })
		if j := job(); j.Suspended != suspended || j.State != v1.Running || j.BegunUS != began {
			t.Errorf("suspended %v: shown as %s, %s, begun at %d", suspended, j.Shown(), j.State, j.BegunUS)
		}
		list, err := m.Jobs(t.Context(), v1.JobQuery{Owner: "alice"})
		if err != nil || len(list) != 1 || list[0].Suspended != suspended || list[0].BegunUS != began {
			t.Errorf("suspended %v: listed as %+v, %v", suspended, list, err)
		}
		told(suspended)
		if e, bad := m.Explain(t.Context(), id); bad != nil || strings.Contains(strings.Join(e.Because, "\n"), "suspended") != suspended {
			t.Errorf("suspended %v: explained by %q, %v", suspended, e.Because, bad)
		}
	}
	m.slurm.Suspend(1)
	m.await("it is suspended again", func() bool { return job().Suspended })
	m.do("alice", trade.Command{Cancel: &trade.Cancel{Job: id}})
	m.await("it has ended", func() bool { return job().State.Final() })
	if j := job(); j.Suspended || j.BegunUS != began || j.Shown() != "cancelled" {
		t.Errorf("after its end: suspended %v, begun at %d, %s", j.Suspended, j.BegunUS, j.Shown())
	}
}

// What started is when Slurm began it: of a job that Slurm has and has not begun, nothing.
func TestWhatIsSaidToHaveStarted(t *testing.T) {
	const handed, began = 1_700_000_000_000_000, 1_700_000_600_000_000
	for _, c := range []struct {
		job  v1.Job
		want int64
	}{
		{v1.Job{State: v1.Running, StartedUS: handed}, handed},
		{v1.Job{State: v1.Running, StartedUS: handed, Batch: "7"}, 0},
		{v1.Job{State: v1.Running, StartedUS: handed, Batch: "7", BegunUS: began}, began},
		{v1.Job{State: v1.Completed, StartedUS: handed, Batch: "7", BegunUS: began}, began},
		{v1.Job{State: v1.Queued}, 0},
	} {
		want, other := "", moment(handed)
		if c.want != 0 {
			want = moment(c.want)
		}
		if c.want == handed {
			other = moment(began)
		}
		var out bytes.Buffer
		if err := printJob(&out, &c.job); err != nil || c.job.Begun() != c.want || strings.Contains(out.String(), "started") != (c.want != 0) || !strings.Contains(out.String(), want) || strings.Contains(out.String(), other) {
			t.Errorf("%+v: %v\n%s", c.job, err, out.String())
		}
	}
}
