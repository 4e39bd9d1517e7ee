package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/wire"
)

// jobView is the page of one job.
type jobView struct {
	rowView
	Why      v1.Explanation
	Timeline template.HTML
	Ranks    []int
	Said     string

	unit string // that amounts are in
}

// Stoppable reports whether it can still be cancelled.
func (v *jobView) Stoppable() bool { return v.Underway() }

// HasOutput reports whether there may be something to read.
func (v *jobView) HasOutput() bool { return v.StartedUS != 0 }

// Worked says why its price is what it is.
func (v *jobView) Worked() string { return wire.Worked(&v.Job, v.unit) }

// ReceiptLines are those of its receipt, as they add up.
func (v *jobView) ReceiptLines() []v1.ReceiptLine { return wire.ReceiptLines(v.Receipt) }

// GPUs is how many each of its programs holds; "": none.
func (v *jobView) GPUs() string {
	if v.Request.GPUs == 0 {
		return ""
	}
	return market.CountGPUs(v.Request.GPUKind, v.Request.GPUs)
}

// IfCancelled is what it owes if it is cancelled now: nothing before it has begun.
func (v *jobView) IfCancelled() int64 {
	if v.StartedUS == 0 {
		return 0
	}
	return v.Cancelled()
}

// Cancelled is its bill if it were cancelled now.
func (v *jobView) Cancelled() int64 {
	if v.Why.CancelNow == nil {
		return v.Why.CostNow
	}
	return *v.Why.CancelNow
}

func showJob(c *call) error {
	id, err := c.id()
	if err != nil {
		return err
	}
	j, err := c.job(id)
	if err != nil {
		return err
	}
	v := &jobView{rowView: *c.h.row(c.r.Context(), &j, false), unit: c.h.unit}
	if v.Why, err = c.h.market.Explain(c.r.Context(), id); err != nil {
		return err
	}
	v.CostNow = v.Why.CostNow // of one moment with what it costs to cancel it
	v.Timeline = drawTimeline(&v.rowView, v.Why.PredictedUS)
	for i := range j.Programs() {
		v.Ranks = append(v.Ranks, i)
	}
	if c.r.URL.Query().Get("said") == "ended" {
		v.Said = "The job had ended before that."
	}
	return c.page("job", fmt.Sprintf("Job %d, %s", j.ID, j.Name), "jobs", v)
}

func cancelJob(c *call) error {
	return c.tellJob(func(id int64) trade.Command { return trade.Command{Cancel: &trade.Cancel{Job: id}} })
}

// releaseJob lets a job begin that its user keeps back. One that is not, because it was let
// before, is shown as it is.
func releaseJob(c *call) error {
	err := c.tellJob(func(id int64) trade.Command { return trade.Command{Begin: &trade.Begin{Job: id}} })
	if errors.Is(err, trade.ErrConflict) {
		return c.redirect("/jobs/" + c.r.PathValue("id"))
	}
	return err
}

// tellJob has the market do something with a job, and shows it then.
func (c *call) tellJob(what func(id int64) trade.Command) error {
	id, err := c.id()
	if err != nil {
		return err
	}
	if _, err = c.job(id); err != nil {
		return err
	}
	to := "/jobs/" + strconv.FormatInt(id, 10)
	_, err = c.do(what(id), api.Key{})
	if errors.Is(err, trade.ErrUnknown) { // it is there, so it has ended: the market floor forgets those
		return c.redirect(to + "?said=ended")
	}
	if err != nil {
		return err
	}
	return c.redirect(to)
}

const (
	logPiece = 64 << 10
	tailWait = 20 * time.Second
)

// readLog answers with a piece of what a job has written. Where it is, and why
// there is none, stands in headers: a page that follows a log must not fill its
// console with errors because a node is slow.
func readLog(c *call) error {
	id, err := c.id()
	if err != nil {
		return err
	}
	j, err := c.job(id)
	if err != nil {
		return err
	}
	q := c.r.URL.Query()
	offset, err := strconv.ParseInt(q.Get("offset"), 10, 64)
	if err != nil {
		offset = -logPiece
	}
	rank, err := strconv.Atoi(q.Get("rank"))
	if err != nil || rank < 0 || rank >= j.Programs() {
		rank = 0
	}
	var element *int
	if e, wrong := strconv.Atoi(q.Get("element")); wrong == nil && e >= 0 {
		element = &e
	}
	if q.Get("download") != "" {
		if j.StartedUS == 0 || len(j.Places) == 0 {
			return errNotFound
		}
		return c.download(id, rank, element, q.Get("stream") == "stderr")
	}
	header := c.w.Header()
	header.Set("X-State", string(j.State))
	if j.StartedUS == 0 || len(j.Places) == 0 {
		header.Set("X-Note", "it has not started")
		c.raw(http.StatusOK, "application/octet-stream", nil)
		return nil
	}
	c.takesLong(tailWait + 10*time.Second)
	ctx, cancel := context.WithTimeout(c.r.Context(), tailWait)
	defer cancel()
	chunk, err := c.h.market.Tail(ctx, id, rank, element, q.Get("stream") == "stderr", offset, logPiece)
	switch {
	case c.r.Context().Err() != nil:
		return c.r.Context().Err()
	case errors.Is(err, trade.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		header.Set("X-Note", "the node does not answer")
		c.raw(http.StatusOK, "application/octet-stream", nil)
		return nil
	case errors.Is(err, trade.ErrUnknown) || err == nil && chunk.Error != "":
		header.Set("X-Note", "there is no output yet")
		if j.State.Final() {
			header.Set("X-Note", "there is no output")
		}
		c.raw(http.StatusOK, "application/octet-stream", nil)
		return nil
	case err != nil:
		return err
	}
	header.Set("X-Offset", strconv.FormatInt(chunk.Offset, 10))
	header.Set("X-Size", strconv.FormatInt(chunk.Size, 10))
	c.raw(http.StatusOK, "application/octet-stream", chunk.Data)
	return nil
}
