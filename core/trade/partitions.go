package trade

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// A market may have partitions: each a set of nodes at a rate of its own, which is a factor of
// all of the market's prices. A job is in one of them, and on no node of another.

// Bounds of partitions. The factor is in millionths: one that is less than that is nothing.
const (
	maxPartitions = 64
	WholeFactor   = int64(market.Unit) // the prices of the market as they are
	maxFactor     = 1_000_000 * WholeFactor
)

// Factor is what all prices of a partition are times, in millionths; 0: they are the market's.
func (r *Rates) Factor(partition string) int64 {
	if f := r.Partitions[partition]; f != WholeFactor {
		return f
	}
	return 0
}

// factorOf is that of the partition of a job.
func (r *Rates) factorOf(j *market.Job) int64 {
	if j.Where == nil {
		return 0
	}
	return r.Factor(j.Where.Partition)
}

// FactorText is a factor as people write it.
func FactorText(millionths int64) string {
	return strings.TrimSuffix(strings.TrimRight(market.Money(millionths).Exact(), "0"), ".")
}

// Times is so many millionths of a price. None is all of it.
func Times(p market.Price, factor int64) market.Price {
	if factor == 0 {
		return p
	}
	return p * market.Price(float64(factor)/float64(WholeFactor))
}

// Per is the price of which so many millionths are p. None is all of it.
func Per(p market.Price, factor int64) market.Price {
	if factor == 0 {
		return p
	}
	return p / market.Price(float64(factor)/float64(WholeFactor))
}

// The core knows one price for all partitions: which nodes a job may be on is all that it is
// told of them. What a partition is dearer or cheaper goes in and out with what the
// exchange says to the core and hears from it: what a job may cost
// is that much less to the core, and what the core asks that much more to the job. Jobs of one
// partition are compared with each other as if there were no other, and no amount is rounded
// but once.

// SLAPer is what was agreed with a job as the core is told of it, in the market's prices.
func SLAPer(s market.SLA, factor int64) market.SLA {
	s.Budget, s.Penalty, s.Bonus = Per(s.Budget, factor), Per(s.Penalty, factor), Per(s.Bonus, factor)
	return s
}

// InPartition is what the core has said to a job, in the prices of its partition.
func InPartition(e *market.Event, factor int64) *market.Event {
	if factor == 0 {
		return e
	}
	own := *e
	own.Price = Times(e.Price, factor)
	return &own
}

// Usual is the partition of jobs that name none; "": the market has no partitions.
func (r *Rates) Usual() string {
	if len(r.Partitions) == 1 {
		for only := range r.Partitions {
			return only
		}
	}
	return r.Partition
}

// Place puts a request that names no partition into the usual one, and reports whether it is in
// one that is sold. Where the market has none there is nothing to choose, and what is named is
// passed over: scripts name the partitions of the place that they were written for.
func (r *Rates) Place(q *Request) bool {
	switch {
	case len(r.Partitions) == 0:
		q.Partition = ""
	case q.Partition == "":
		q.Partition = r.Usual()
	}
	return r.Knows(q.Partition)
}

// Settle places a request, and refuses one that is nowhere with where it could be.
func (r *Rates) Settle(q *Request) error {
	if !r.Place(q) {
		return market.Wrong("partition", "one of the market's: "+strings.Join(r.Names(), ", "))
	}
	return nil
}

// Knows reports whether a job can be in a partition: in none where the market has, or had, none.
func (r *Rates) Knows(partition string) bool {
	_, known := r.Partitions[partition]
	return known || partition == "" || len(r.Partitions) == 0
}

// Names are the partitions in their order, the usual one first.
func (r *Rates) Names() []string {
	names, usual := slices.Sorted(maps.Keys(r.Partitions)), r.Usual()
	slices.SortStableFunc(names, func(a, b string) int {
		switch usual {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	return names
}

// checkPartitions refuses partitions that make no sense.
func (r *Rates) checkPartitions() error {
	if len(r.Partitions) > maxPartitions {
		return market.Wrong("rates", fmt.Sprintf("at most %d partitions", maxPartitions))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Partitions)) {
		if !market.Word(name) {
			return market.Wrong("rates", "names of partitions: words of letters, digits, - _ and .")
		}
		if f := r.Partitions[name]; f <= 0 || f > maxFactor {
			return market.Wrong("rates", "a factor of the prices of partition "+name+", more than 0 and at most 1000000")
		}
	}
	switch _, known := r.Partitions[r.Partition]; {
	case r.Partition == "" && len(r.Partitions) > 1:
		return market.Wrong("rates", "the name of the partition that is meant where none is named")
	case r.Partition != "" && !known:
		return market.Wrong("rates", "a default partition that is one of the partitions")
	}
	return nil
}
