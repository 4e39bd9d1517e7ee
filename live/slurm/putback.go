package slurm

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// A job that was handed in with --requeue may be put back into Slurm's queue by its user, as a
// script does that has saved its state. To the market that is the end of the job, which its user
// wants and pays for like any other, and a new one on the same terms, with a price and a promise of
// its own (anew.go). To Slurm it is one job, under one number.
//
// Slurm begins it again by itself when two minutes are over. The market holds it before; where the
// market is away, its script finds that the market has not noted that it may begin, and puts it back
// once more (guard). So nothing runs that nobody pays for, and a job that has ended does not either.

// putBack is a job that its user has put back, as it is noted before Slurm is told to hold it, until
// a new job of the market is what Slurm has under its number.
type putBack struct {
	Job       int64  `json:"job"`
	Attempt   int    `json:"attempt,omitempty"`
	ID        int64  `json:"id"` // in Slurm
	User      string `json:"user"`
	Partition string `json:"partition"`
	QOS       string `json:"qos,omitempty"`      // that it named
	Text      string `json:"text,omitempty"`     // of its user's own comment
	Bulk      string `json:"bulk"`               // of what Slurm sets aside for it
	Restarts  int    `json:"restarts"`           // under this number
	Before    int    `json:"before,omitempty"`   // under others
	OnHold    bool   `json:"on_hold,omitempty"`  // by requeuehold: its user says when it begins
	Deadline  int64  `json:"deadline,omitempty"` // in milliseconds, as it was said first; 0: of the request
	Asked     bool   `json:"asked,omitempty"`    // the market may have taken it anew

	since   time.Time
	tried   time.Time
	busy    bool
	seen    client.State // as it was listed last
	held    bool
	misses  int       // listings that did not have it
	strange time.Time // since when it neither waits nor is over; zero: it does
}

func (p *putBack) of() runKey { return runKey{p.Job, p.Attempt} }

// stand is how a job stands in Slurm, as far as it says whether it was put back.
type stand struct {
	state     client.State
	held      bool
	submitted int64
}

func standOf(j *client.Job) stand { return stand{j.State, j.Held, j.Submitted} }

// requeues reports whether a job is one that its user may put back: it asked for that, and Slurm can
// be told all of it before it is known where it begins. Where what its user's login sets is in the
// environment of its script before its first line, that could be told anything.
func requeues(s *task.Spec) bool {
	return valueOf(s.Env, task.Requeue) == "yes" && s.Size == 1 && s.Len() == 0 && s.Optional == nil && s.Within == "" && guestOf(s) == 0 &&
		bySbatch(s) && len(s.Script) > 0 && valueOf(s.Env, task.Login) == ""
}

// mayRequeue reports whether it may here: where nobody measures, nobody knows what it used.
func (b *Backend) mayRequeue(s *task.Spec) bool {
	if b.cfg.Anew == nil || b.cfg.Control != Agents || !requeues(s) {
		return false
	}
	slurm, can := b.slurm.(client.Guests)
	_, counts := b.slurm.(client.Requeues)
	return can && counts && slurm.Adopts()
}

// putBackWords are what a job is told that was put back: its number in Slurm, how often it was
// restarted, and how long its deadline was when it was handed in first.
func putBackWords(s *task.Spec) (number, restarts, deadline int64) {
	_, _ = fmt.Sscanf(valueOf(s.Env, task.PutBack), "%d:%d:%d", &number, &restarts, &deadline) // the market's own
	return number, restarts, deadline
}

// putBackOf is the number that it has in Slurm; 0: it was not put back.
func putBackOf(s *task.Spec) int64 {
	number, _, _ := putBackWords(s)
	return number
}

// cameBackAs reports whether a run is that of a job that was put back under a number: its node has
// begun another under it, and knows that this is the next.
func (r *run) cameBackAs(id int64) bool {
	o, here := r.orders[0]
	return here && putBackOf(&o.Spec) == id
}

