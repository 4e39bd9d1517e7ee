package grid

import "github.com/libra-market/libra/core/market"

// The pre-schedule of 003, section 3.4: what the contracts on the roll will pay
// from a time on if nothing else arrives, or that one of their mandatory parts
// would miss its deadline.
//
// It is a list schedule: every part in turn goes to the processor that is free
// first, mandatory parts by deadline, then optional parts in the order of the
// policy. Processors are alike, so it does not matter which of several is
// taken, and a heap of times stands for them.

// offer is the pre-schedule with a contract that is not on the roll, less the
// one without it (section 3.1). The mandatory parts that come before its own
// fare the same in both, and a contract arrives later than those it joins and
// is mostly due later: so they are scheduled once.
func (s *Site) offer(at market.Time, guest *contract) (Offer, error) {
	first, then := s.contracts.around(guest)
	invited := [1]*contract{guest}
	s.slate.clean(at, s.resource.Processors)
	if !s.schedule(at, first) {
		return Offer{}, declined
	}
	s.fork.copy(&s.slate)
	if !s.schedule(at, invited[:]) || !s.schedule(at, then) {
		return Offer{}, declined
	}
	offer := Offer{Finish: at, Ticket: s.ticket}
	for i := range guest.jobs {
		offer.Finish = max(offer.Finish, guest.jobs[i].ready)
	}
	some, others := s.valued.around(guest)
	s.refine(at, some)
	s.refine(at, invited[:])
	s.refine(at, others)
	with := s.slate.paid

	s.slate.copy(&s.fork)
	if !s.schedule(at, then) {
		return Offer{}, declined
	}
	s.refine(at, s.valued.contracts)
	offer.Gain = with - s.slate.paid
	return offer, nil
}

// schedule goes on with the mandatory parts of some contracts. It leaves in
// every job when its optional part can begin, and stops at a deadline missed.
func (s *Site) schedule(at market.Time, contracts []*contract) bool {
	for _, c := range contracts {
		for i := range c.jobs {
			j := &c.jobs[i]
			j.ready = at
			if j.phase != mandatory {
				continue
			}
			if left := j.at(at); !left.Done() {
				finish := s.slate.free() + market.Time(float64(left)/s.resource.MIPS)
				if finish.After(c.due) {
					return false
				}
				s.slate.occupy(finish)
				j.ready = finish
			}
			s.slate.paid += c.worth
		}
	}
	return true
}

// refine goes on with the optional parts of some contracts: each finds a place
// for what is left of it before the deadline. A part that finds none leaves the
// processor to the next.
func (s *Site) refine(at market.Time, contracts []*contract) {
	for _, c := range contracts {
		if c.optional.Done() {
			continue
		}
		for i := range c.jobs {
			j := &c.jobs[i]
			left := c.optional
			switch j.phase {
			case mandatory:
			case optional:
				left = j.at(at)
			case gone:
				continue
			}
			start := max(s.slate.free(), j.ready)
			end := min(start+market.Time(float64(left)/s.resource.MIPS), c.due)
			if !end.After(start) {
				continue
			}
			s.slate.occupy(end)
			done := c.optional - left
			s.slate.paid += c.budget.Between(done, done+market.Work(float64(end-start)*s.resource.MIPS))
		}
	}
}

// slate is when each processor will be free, and what is earned until then.
// Processors not used yet are a number, so that a large site with little to do
// is quickly estimated.
type slate struct {
	from   market.Time
	unused int
	busy   []market.Time // a heap, the first to be free on top
	paid   market.Price  // for what has been scheduled so far
}

func (s *slate) clean(from market.Time, processors int) {
	s.from, s.unused, s.busy, s.paid = from, processors, s.busy[:0], 0
}

func (s *slate) copy(from *slate) {
	s.from, s.unused, s.busy, s.paid = from.from, from.unused, append(s.busy[:0], from.busy...), from.paid
}

// free is when the first processor is.
func (s *slate) free() market.Time {
	if s.unused > 0 {
		return s.from
	}
	return s.busy[0]
}

// occupy gives the processor that is free first away until a time.
func (s *slate) occupy(until market.Time) {
	if s.unused > 0 {
		s.unused--
		s.busy = append(s.busy, until)
		i := len(s.busy) - 1
		for i > 0 && s.busy[(i-1)/2] > until {
			s.busy[i] = s.busy[(i-1)/2]
			i = (i - 1) / 2
		}
		s.busy[i] = until
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(s.busy) {
			break
		}
		if child+1 < len(s.busy) && s.busy[child+1] < s.busy[child] {
			child++
		}
		if s.busy[child] >= until {
			break
		}
		s.busy[i] = s.busy[child]
		i = child
	}
	s.busy[i] = until
}
