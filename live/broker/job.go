package broker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/wire"
)

// lean is a request without what may be large.
func lean(r *v1.Request) v1.Request {
	l := *r
	l.Script, l.Env = "", nil
	if len(l.Argv) > leanArgs {
		l.Argv = l.Argv[:leanArgs]
	}
	return l
}

const leanArgs = 16

// jobName is what a job is called that has no name yet.
func jobName(r *v1.Request) string {
	switch {
	case r.Name != "":
		return r.Name
	case r.Script != "" || len(r.Argv) == 0:
		return "script"
	}
	name := r.Argv[0][strings.LastIndexByte(r.Argv[0], '/')+1:]
	return name[:min(len(name), trade.MaxName)]
}

// translate is a job of a cluster as the broker's users see it: under their own
// name and the broker's number, with the cluster before its accounts and nodes.
func (b *Broker) translate(s *seller, f *facts, j *v1.Job) v1.Job {
	t := *j
	t.ID, t.Owner, t.Name, t.Program, t.Account, t.Quote = f.Job.ID, f.Job.Owner, f.Job.Name, f.Job.Program, f.Job.Account, f.Job.Quote
	t.Request = f.Job.Request
	t.Request.Output, t.Request.Error = clipped(j.Request.Output), clipped(j.Request.Error)
	t.SubmittedUS, t.DueUS = f.Job.SubmittedUS, j.DueUS
	t.Reason, t.Detail, t.Policy = clipped(j.Reason), clipped(j.Detail), clipped(j.Policy)
	t.Attempt += len(f.Tried)
	t.Timeline = nil // long, and only the cluster's own page draws it
	t.Places = slices.Clone(j.Places[:min(len(j.Places), maxList)])
	for i := range t.Places {
		t.Places[i].Node = s.name + "/" + clipped(t.Places[i].Node)
	}
	t.Tasks = slices.Clone(j.Tasks[:min(len(j.Tasks), maxList)])
	for i := range t.Tasks {
		t.Tasks[i].Job = t.ID
	}
	t.Extensions = j.Extensions[:min(len(j.Extensions), maxList)]
	if j.Receipt != nil {
		receipt := *j.Receipt
		receipt.Job = t.ID
		t.Receipt = &receipt
	}
	return t
}

// maxList bounds the lists that are taken over from a cluster.
const maxList = 4096

// view is a job as it is known now, with what is not known said.
func (b *Broker) view(e *entry) *v1.Job {
	f := e.now()
	j := b.shown(&f)
	return &j
}

func (b *Broker) shown(f *facts) v1.Job {
	j := f.Job
	if j.State.Final() {
		return j
	}
	s := b.seller(f.Cluster)
	switch {
	case f.Cluster == "":
		j.Detail = "looking for another cluster"
	case s == nil:
		j.Reason, j.Detail = reasonAway, f.Cluster+" is not behind this broker any more"
	case s.away() != 0:
		j.Reason, j.Detail = reasonAway, fmt.Sprintf("unknown since %s: %s does not answer", clock(s.away()), s.name)
	case f.Remote == 0:
		j.Detail = fmt.Sprintf("handed to %s, which has not said yet whether it takes it", f.Cluster)
	}
	return j
}

func clock(us int64) string { return time.UnixMicro(us).UTC().Format("2006-01-02 15:04:05 UTC") }

// Job is all there is to know of a job, asked of its cluster if that answers.
func (b *Broker) Job(ctx context.Context, id int64) (v1.Job, error) {
	e, err := b.entry(ctx, id)
	if err != nil {
		return v1.Job{}, err
	}
	if f := e.now(); f.Remote != 0 && !f.Job.State.Final() {
		if l := b.at(f.Cluster, f.Job.Owner); l != nil && l.seller.away() == 0 {
			within, cancel := context.WithTimeout(ctx, b.options.Limit)
			l.refresh(within, e)
			cancel()
		}
	}
	j := *b.view(e)
	r, err := b.request(ctx, id)
	if err != nil {
		return j, closed(err)
	}
	j.Request.Script, j.Request.Env, j.Request.Argv = r.Script, r.Env, r.Argv
	return j, nil
}