// restarts is what a script is told of how often it was begun, in words for env(1): as Slurm counts,
// to which each attempt of the market's is another job.
func restarts(s *task.Spec) []string {
	_, before, _ := putBackWords(s)
	before += int64(s.Attempt)
	switch {
	case before == 0 || !bySbatch(s):
		return nil // Slurm says it
	case requeues(s):
		return []string{fmt.Sprintf(`"SLURM_RESTART_COUNT=$((%d + ${SLURM_RESTART_COUNT:-0}))"`, before)}
	}
	return []string{fmt.Sprintf("SLURM_RESTART_COUNT=%d", before)}
}

// jobWord tells a program which job it is: by its number in Slurm, where it may have become another
// of the market's since its script was written.
func jobWord(s *task.Spec) string {
	if requeues(s) {
		return `"LIBRA_JOB_ID=$libra_job"`
	}
	return quote("LIBRA_JOB_ID=" + strconv.FormatInt(s.Job, 10))
}

// mayBegin is what is noted with a job that was put back and may begin again, once: the next time the
// count is another.
func mayBegin(restarts int) string { return fmt.Sprintf("libra: start %d ", restarts) }

// byAdministrator is how what root notes with a job begins that it puts back at the market's cost.
const byAdministrator = "libra:void"

// guard is how the script of a job begins that its user may put back: begun again, it goes on only if
// the market has noted that it may. An element of an array is the same job of the market's then, and
// Slurm has it by the number of its array: its own may be that of all of them.
func guard(s *task.Spec, element bool) string {
	if !requeues(s) {
		return ""
	}
	itself := "libra_id=$SLURM_JOB_ID\n\tlibra_job=slurm:$SLURM_JOB_ID"
	if element {
		itself = "libra_id=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
	}
	return fmt.Sprintf("libra_job=%d\n", s.Job) + `if [ -n "$SLURM_RESTART_COUNT" ]; then
	` + itself + `
	for libra_try in 1 2 3 4 5 6; do
		libra_may=$(squeue --noheader --all --jobs="$libra_id" --Format=admin_comment:200 </dev/null 2>/dev/null) && [ -n "$libra_may" ] && break
		sleep 2
	done
	case $libra_may in
	"libra: start $SLURM_RESTART_COUNT "*) ;;
	*)
		scontrol requeue "$libra_id" </dev/null >/dev/null 2>&1 && sleep 60
		` + never(noStart) + `
		;;
	esac
fi
`
}

// mayBePutBack reports whether Slurm says of a job that it waits, though it was let go, and its user
// may have put it back.
func (r *run) mayBePutBack(w *world) bool {
	j := r.job
	if !r.Requeue || w.control != Agents || r.lost != "" || j == nil || !r.state.mayHaveStarted() || r.counted == standOf(j) {
		return false
	}
	if r.back != nil {
		return j.State == client.Pending && !j.Held // it is not held yet, or not any more
	}
	return j.State == client.Requeued || j.State == client.Pending && (j.Held || j.Reason == "BeginTime" || r.state == running)
}

// nextPutBack asks, when the agents have said how far it was.
func (r *run) nextPutBack(w *world) action {
	switch {
	case r.job.State != client.Pending || !r.complete() || !w.fresh || w.now.Sub(r.tried) < again:
		return wait
	case !r.vouchedFor(w):
		return look
	}
	return recount
}

// checkPutBack ends a run that its user has put back, when Slurm holds it and nothing of it goes on.
func (r *run) checkPutBack(w *world) {
	if r.unwanted(w) { // the market has written its end down: what Slurm has is another's, or will be
		r.ends(verdict{state: task.Ended, signal: "SIGTERM", user: true, why: SaidPutBack}, w.now)
		return
	}
	if r.job.State != client.Pending || !r.job.Held || (!w.fresh || r.alive(w.now)) && w.now.Sub(r.back.since) < clearing {
		return
	}
	r.ends(verdict{
		state: task.Ended, signal: "SIGTERM", user: true, started: r.startedAt(), ended: r.back.since.Unix(),
		why: SaidPutBack,
	}, w.now)
}

