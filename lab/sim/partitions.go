package sim

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/lab/workload"
)

// Partitions sells what a world has at a factor of its prices, by the partition that a job
// is in, as a live market does and with its reckoning (core/trade): the world is told what a
// job may cost in its own prices, and what it asks is told in those of the partition.
type Partitions struct {
	world  World
	rates  *trade.Rates
	priced map[market.JobID]*priced
	inputs []market.Event // scratch
	event  market.Event   // scratch: as it is shown
	record market.Record  // scratch
}

// priced is a job in a partition with a factor that is there.
type priced struct {
	spec   market.Job // as its user submitted it
	factor int64
}

// SellPartitions has a world sell its partitions at their factors; false: there are none but
// those at the market's own prices, and there is nothing to do.
func SellPartitions(w World, rates *trade.Rates) (*Partitions, bool) {
	if rates == nil {
		return nil, false
	}
	for name := range rates.Partitions {
		if rates.Factor(name) != 0 {
			return &Partitions{world: w, rates: rates, priced: map[market.JobID]*priced{}}, true
		}
	}
	return nil, false
}

// Step passes on what happens, in the world's prices.
func (p *Partitions) Step(at market.Time, happened []market.Event) ([]market.Event, error) {
	p.inputs = p.inputs[:0]
	for _, e := range happened {
		if e.Kind == market.Submitted && e.Spec.Where != nil {
			if factor := p.rates.Factor(e.Spec.Where.Partition); factor != 0 {
				known, told := &priced{spec: *e.Spec, factor: factor}, *e.Spec
				told.SLA = trade.SLAPer(told.SLA, factor)
				p.priced[e.Job], e.Spec = known, &told
			}
		}
		p.inputs = append(p.inputs, e)
	}
	return p.world.Step(at, p.inputs)
}

// Seer shows records on in the prices of the partitions, and jobs as they were submitted.
func (p *Partitions) Seer(show func(*market.Record)) func(*market.Record) {
	return func(r *market.Record) {
		known, is := p.priced[r.Job]
		if !is || r.Kind.Input() || r.Spec == nil {
			show(r)
			return
		}
		p.event, p.record = *trade.InPartition(r.Event, known.factor), *r
		p.event.Spec, p.record.Event = &known.spec, &p.event
		switch r.Kind {
		case market.Completed, market.Rejected, market.Stopped:
			delete(p.priced, r.Job)
		default: // it is there still
		}
		show(&p.record)
	}
}

// InPartitions places the jobs of a source: one that names no partition is in the usual one,
// and what is named counts for nothing where there are none. One that is nowhere is an error.
func InPartitions(jobs workload.Source, rates *trade.Rates) workload.Source {
	if rates == nil {
		rates = &trade.Rates{}
	}
	return &placed{src: jobs, rates: rates, in: map[market.Where]*market.Where{}}
}

type placed struct {
	src   workload.Source
	rates *trade.Rates
	in    map[market.Where]*market.Where // one of each
}

func (p *placed) Next(a *workload.Arrival) error {
	if err := p.src.Next(a); err != nil {
		return err
	}
	if a.Job.Where == nil && len(p.rates.Partitions) == 0 {
		return nil
	}
	var where market.Where
	if a.Job.Where != nil {
		where = *a.Job.Where
	}
	asked := trade.Request{Partition: where.Partition}
	if err := p.rates.Settle(&asked); err != nil {
		return fmt.Errorf("job %s: partition %s: %w", a.Label(), where.Partition, err)
	}
	where.Partition = asked.Partition
	if where == (market.Where{}) {
		a.Job.Where = nil
		return nil
	}
	if p.in[where] == nil {
		p.in[where] = &where
	}
	a.Job.Where = p.in[where]
	return nil
}

var _ World = (*Partitions)(nil)