// Jobs lists jobs, the newest first, as they were last heard of.
func (b *Broker) Jobs(ctx context.Context, q v1.JobQuery) ([]v1.Job, error) {
	if q.Batch != 0 {
		return nil, nil // each cluster has numbers of its own
	}
	ask := store.Query{Owner: q.Owner, Name: q.Name, Account: q.Account, Before: q.Before, Limit: q.Limit}
	for _, s := range q.States {
		ask.States = append(ask.States, string(s))
	}
	rows, err := b.store.Jobs(ctx, ask)
	if err != nil {
		return nil, closed(err)
	}
	jobs := make([]v1.Job, 0, len(rows))
	for i := range rows {
		b.mu.Lock()
		e := b.entries[rows[i].ID]
		b.mu.Unlock()
		if e == nil {
			if e, err = readEntry(&rows[i]); err != nil {
				return nil, err
			}
		}
		j := *b.view(e)
		j.Receipt, j.Tasks = nil, nil
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// CountJobs counts the jobs of one owner, or of all, by state.
func (b *Broker) CountJobs(ctx context.Context, owner string) (map[v1.State]int64, error) {
	rows, err := b.store.CountJobs(ctx, store.Query{Owner: owner})
	counts := map[v1.State]int64{}
	for state, n := range rows {
		counts[v1.State(state)] = n
	}
	return counts, closed(err)
}

// History lists all jobs in order of submission.
func (b *Broker) History(ctx context.Context, after int64, limit int) ([]v1.Job, error) {
	rows, err := b.store.Jobs(ctx, store.Query{After: after, Before: after + int64(limit) + 1, Limit: limit})
	if err != nil {
		return nil, closed(err)
	}
	var jobs []v1.Job
	for _, row := range slices.Backward(rows) {
		e, err := readEntry(&row)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, *b.view(e))
	}
	return jobs, nil
}

// Explain says how a job stands, in its cluster's words.
func (b *Broker) Explain(ctx context.Context, id int64) (v1.Explanation, error) {
	e, err := b.entry(ctx, id)
	if err != nil {
		return v1.Explanation{}, err
	}
	f := e.now()
	j := b.shown(&f)
	known := wire.ToJob(&j)
	epilogue := trade.Epilogue(&known)
	x := wire.Explanation(&epilogue)
	wire.ExplanationIn(&x, "") // what its clusters sell in is theirs to say
	if !j.State.Final() {
		x.Summary = j.State.Word()
		if j.Detail != "" {
			x.Summary += ": " + j.Detail
		}
	}
	if l := b.at(f.Cluster, j.Owner); l != nil && f.Remote != 0 && l.seller.away() == 0 {
		within, cancel := context.WithTimeout(ctx, b.options.Limit)
		defer cancel()
		told, err := l.client.Explain(within, f.Remote)
		l.seller.metIn(err)
		if err == nil {
			x = told
			x.Job, x.Summary, x.OddsFrom = id, clipped(told.Summary), clipped(told.OddsFrom)
			x.Because = []string{}
			for _, why := range told.Because[:min(len(told.Because), maxBecause)] {
				x.Because = append(x.Because, clipped(why))
			}
		}
	}
	if f.Remote != 0 {
		x.Because = append(x.Because, fmt.Sprintf("it is job %d of %s", f.Remote, f.Cluster))
	}
	for _, name := range f.Tried {
		x.Because = append(x.Because, "it was lost by "+name+" before")
	}
	return x, nil
}

const maxBecause = 32

// Tail reads a piece of what a job has written, from its cluster.
func (b *Broker) Tail(ctx context.Context, job int64, rank int, element *int, stderr bool, offset, limit int64) (v1.Chunk, error) {
	e, err := b.entry(ctx, job)
	if err != nil {
		return v1.Chunk{}, err
	}
	f := e.now()
	l := b.at(f.Cluster, f.Job.Owner)
	if l == nil || f.Remote == 0 {
		return v1.Chunk{}, fmt.Errorf("job %d is at no cluster: its output is %w", job, trade.ErrUnknown)
	}
	chunk, err := l.client.Tail(ctx, f.Remote, client.Output{Stderr: stderr, Rank: rank, Element: element, Offset: offset, Limit: limit})
	l.seller.metIn(err)
	if err != nil {
		return v1.Chunk{}, b.inWords(l, err)
	}
	if int64(len(chunk.Data)) > limit {
		chunk.Data = chunk.Data[:limit]
	}
	chunk.Error = clipped(chunk.Error)
	return chunk, nil
}

// inWords makes of what went wrong at a cluster what the API has words for.
func (b *Broker) inWords(l *login, err error) error {
	if p, ok := declined(err); ok {
		if missing(err) {
			return fmt.Errorf("%s: %w: %s", l.seller.name, trade.ErrUnknown, clipped(p.Error()))
		}
		return fmt.Errorf("%w: %s: %s", trade.ErrConflict, l.seller.name, clipped(p.Error()))
	}
	return fmt.Errorf("%w: %s %s", trade.ErrUnavailable, l.seller.name, why(err))
}
