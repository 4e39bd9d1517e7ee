package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

const (
	defaultTail = 64 << 10
	maxTail     = 1 << 20
	maxRank     = 1 << 20

	tailWait  = 30 * time.Second // for a node to answer
	writeWait = 30 * time.Second // for a client to take a piece of a stream
)

// wanted says which part of a job's output somebody wants.
type wanted struct {
	job           int64
	rank          int
	element       *int
	stderr        bool
	offset, limit int64
}

// output answers with a piece of what a job has written, or with all it writes
// until it has ended.
func output(c *call) error {
	p, err := c.query()
	if err != nil {
		return err
	}
	w := wanted{
		rank:   int(p.number("rank", 0, 0, maxRank)),
		stderr: p.choice("stream", "stdout", "stdout", "stderr") == "stderr",
		offset: p.number("offset", 0, -1<<62, 1<<62),
		limit:  p.number("limit", defaultTail, 1, maxTail),
	}
	if p.text("element") != "" {
		e := int(p.number("element", 0, 0, 1<<31-1))
		w.element = &e
	}
	follow := p.flag("follow")
	if p.err != nil {
		return p.err
	}
	job, err := c.ownJob()
	if err != nil {
		return err
	}
	if w.job = job.ID; follow {
		return c.followOutput(&job, &w)
	}
	c.takesLong(tailWait + writeWait)
	ctx, cancel := context.WithTimeout(c.r.Context(), tailWait)
	defer cancel()
	chunk, err := c.h.jobs.Tail(ctx, w.job, w.rank, w.element, w.stderr, w.offset, w.limit)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, &chunk)
}

// followOutput writes what the job writes, as text. What the node has to say
// against it in the end goes into a trailer.
func (c *call) followOutput(job *v1.Job, w *wanted) error {
	done, err := c.follow()
	if err != nil {
		return err
	}
	defer done()
	w.limit = maxTail
	header := c.w.Header()
	header["Content-Type"] = textType
	header["Trailer"] = []string{trailer}
	rc := http.NewResponseController(c.w)
	c.takesLong(writeWait)
	c.head(http.StatusOK)
	if err = rc.Flush(); err != nil {
		return err
	}
	wait := time.NewTicker(c.h.options.Poll)
	defer wait.Stop()
	for {
		// The state is read before the output: what a job wrote before it ended
		// is there when it is seen to have ended.
		ended, complaint := job.State.Final(), ""
		if job.StartedUS != 0 {
			complaint, err = c.copyOutput(rc, w)
			if err != nil {
				return err
			}
		}
		if ended || !c.stillGood() {
			header[trailer] = []string{complaint}
			return nil
		}
		select {
		case <-wait.C:
		case <-c.r.Context().Done():
			return c.r.Context().Err()
		case <-c.h.closed:
			return nil
		}
		if *job, err = c.h.jobs.Job(c.r.Context(), w.job); err != nil {
			return err
		}
	}
}

// trailer says why there is no more output, if not because it was all.
const trailer = "Libra-Error"

// copyOutput writes all there is now. A node that does not answer is asked again
// at the next turn.
func (c *call) copyOutput(rc *http.ResponseController, w *wanted) (complaint string, err error) {
	for {
		ctx, cancel := context.WithTimeout(c.r.Context(), tailWait)
		chunk, err := c.h.jobs.Tail(ctx, w.job, w.rank, w.element, w.stderr, w.offset, w.limit)
		cancel()
		switch {
		case c.r.Context().Err() != nil:
			return "", c.r.Context().Err()
		case errors.Is(err, trade.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
			return "the node does not answer", nil
		case err != nil:
			return "", err
		case chunk.Error != "":
			return oneLine(chunk.Error), nil
		case chunk.Size < w.offset:
			w.offset = 0 // the job was started anew, and so was the file
			continue
		}
		w.offset = chunk.Offset + int64(len(chunk.Data))
		if len(chunk.Data) == 0 {
			return "", nil
		}
		c.takesLong(writeWait)
		n, err := c.w.Write(chunk.Data)
		c.sent += int64(n)
		if err == nil {
			err = rc.Flush()
		}
		if err != nil {
			return "", err
		}
	}
}

// oneLine keeps what a node said from being more than a header can hold.
func oneLine(text string) string {
	if !validLabel(text, 1000) {
		return "the node complained"
	}
	return text
}
