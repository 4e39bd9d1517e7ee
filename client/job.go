package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// AskQuote asks for a quote that binds for a while (0: the server's default).
func (c *Client) AskQuote(ctx context.Context, r v1.Request, ttl time.Duration) (q v1.Quote, err error) {
	err = c.post(ctx, "/v1/quotes", v1.QuoteRequest{TTLMS: ttl.Milliseconds(), Request: r}, &q)
	return q, err
}

// Preview asks for a quote that binds nobody.
func (c *Client) Preview(ctx context.Context, r v1.Request) (q v1.Quote, err error) {
	err = c.call(ctx, &ask{method: http.MethodPost, path: "/v1/previews", body: v1.PreviewRequest{Request: r}}, &q)
	return q, err
}

// Quote reads a binding quote.
func (c *Client) Quote(ctx context.Context, id string) (q v1.Quote, err error) {
	err = c.get(ctx, "/v1/quotes/"+url.PathEscape(id), nil, &q)
	return q, err
}

// DropQuote takes a binding quote back.
func (c *Client) DropQuote(ctx context.Context, id string) error {
	return c.delete(ctx, "/v1/quotes/"+url.PathEscape(id))
}

// Submit hands in a job, on a quote if one is named. The answer's request is
// without the script.
func (c *Client) Submit(ctx context.Context, r v1.Request, quote string) (j v1.Job, err error) {
	err = c.post(ctx, "/v1/jobs", v1.SubmitRequest{Request: r, Quote: quote}, &j)
	return j, err
}

// Jobs lists jobs, newest first.
func (c *Client) Jobs(ctx context.Context, q v1.JobQuery) (p v1.JobPage, err error) {
	err = c.get(ctx, "/v1/jobs", jobQuery(q), &p)
	return p, err
}

// CountJobs counts jobs by state: one's own, or for the owner of the cluster
// those of a user or of all ("").
func (c *Client) CountJobs(ctx context.Context, owner string) (map[v1.State]int64, error) {
	v := jobQuery(v1.JobQuery{Owner: owner, Limit: 1})
	v.Set("counts", "1")
	var p v1.JobPage
	err := c.get(ctx, "/v1/jobs", v, &p)
	return p.Counts, err
}

func jobQuery(q v1.JobQuery) url.Values {
	v := url.Values{}
	words := make([]string, len(q.States))
	for i, s := range q.States {
		words[i] = string(s)
	}
	set(v, "state", strings.Join(words, ","))
	set(v, "owner", q.Owner)
	set(v, "name", q.Name)
	set(v, "account", q.Account)
	setNumber(v, "batch", q.Batch)
	setNumber(v, "before", q.Before)
	setNumber(v, "limit", int64(q.Limit))
	return v
}

// Job reads a job.
func (c *Client) Job(ctx context.Context, id int64) (j v1.Job, err error) {
	err = c.get(ctx, jobPath(id, ""), nil, &j)
	return j, err
}

// Cancel takes a job back. Asked twice, it is urgent: the job is killed.
func (c *Client) Cancel(ctx context.Context, id int64) (j v1.Job, err error) {
	err = c.post(ctx, jobPath(id, "/cancel"), nil, &j)
	return j, err
}

// Release lets a job begin that was handed in on hold.
func (c *Client) Release(ctx context.Context, id int64) (j v1.Job, err error) {
	err = c.post(ctx, jobPath(id, "/release"), nil, &j)
	return j, err
}

// Void ends a job whatever state it is in, for nothing: for the owner of the market.
func (c *Client) Void(ctx context.Context, id int64, reason string) (j v1.Job, err error) {
	err = c.post(ctx, jobPath(id, "/void"), v1.VoidRequest{Reason: reason}, &j)
	return j, err
}

// Explain says why a job stands as it does.
func (c *Client) Explain(ctx context.Context, id int64) (e v1.Explanation, err error) {
	err = c.get(ctx, jobPath(id, "/explain"), nil, &e)
	return e, err
}

// Receipt is the bill of a job that has ended.
func (c *Client) Receipt(ctx context.Context, id int64) (r v1.Receipt, err error) {
	err = c.get(ctx, jobPath(id, "/receipt"), nil, &r)
	return r, err
}

func jobPath(id int64, rest string) string { return "/v1/jobs/" + strconv.FormatInt(id, 10) + rest }

// Output says which output of a job to read.
type Output struct {
	Stderr  bool
	Rank    int
	Element *int
	Offset  int64 // negative: from the end
	Limit   int64 // 0: the server's default
}

func (o *Output) query() url.Values {
	v := url.Values{}
	if o.Stderr {
		v.Set("stream", "stderr")
	}
	if o.Element != nil {
		v.Set("element", strconv.Itoa(*o.Element))
	}
	setNumber(v, "rank", int64(o.Rank))
	setNumber(v, "offset", o.Offset)
	setNumber(v, "limit", o.Limit)
	return v
}

// Tail reads a piece of what a job has written. The node that has it is asked,
// so it may take a while.
func (c *Client) Tail(ctx context.Context, id int64, o Output) (k v1.Chunk, err error) {
	a := &ask{method: http.MethodGet, path: jobPath(id, "/logs"), query: o.query(), wait: 30 * time.Second}
	err = c.call(ctx, a, &k)
	return k, err
}

// FollowOutput reads what a job writes, until it has ended. Limit has no
// meaning. What the node has to say against it is the last error of Read. A stream that
// breaks off, because its controller is gone or another one leads now, ends with
// [io.ErrUnexpectedEOF]: ask again, from where it was.
func (c *Client) FollowOutput(ctx context.Context, id int64, o Output) (io.ReadCloser, error) {
	o.Limit = 0
	v := o.query()
	v.Set("follow", "1")
	ctx, giveUp := context.WithCancelCause(ctx)
	s, moved := c.current()
	stop := c.watch(ctx, s, moved, true, giveUp)
	res, err := c.openAt(ctx, s, &ask{method: http.MethodGet, path: jobPath(id, "/logs"), query: v, accept: "text/plain"}, nil)
	if err != nil {
		stop()
		if cause := context.Cause(ctx); errors.Is(cause, errMoved) {
			err = cause
		}
		giveUp(nil)
		return nil, err
	}
	return &outputReader{res: res, ctx: ctx, stop: func() { stop(); giveUp(nil) }}, nil
}

// outputReader ends with what the trailer says. Who leads no more, or stands still, has
// not said the end.
type outputReader struct {
	res  *http.Response
	ctx  context.Context //nolint:containedctx // of the one call that it reads the answer of
	stop func()
}

func (r *outputReader) Read(p []byte) (int, error) {
	n, err := r.res.Body.Read(p)
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		if why := r.res.Trailer.Get("Libra-Error"); why != "" {
			return n, errors.New(why)
		}
	case r.ctx.Err() == nil || errors.Is(context.Cause(r.ctx), errMoved):
		return n, fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return n, err
}

func (r *outputReader) Close() error {
	r.stop()
	return r.res.Body.Close()
}

func (c *Client) delete(ctx context.Context, path string) error {
	return c.call(ctx, &ask{method: http.MethodDelete, path: path}, nil)
}

func set(v url.Values, name, text string) {
	if text != "" {
		v.Set(name, text)
	}
}

func setNumber(v url.Values, name string, n int64) {
	if n != 0 {
		v.Set(name, strconv.FormatInt(n, 10))
	}
}
