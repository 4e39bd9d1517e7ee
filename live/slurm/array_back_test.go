package slurm

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// returnSlurm is a Slurm whose users may put elements of arrays back.
type returnSlurm struct {
	arraySlurm
	client.Guests
	client.Requeues
	all   map[int]client.Return
	nodes []client.Node
	sum   int // of all of an array
}

func (s *returnSlurm) Adopts() bool { return true }

func (s *returnSlurm) Returns(context.Context, int64) (map[int]client.Return, error) {
	return s.all, s.wrong
}

func (s *returnSlurm) RemarkElement(_ context.Context, _ int64, e int, text string) error {
	one := s.all[e]
	one.Remark = text
	s.all[e] = one
	return s.wrong
}

func (s *returnSlurm) Restarts(context.Context, int64) (restarts int, remark string, err error) {
	return s.sum, "", s.wrong
}

func (s *returnSlurm) Nodes(context.Context, string) ([]client.Node, error) { return s.nodes, nil }

// returningRun is a backend with an array on one lane whose elements its user may put back, and a look at
// what Slurm lists of it.
func returningRun(t *testing.T) (b *Backend, r *run, s *returnSlurm, look func(rows ...client.Job) action) {
	t.Helper()
	b, _ = idle(t, Agents)
	s = &returnSlurm{arraySlurm: arraySlurm{Slurm: b.slurm}, all: map[int]client.Return{}, nodes: []client.Node{{Name: "n1", Up: true}}}
	b.slurm, b.cfg.Anew = s, &renewer{}
	for e := range 6 {
		s.all[e] = client.Return{}
	}
	r = oneLane()
	r.Returns, r.state, r.note, r.vouched = true, running, durable, noon
	b.runs[r.key] = r
	at := noon
	b.cfg.Now = func() time.Time { return at }
	return b, r, s, func(rows ...client.Job) action {
		at = at.Add(5 * time.Second)
		j := r.fold(40, rows, at.Unix())
		r.observeJob(&j, at)
		r.vouched = at
		return r.decide(&world{now: at, control: Agents, orders: true, listed: at, good: noon, fresh: true})
	}
}

// putBackRow makes a row one that was put back, as Slurm lists it for two minutes.
func putBackRow(j *client.Job) { j.Reason, j.Started, j.Nodes = "BeginTime", 0, nil }

// An element that its user puts back is not the end of its array: it is noted with it that it may begin
// once more, it does so at once, in its turn, and those behind it wait.
func TestAnElementIsPutBack(t *testing.T) {
	b, r, s, look := returningRun(t)
	waits := because("Dependency")
	rest := []client.Job{rowOf(3, client.Pending, waits), rowOf(4, client.Pending, waits), rowOf(5, client.Pending, waits)}
	look(append(rest, rowOf(1, client.Completed), rowOf(2, client.Running))...)
	for name, row := range map[string]client.Job{
		"put back": rowOf(2, client.Pending, putBackRow), "and kept": rowOf(2, client.Pending, keptBack), "after it had ended": rowOf(1, client.Pending, putBackRow),
	} {
		r.array.told = nil
		s.all[2], s.all[1], s.gone = client.Return{Restarts: 1}, client.Return{}, nil
		after := client.NoElement
		rows := append(slices.Clone(rest), rowOf(1, client.Completed), row)
		if row.Elements[0] == 1 {
			s.all[2], s.all[1] = client.Return{}, client.Return{Restarts: 1}
			rows, after = append(slices.Clone(rest), rowOf(2, client.Running), row), 2 // which runs
		}
		if does := look(append(rest, rowOf(2, client.Requeued), rowOf(1, client.Completed))...); does == advance || r.job.State != client.Running {
			t.Errorf("%s: while it is being put back %d, %s", name, does, r.job.State)
		}
		if does := look(rows...); does != advance || r.lost != "" || r.job.State != client.Running {
			t.Fatalf("%s: %d, lost %q, %s", name, does, r.lost, r.job.State)
		}
		b.advance(t.Context(), r)
		e := row.Elements[0]
		if !strings.HasPrefix(s.all[e].Remark, "libra: start 1 ") || len(s.gone) == 0 || s.gone[0] != (client.Link{Element: e, Node: "n1", After: after, Again: true}) || len(s.gone) != 1 && e == 2 {
			t.Errorf("%s: noted is %+v, let go %+v", name, s.all[e], s.gone)
		}
	}
	r.array.told = nil
	if does := look(append(rest, rowOf(1, client.Completed), rowOf(2, client.Pending))...); does == advance || r.job.State != client.Running {
		t.Errorf("before it begins: %d, %s", does, r.job.State)
	}
	look(append(rest, rowOf(1, client.Completed), rowOf(2, client.Completed))...)
	if len(r.array.done) != 2 || r.lost != "" {
		t.Errorf("it has run: %+v, %q", r.array.done, r.lost)
	}
}

