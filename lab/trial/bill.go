package trial

import (
	"errors"
	"fmt"
	"math"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

// Rules are those that a list of settings names, the others being the papers', and
// the settings that are left for the policy. What is named is of the table of a
// live market (what was used is paid), if the table is not named itself; named is
// false where the papers' rules hold, and a job costs its price.
func Rules(set map[string]string) (r rules.Rules, rest map[string]string, named bool, err error) {
	own, rest := rules.Split(set)
	r = rules.Papers()
	if len(own) > 0 {
		r.Endings = rules.EndingsUsed
	}
	if r, err = r.With(own); err != nil {
		return r, rest, false, err
	}
	return r, rest, r != rules.Papers(), nil
}

// ErrLive says that a rule is for live markets alone.
var ErrLive = errors.New("for live markets only")

// Plays says of a rule that somebody asks for why it cannot be played here; nil: it can,
// or makes no difference. What a history brings with it is not asked for: memory is
// then sold as the policy does.
func Plays(name, value string) error {
	if name == "storage" && value == string(rules.StorageHeld) {
		return fmt.Errorf("%w: storage=held: here memory and disk are sold by the policy, with its price (libra-plus; resources=time: by the hour of the estimate)", ErrLive)
	}
	return nil
}

// biller shows what jobs owe by the rules of a market, in place of their price:
// by the function that bills live ones.
type biller struct {
	rules  rules.Rules
	agreed map[market.JobID]terms
	show   func(*market.Record)
	event  market.Event  // scratch: as it is shown
	record market.Record // scratch
}

// terms are what was agreed with a job that has not ended.
type terms struct {
	price market.Price
	firm  bool
}

// See takes in a record, and shows it on.
func (b *biller) See(r *market.Record) {
	switch r.Kind {
	case market.Accepted, market.Queued:
		b.agreed[r.Job] = terms{price: r.Price, firm: r.Firm}
	case market.Rejected, market.Stopped:
		delete(b.agreed, r.Job)
	case market.Completed:
		t := b.agreed[r.Job]
		delete(b.agreed, r.Job)
		if owed, known := b.owed(r, t); known {
			b.event, b.record = *r.Event, *r
			b.event.Price, b.record.Event = owed, &b.event
			b.show(&b.record)
			return
		}
	default: // says nothing of money
	}
	b.show(r)
}

// owed is what a job that ran to its end costs, penalties off; false where its price
// is no amount of money.
func (b *biller) owed(r *market.Record, t terms) (market.Price, bool) {
	price, err := bill.Amount(&b.rules, t.price)
	if err != nil || !t.price.Limited() {
		return 0, false
	}
	s := r.Spec
	estimate, work := inMS(s.Estimate), inMS(r.Work)
	penalty, err := s.SLA.Penalty.Money()
	if err != nil {
		return 0, false
	}
	j := bill.Job{
		Price: price, Held: bill.MaxAmount, EstimateMS: estimate, Due: s.Due(), Promised: t.firm, Penalty: penalty,
	}
	e := bill.Ending{
		Way: bill.Ended, At: r.Finish, Begun: true, WorkMS: work, Mandatory: market.Never, UsedUp: market.Never, Fine: t.price - r.Price,
	}
	if over := work - estimate; over > 0 { // nobody stops it here: it bought what it took, at its own price, and is late by its own doing
		j.Extensions = []bill.Extension{{WorkMS: over, Price: bill.PartOf(&b.rules, price, over, estimate)}}
		e.UsedUp = s.Submit
	}
	owed := bill.Owed(&b.rules, &j, &e)
	return owed.Net().Price(), true
}

func inMS(w market.Work) int64 { return int64(math.Round(float64(w) * 1e3)) }