// noNodes reports whether Slurm says of a job that it was cancelled and never had a node: as it says
// of one, too, that was put back and had not begun again.
func noNodes(j *client.Job) bool { return j.State == client.Cancelled && len(j.Nodes) == 0 }

// hadBegun reports whether it is known of a job that it has begun, whatever Slurm says now.
func (r *run) hadBegun() bool {
	return (r.Requeue || r.Returns) && r.state.mayHaveStarted() && (r.back != nil || r.ranOnce || r.first != 0 || r.used())
}

// mayHaveRun reports whether a job was cancelled that may have been put back before, which nobody has
// seen: how often it was says Slurm.
func (r *run) mayHaveRun(w *world) bool {
	return (r.Requeue || r.Returns) && w.control == Agents && r.lost == "" && r.job != nil && noNodes(r.job) && r.state.mayHaveStarted() && !r.hadBegun() && r.counted != standOf(r.job)
}

// nextWhetherRan asks.
func (r *run) nextWhetherRan(w *world) action {
	switch {
	case w.now.Sub(r.tried) < again:
		return wait
	case !r.vouchedFor(w):
		return look
	}
	return recount
}

// asBegun is how a job has ended that had begun, was put back, and was cancelled before it began
// again: as one that is cancelled while it runs.
func (r *run) asBegun(v verdict) verdict {
	if v.state == task.Refused && noNodes(r.job) && r.hadBegun() {
		v.state, v.signal, v.started = task.Ended, "SIGTERM", r.startedAt()
		v.why = "put back into the queue of Slurm, and cancelled before it began again"
	}
	return v
}

// startedAt is when it was begun, as Slurm or its agents have said; 0: they have not.
func (r *run) startedAt() int64 {
	if r.first != 0 {
		return r.first
	}
	for _, s := range r.statuses {
		if s.StartedUS != 0 {
			return s.StartedUS / 1e6
		}
	}
	return 0
}

// recount finds out whether a job was put back, and by whom: if it was not lost with its node, and
// no administrator has said that it was they, it was its user. That is written down, and it is held.
func (b *Backend) recount(ctx context.Context, r *run) {
	slurm, can := b.slurm.(client.Requeues)
	if !can {
		return
	}
	b.mu.Lock()
	id, known := r.ID, r.back
	r.tried = b.cfg.Now() // whatever comes of it, Slurm lists it anew before it is asked again
	b.mu.Unlock()
	count, remark, err := 0, "", errNotAsked
	var nodes []client.Node
	b.inSlurm(func() {
		switch {
		case !b.stillOwns(r, id):
		case known != nil:
			err = slurm.Detain(ctx, id)
		default:
			if count, remark, err = slurm.Restarts(ctx, id); err == nil {
				nodes, err = b.slurm.Nodes(ctx, b.cfg.Partition)
			}
		}
	})
	if err != nil {
		b.failed(r, "whether a job was put back is not known, or it is not held", err)
		return
	}
	b.mu.Lock()
	if r.job != nil && r.job.State.Over() { // cancelled meanwhile
		if r.ranOnce = count > r.Restarts; !r.ranOnce {
			r.counted = standOf(r.job)
		}
		b.mu.Unlock()
		return
	}
	if known != nil || r.job == nil || r.lost != "" || r.Returns {
		r.acted = b.cfg.Now()
		b.mu.Unlock()
		b.pollSoon()
		return
	}
	switch gone := b.nodeGone(r, nodes); {
	case count <= r.Restarts:
		r.counted = standOf(r.job)
	case gone != "":
		r.lost = gone
	case strings.HasPrefix(remark, byAdministrator):
		r.lost = "an administrator put it back into the queue of Slurm"
	case strings.Contains(strings.ToLower(r.job.Reason), "launch") && !r.used():
		r.lost = "Slurm could not begin it on its node"
	}
	mine := count > r.Restarts && r.lost == ""
	p := b.describePutBack(r, count)
	b.mu.Unlock()
	if !mine {
		return
	}
	if err = b.notePutBack(ctx, p); err != nil {
		b.failed(r, "a job that was put back is not held", err)
		return
	}
	b.mu.Lock()
	r.back = p
	b.mu.Unlock()
	b.cfg.Log.Info("a job was put back into Slurm's queue by its user", "run", r.key, "slurm", id, "restarts", count)
	if p.OnHold {
		b.pollSoon()
		return
	}
	err = errNotAsked
	b.inSlurm(func() {
		if b.stillOwns(r, id) {
			err = slurm.Detain(ctx, id)
		}
	})
	if err != nil {
		b.failed(r, "a job that was put back is not held", err)
		return
	}
	b.mu.Lock()
	r.acted = b.cfg.Now()
	b.mu.Unlock()
	b.pollSoon()
}

