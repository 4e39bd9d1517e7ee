package grid

import (
	"context"
	"errors"
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// What can be wrong with a call, as opposed to a refusal, which is a
// [*market.Rejection].
var (
	ErrPast    = errors.New("the time asked about is in the past of the site")
	ErrKnown   = errors.New("the site has this application already")
	ErrUnknown = errors.New("the site has no such application")
)

// declined is the answer of a site that cannot keep all deadlines.
var declined = &market.Rejection{
	Reason: market.CannotMeetDeadline,
	Detail: "a mandatory part, of this application or of one already taken, would miss its deadline",
}

// Site sells the processors of one place. It is not safe for concurrent use.
type Site struct {
	resource  Resource
	policy    Policy
	now       market.Time
	mandatory *ranked
	optional  sharing
	contracts roll // by deadline: for deadlines, and for mandatory parts in the pre-schedule
	valued    roll // in the order of optional parts, where that is another
	known     map[string]*contract
	ticket    uint64 // changes with every contract

	guest    contract // asked about: scratch
	finished []*job   // scratch of one instant
	slate    slate    // scratch of an estimate, and its first part
	fork     slate
}

// sharing is how processors are given to parts. Changes take effect with share,
// so that all that happens at one instant is counted once.
type sharing interface {
	add(j *job)
	remove(now market.Time, j *job)
	share(now market.Time, processors int)
	// next is when the first part finishes if nothing changes.
	next() market.Time
	// take removes the parts that finish by a time.
	popDue(by market.Time, into []*job) []*job
}

// NewSite opens an idle site.
func NewSite(r Resource, p Policy) (*Site, error) {
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("site %s: %w", r.Name, err)
	}
	s := &Site{
		resource:  r,
		policy:    p,
		mandatory: newRanked(byDue, r.MIPS),
		contracts: roll{order: byDue},
		valued:    roll{order: p.optional},
		known:     map[string]*contract{},
	}
	if p.shared {
		s.optional = newDealt(r.MIPS)
	} else {
		s.optional = newRanked(p.optional, r.MIPS)
	}
	return s, nil
}

// Name is what the owner calls the site.
func (s *Site) Name() string { return s.resource.Name }

// Ask tells what the site would gain with an application at a time; a
// [*market.Rejection] says that it cannot take it. It promises nothing, and
// nothing changes but the time.
func (s *Site) Ask(_ context.Context, at market.Time, a *Application) (Offer, error) {
	if err := s.turn(at); err != nil {
		return Offer{}, err
	}
	s.guest.draw(a, &s.policy)
	return s.offer(at, &s.guest)
}

// Submit hands over an application. If its offer is the last that the site
// made, at this very time, it still stands; otherwise the site looks again, and
// may decline.
func (s *Site) Submit(_ context.Context, at market.Time, a *Application, o Offer) error {
	if _, twice := s.known[a.ID]; twice {
		return fmt.Errorf("site %s: application %s: %w", s.resource.Name, a.ID, ErrKnown)
	}
	stands := at == s.now && o.Ticket == s.ticket && s.guest.id == a.ID
	if err := s.turn(at); err != nil {
		return err
	}
	c := new(contract)
	c.draw(a, &s.policy)
	if !stands {
		if _, err := s.offer(at, c); err != nil {
			return err
		}
	}
	s.ticket++
	s.known[a.ID] = c
	s.admit(c)
	return nil
}

// Follow tells what has become of an application by a time; [market.Never] is
// the end of all that the site has taken.
func (s *Site) Follow(_ context.Context, at market.Time, id string) (Receipt, error) {
	if err := s.turn(at); err != nil {
		return Receipt{}, err
	}
	c, known := s.known[id]
	if !known {
		return Receipt{}, fmt.Errorf("site %s: application %s: %w", s.resource.Name, id, ErrUnknown)
	}
	return c.receipt, nil
}

// turn makes everything happen that happens by a time.
func (s *Site) turn(at market.Time) error {
	if at < s.now {
		return fmt.Errorf("site %s: %v s, it is %v s already: %w", s.resource.Name, float64(at), float64(s.now), ErrPast)
	}
	s.advance(at)
	return nil
}
