package broker

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/store"
)

// Reasons of this package, beside those of exchange.
const (
	reasonAway   = "cluster_away"        // nothing is heard of the cluster that has the job
	reasonNobody = "no_cluster_answers"  // to a request
	reasonDenied = "unknown_to_cluster"  // the cluster had the job and says that it does not
	reasonSplit  = "refused_by_clusters" // by each for a reason of its own
)

// mostMoves is how often a job goes to another cluster.
const mostMoves = 3

// mayMove reports whether a job that its cluster lost may go to another.
func (f *facts) mayMove() bool { return f.Resubmit && !f.Fixed && len(f.Tried) < mostMoves }

// leftovers is what the cluster of a job may have of it.
func (f *facts) leftovers() []leftover {
	if f.Cluster == "" {
		return f.Left
	}
	return append(slices.Clone(f.Left), leftover{Cluster: f.Cluster, Nonce: f.Nonce, Remote: f.Remote, SentUS: f.HandedUS})
}

// lose ends a job that nobody will run.
func (t *trip) lose(detail string) (api.Outcome, error) {
	return t.end(func(f *facts) *v1.Refusal {
		f.Job.State, f.Job.Reason, f.Job.Detail, f.Job.EndedUS = v1.Lost, reasonAway, detail, t.b.now()
		f.Left = f.leftovers()
		return nil
	}, true, nil)
}

// refuse says no to a job, for all clusters together. Where none of them answered
// nothing was decided, so nothing is kept.
func (t *trip) refuse() (api.Outcome, error) {
	refusal, quotes := t.b.refusal(t.w, t.nos, true)
	decided := slices.ContainsFunc(t.nos, func(n no) bool { return n.reason != "" })
	if t.e == nil && !decided {
		return api.Outcome{Refusal: refusal}, nil
	}
	return t.end(func(f *facts) *v1.Refusal {
		f.Job.State, f.Job.Reason, f.Job.Detail, f.Job.EndedUS = v1.Rejected, refusal.Reason, refusal.Detail, t.b.now()
		if n := len(f.Tried); n > 0 {
			f.Job.State, f.Job.Detail = v1.Lost, fmt.Sprintf("lost by %s, and nobody else takes it: %s", f.Tried[n-1], refusal.Detail)
		}
		f.Cluster, f.Nonce, f.Job.Price, f.Job.Account = "", "", 0, f.Job.Owner
		no := *refusal
		no.Job = f.Job.ID
		return &no
	}, decided, quotes)
}

// end writes down how a job ended that no cluster has, with the answer.
func (t *trip) end(how func(*facts) *v1.Refusal, decided bool, quotes []store.Reply) (api.Outcome, error) {
	var out api.Outcome
	answer := func(f *facts) ([]store.Reply, error) {
		refusal := how(f)
		view := f.Job
		out = api.Outcome{Job: &view, Refusal: refusal}
		if !decided {
			return quotes, nil
		}
		replies, err := t.b.reply(t.key, &out)
		return append(replies, quotes...), err
	}
	if t.e == nil {
		e, err := t.b.enter(t.facts(), &t.w.request, answer)
		if err != nil {
			return api.Outcome{}, closed(err)
		}
		t.b.publish(e)
		return out, nil
	}
	if err := t.b.conclude(t.e, answer); err != nil {
		return api.Outcome{}, closed(err)
	}
	if out.Job == nil { // its user was faster
		out.Job = t.b.view(t.e)
	}
	t.b.publish(t.e)
	return out, nil
}