// shaken is how long after the start of its slurmd a job may be put back for that: slurmctld asks a
// new slurmd at once for what it has begun, and ends what is not there.
const shaken = 2 * time.Minute

// outlived reports whether a run went on when a slurmd had been started anew, as it does when that is
// all that was: a site starts its slurmds anew for a new configuration. Who puts a job back long after
// that is its user. The lock is held.
func (r *run) outlived(slurmd int64, now time.Time) bool {
	last := int64(0) // when its agents say that it ended
	for _, s := range r.statuses {
		ended := s.EndedUS / 1e6
		if s.State == task.Running && ended == 0 {
			ended = now.Unix()
		}
		last = max(last, ended)
	}
	return last-slurmd > int64(shaken.Seconds())
}

// nodeGone is which node of a run was lost since it began. The lock is held.
func (b *Backend) nodeGone(r *run, nodes []client.Node) string {
	found := map[string]client.Node{}
	for _, n := range nodes {
		found[n.Name] = n
	}
	began := r.startedAt()
	for _, name := range r.Nodes {
		switch n := found[name]; {
		case !n.Up:
			return "its node " + name + " is gone, and Slurm has put it back"
		case began != 0 && n.Slurmd > began && !r.outlived(n.Slurmd, b.cfg.Now()):
			return "its node " + name + " was started anew, and Slurm has put it back"
		}
	}
	return ""
}

// describePutBack is what is noted of a run that was put back. The lock is held.
func (b *Backend) describePutBack(r *run, count int) *putBack {
	spec := r.orders[0].Spec
	p := &putBack{
		Job: r.key.job, Attempt: r.key.attempt, ID: r.ID, User: r.User, Partition: b.partitionOf(r.Nodes), QOS: spec.QOS, Text: valueOf(spec.Env, task.Comment),
		Restarts: count, OnHold: r.job.Held, since: b.cfg.Now(),
	}
	_, before, deadline := putBackWords(&spec)
	// What was counted before this number is in what the job was told: less what it had of this one.
	p.Before, p.Deadline = max(0, int(before)-r.Restarts)+spec.Attempt, deadline
	return p
}

// arm finds out how often a job was put back before it is let go, and notes with it that it may begin
// once more: who has put it back since finds that it is another time. One that was let go under a
// count is not let go under another: it was put back, and that comes first.
func (b *Backend) arm(ctx context.Context, r *run) error {
	b.mu.Lock()
	id, armed, known, job := r.ID, r.armed, r.Restarts, r.key.job
	asks := r.Requeue && b.cfg.Control == Agents && b.cfg.Anew != nil
	b.mu.Unlock()
	slurm, can := b.slurm.(client.Requeues)
	if !asks || !can {
		return nil
	}
	err := errNotAsked
	b.inSlurm(func() {
		if !b.stillOwns(r, id) {
			return
		}
		var count int
		if count, _, err = slurm.Restarts(ctx, id); err != nil {
			return
		}
		if armed && count != known {
			err = fmt.Errorf("%w: it was put back meanwhile", errNotAsked)
			return
		}
		if count > 0 {
			if err = b.slurm.(client.Guests).Remark(ctx, id, mayBegin(count)+"(job "+strconv.FormatInt(job, 10)+")"); err != nil { //nolint:forcetypeassert // mayRequeue has seen it
				return
			}
		}
		b.mu.Lock()
		r.armed, r.Restarts = true, count
		b.mu.Unlock()
	})
	return err
}
