package main

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/wire"
)

// waitEvery is how often a job is looked at if nothing is heard of it.
var waitEvery = 2 * time.Second

// jobEnd is the end of a job that did not succeed, as an exit code.
type jobEnd struct {
	said string
	code int
}

func (e *jobEnd) Error() string { return e.said }

// ExitCode is that of the job.
func (e *jobEnd) ExitCode() int { return e.code }

// await waits for a job to end, shows how far it is, and ends as it did.
func (o *submitOptions) await(ctx context.Context, con *console, market *client.Client, job v1.Job) error {
	if !o.json {
		if err := paragraph(con.out, "", acceptance(&job)); err != nil {
			return err
		}
	}
	tail := &tailing{con: con, market: market, quiet: o.json}
	job, err := awaitEnd(ctx, con, market, job, tail.look)
	if err != nil {
		if ctx.Err() != nil {
			con.warn("job %d goes on; libra job %d shows it, libra cancel %d ends it", job.ID, job.ID, job.ID)
		}
		return err
	}
	if o.json {
		if err = con.writeJSON(job); err != nil {
			return err
		}
		return endOf(&job)
	}
	end := endOf(&job)
	if end == nil {
		if err = paragraph(con.out, "", howItEnded(&job)); err != nil {
			return err
		}
	}
	if err = printBill(con.out, &job); err != nil {
		return err
	}
	return end
}

// tailing shows of a job that is waited for how it stands and what it writes.
type tailing struct {
	con    *console
	market *client.Client
	quiet  bool
	state  string // as it was last shown
	at     int64  // so much of its output was shown
}

// look shows what is new of a job. What it writes may not be there yet, or be on a node
// that does not answer: libra logs says so to those who ask.
func (t *tailing) look(ctx context.Context, j *v1.Job) {
	if t.quiet {
		return
	}
	if state := j.Shown(); state != t.state && onTerminal(t.con.err) {
		t.state = state
		control(t.con.err, "\r\x1b[K")
		if nodes := nodesOf(j); nodes != "" {
			state += " on " + nodes
		}
		printf(t.con.err, "job %d is %s\n", j.ID, state)
	}
	if j.StartedUS == 0 || j.Request.Array != nil || len(j.Places) == 0 {
		return
	}
	for {
		piece, err := t.market.Tail(ctx, j.ID, client.Output{Offset: t.at})
		if err != nil || piece.Error != "" || len(piece.Data) == 0 {
			return
		}
		if onTerminal(t.con.err) {
			control(t.con.err, "\r\x1b[K") // what is drawn there goes on below
		}
		if _, err = unwatched(t.con.out).Write(piece.Data); err != nil {
			return
		}
		if t.at = piece.Offset + int64(len(piece.Data)); t.at >= piece.Size {
			return
		}
	}
}

// printBill prints what a job owed and for what.
func printBill(out io.Writer, j *v1.Job) error {
	if j.Receipt == nil {
		return nil
	}
	g := &grid{left: 1}
	lines := j.Receipt.Lines
	if !exact.Load() {
		lines = wire.ReceiptLines(j.Receipt)
	}
	for _, l := range lines {
		g.add("  "+l.What, cash(l.Amount))
	}
	g.add("  charged", cash(j.Receipt.Charged))
	if j.Receipt.Penalty != 0 {
		g.add("  paid back for being late", cash(-j.Receipt.Penalty))
	}
	if why := worked(j); why != "" {
		if err := paragraph(out, "", fmt.Sprintf("%s was agreed: %s", cash(j.Price), why)); err != nil {
			return err
		}
	}
	return g.write(out, "")
}

func awaitEnd(ctx context.Context, con *console, market *client.Client, job v1.Job, look func(context.Context, *v1.Job)) (v1.Job, error) {
	var done atomic.Int64
	finish := con.progress(fmt.Sprintf("job %d", job.ID), job.Request.EstimateMS, done.Load)
	defer finish()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	happened := notices(watching, market)
	tick := time.NewTicker(waitEvery)
	defer tick.Stop()
	for {
		now, err := market.Job(ctx, job.ID)
		if err != nil {
			return job, err
		}
		job = now
		done.Store(job.Work)
		look(ctx, &job)
		if job.State.Final() {
			return job, nil
		}
		select {
		case <-ctx.Done():
			return job, ctx.Err()
		case <-happened:
		case <-tick.C:
		}
	}
}

// howItEnded says in one line how a job ended.
func howItEnded(j *v1.Job) string {
	text := fmt.Sprintf("job %d %s", j.ID, j.Shown())
	if begun := j.Begun(); begun != 0 && j.EndedUS != 0 {
		text += " after " + lasting(time.Duration(max(0, j.EndedUS-begun))*time.Microsecond)
	}
	text += fmt.Sprintf(": %s charged", cash(j.Charged))
	if j.Penalty != 0 {
		text += fmt.Sprintf(", %s paid back for being late", cash(j.Penalty))
	}
	return text
}

// endOf is nothing for a job that succeeded.
func endOf(j *v1.Job) error {
	said := fmt.Sprintf("job %d %s", j.ID, j.State.Word())
	if j.Detail != "" {
		said += ": " + j.Detail
	}
	switch j.State {
	case v1.Completed:
		return nil
	case v1.Rejected:
		return &jobEnd{said, exitNotTaken}
	case v1.Failed:
		code := failure(j)
		if j.Detail == "" {
			said += fmt.Sprintf(": exit status %d", code)
		}
		return &jobEnd{said, code}
	default:
		return &jobEnd{said, exitFailure}
	}
}

// failure is the exit code of a job that failed: that of the first of its
// tasks, or elements, that did; 128 and the number of the signal if one ended
// it, as a shell has it.
func failure(j *v1.Job) int {
	for i := range j.Tasks {
		t := &j.Tasks[i]
		for _, e := range t.Elements {
			if code := codeOf(e.Exit, e.Signal); code != 0 {
				return code
			}
		}
		if code := codeOf(t.Exit, t.Signal); code != 0 && t.State == v1.TaskEnded {
			return code
		}
	}
	return exitFailure
}

func codeOf(exit int, signal string) int {
	if signal == "" {
		return exit
	}
	if n := unix.SignalNum(signal); n != 0 {
		return 128 + int(n)
	}
	return exitFailure
}