// A backend that was started anew knows of no element that it ran: whatever it finds goes on.
func TestAnElementWasPutBackMeanwhile(t *testing.T) {
	for name, row := range map[string]client.Job{"": rowOf(5, client.Pending, putBackRow), "and kept": rowOf(5, client.Pending, keptBack)} {
		b, r, s, look := returningRun(t)
		s.nodes[0].Slurmd, r.Submitted = noon.Add(-time.Minute).Unix(), noon.Add(-time.Second).Unix()
		r.restore(note{binding: r.binding, Released: true, Done: map[int]finish{1: {State: client.Completed}, 2: {State: client.Completed}, 3: {State: client.Completed}, 4: {State: client.Completed}}}, noon)
		if row.Held { // else its agent has not spoken yet
			r.observe(&task.Status{State: task.Running, CPUUS: 5e6, StartedUS: noon.UnixMicro(), EndedUS: noon.UnixMicro() + 5e6}, noon)
		}
		s.all[5] = client.Return{Restarts: 2, Remark: "libra: start 1 (job 7)"}
		if does := look(row); does != advance || r.lost != "" {
			t.Fatalf("%s: %d, lost %q", name, does, r.lost)
		}
		b.advance(t.Context(), r)
		if !strings.HasPrefix(s.all[5].Remark, "libra: start 2 ") || len(s.gone) != 1 || r.lost != "" {
			t.Errorf("%s: noted is %+v, let go %+v, lost %q", name, s.all[5], s.gone, r.lost)
		}
	}
}

// What Slurm puts back because its node is gone, or an administrator who says so, or what it has forgotten
// to have begun, is no wish of its user's: the array is begun anew, at the market's cost.
func TestAnElementIsNotPutBackByItsUser(t *testing.T) {
	for name, change := range map[string]func(s *returnSlurm, r *run){
		"its node is gone":          func(s *returnSlurm, _ *run) { s.nodes[0].Up = false },
		"its node was begun anew":   func(s *returnSlurm, _ *run) { s.nodes[0].Slurmd = noon.Unix() },
		"an administrator":          func(s *returnSlurm, _ *run) { s.all[1] = client.Return{Restarts: 1, Remark: "libra:void"} },
		"Slurm has forgotten it":    func(s *returnSlurm, _ *run) { s.all[1] = client.Return{} },
		"elements may not put back": func(_ *returnSlurm, r *run) { r.Returns = false },
	} {
		b, r, s, look := returningRun(t)
		rest := []client.Job{rowOf(2, client.Pending, because("Dependency")), rowOf(3, client.Completed), rowOf(4, client.Completed), rowOf(5, client.Completed)}
		look(append(rest, rowOf(1, client.Running))...)
		s.all[1] = client.Return{Restarts: 1}
		change(s, r)
		row := rowOf(1, client.Pending, putBackRow)
		if len(s.all[1].Remark) == 0 && s.all[1].Restarts == 0 {
			row = rowOf(1, client.Pending, keptBack)
		}
		if look(append(rest, row)...) == advance {
			b.advance(t.Context(), r)
		}
		if r.lost == "" || len(s.gone) != 0 {
			t.Errorf("%s: lost %q, let go %+v", name, r.lost, s.gone)
		}
	}
}

// Who puts elements back and cancels all before one begins again pays for what ran, whether somebody has
// seen that or not.
func TestElementsThatWerePutBackAreCancelled(t *testing.T) {
	all := func(state client.State, change ...func(*client.Job)) (rows []client.Job) {
		for e := 1; e <= 5; e++ {
			rows = append(rows, rowOf(e, state, change...))
		}
		return rows
	}
	_, r, _, look := returningRun(t)
	look(append(all(client.Pending, because("Dependency"))[1:], rowOf(1, client.Running))...)
	look(all(client.Cancelled, nowhereEver)...)
	if r.end == nil || r.end.state != task.Ended || !r.end.user || r.end.started == 0 {
		t.Errorf("it ended as %+v", r.end)
	}
	for sum, want := range map[int]task.State{0: task.Refused, 2: task.Ended} {
		b, r, s, look := returningRun(t)
		s.sum, r.state = sum, releasing
		if does := look(all(client.Cancelled, nowhereEver)...); does != recount || r.end != nil {
			t.Fatalf("whether it ran is not asked: %d, %+v", does, r.end)
		}
		b.recount(t.Context(), r)
		if look(all(client.Cancelled, nowhereEver)...); r.end == nil || r.end.state != want {
			t.Errorf("put back %d times it ended as %+v", sum, r.end)
		}
	}
}

// Slurm is told that elements may be put back where their script asks before it begins once more.
func TestWhoseElementsReturn(t *testing.T) {
	b, r, _, _ := returningRun(t)
	spec := r.orders[0].Spec
	if b.elementsReturn(&spec) {
		t.Error("nobody has asked for it")
	}
	spec.Env = append(slices.Clone(spec.Env), task.Requeue+"=yes")
	one := elementOf(spec)
	s, err := b.describe([]task.Spec{one}, nil, "c", "libra", "1-5%1")
	if !b.elementsReturn(&spec) || err != nil || !s.Requeue {
		t.Errorf("it is handed in as %+v, %v", s, err)
	}
	for _, want := range []string{"libra_id=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n", `--jobs="$libra_id"`, `scontrol requeue "$libra_id"`, `"LIBRA_JOB_ID=$libra_job"`} {
		if !strings.Contains(s.Script, want) {
			t.Errorf("%s is not in\n%s", want, s.Script)
		}
	}
	if strings.Contains(s.Script, "libra_job=slurm:") {
		t.Error("it is the same job of the market")
	}
	b.cfg.Control = None
	if b.elementsReturn(&spec) {
		t.Error("nobody measures what it uses")
	}
}
