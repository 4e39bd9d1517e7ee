package exchange

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/trade"
)

// A quote that binds keeps room from others, so it is paid for: it holds its price,
// which nothing else can then be bought for; what all of one user keep is a part of
// the cluster at most, and what all of everybody keep a larger one; and if it is not taken, the time for which it kept room costs
// a part of its price. Where the market has partitions, each is such a cluster: a small one would
// be closed by a small part of all.

// mostQuotes is how many quotes one user may have open.
func (x *pricer) mostQuotes() int {
	if n, bounded := x.rules().QuoteLimit.Count(); bounded {
		return int(n)
	}
	return trade.MaxQuotes
}

// agree says whether a quote binds, and if so what it keeps.
func (x *pricer) agree(q *quote.Held, asked *market.Job, firm bool) {
	if !firm {
		q.NotBinding = "under " + q.Policy + " nothing is promised to this job before it runs: it is priced when the job is submitted" + q.Passage()
		return
	}
	keeps := x.keeps(q, asked)
	if why := x.tooMuch(q, keeps); why != "" {
		q.NotBinding = why
		return
	}
	q.Binding, q.Keeps = true, keeps
}

// keeps is how many processors' worth of the cluster a quote keeps from others.
// Where processors are shared by time it is the part of each that the job needs to
// be in time, and otherwise all of each; memory, disk and GPUs that nobody else can have
// count as the part of the cluster's that they are.
func (x *pricer) keeps(q *quote.Held, asked *market.Job) float64 {
	share := 1.0
	if x.kind.TimeShared && q.Share > 0 {
		share = q.Share
	}
	return x.nodes.CensusOf(q.Request.Partition).Worth(asked, share*float64(q.Width))
}

// tooMuch says why a user may not keep so much more by quotes. One quote that keeps
// no more than one processor may always be had: on a cluster of a few processors
// the part that the rules name is less than any job.
func (x *pricer) tooMuch(q *quote.Held, keeps float64) string {
	const little = 1e-9
	in, of := q.Request.Partition, q.Request.OfPartition()
	up := x.nodes.CensusOf(in).Processors
	most, bounded := x.rules().QuoteShare.Of(float64(up))
	have := x.quotes.KeptIn(in, q.Owner)
	if all, some := x.rules().QuoteAll.Of(float64(up)); some {
		all = max(1, all)
		if kept := x.quotes.KeptIn(in, ""); kept+keeps > all+little {
			return fmt.Sprintf("it would keep %.2f processors%s, and all open quotes together may keep %.2f of %d at most, so that there is something left to buy; they keep %.2f", keeps, of, all, up, kept)
		}
	}
	if !bounded || have+keeps <= most+little || have == 0 && keeps <= 1+little {
		return ""
	}
	return fmt.Sprintf("it would keep %.2f processors%s, and open quotes of one user may keep %.2f of %d at most (and one of one processor); yours keep %.2f",
		keeps, of, most, up, have)
}
