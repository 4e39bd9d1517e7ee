package replay

import (
	"cmp"
	"slices"

	"github.com/libra-market/libra/lab/workload"
)

// Change is what another policy would have changed.
type Change struct {
	Ending
	RevenueChange float64 `json:"revenue_change"`
	Won           int64   `json:"won"`         // satisfied now and not before
	Lost          int64   `json:"lost"`        // satisfied before and not now
	Kept          int64   `json:"kept"`        // satisfied in both
	KeptPaid      float64 `json:"kept_paid"`   // what these pay now
	KeptBefore    float64 `json:"kept_before"` // what they paid
	Users         []Party `json:"users"`       // the largest winners first, the largest losers last
}

// Party is a user, or a class of urgency where jobs have no users.
type Party struct {
	Name       string  `json:"name"`
	Jobs       int64   `json:"jobs"`
	Won        int64   `json:"won"`
	Lost       int64   `json:"lost"`
	PaidBefore float64 `json:"paid_before"`
	Paid       float64 `json:"paid"`

	SatisfiedBefore int64 `json:"satisfied_before"`
	Satisfied       int64 `json:"satisfied"`
}

// Net is by how many jobs the party is better off.
func (p *Party) Net() int64 { return p.Won - p.Lost }

// Compare says what changes from one course of the jobs to another.
func Compare(arrivals []workload.Arrival, before, after *Course) Change {
	c := Change{Ending: after.Ending, RevenueChange: after.Revenue - before.Revenue, Users: []Party{}}
	parties := map[string]*Party{}
	for i := range arrivals {
		name := partyOf(&arrivals[i])
		p := parties[name]
		if p == nil {
			p = &Party{Name: name}
			parties[name] = p
		}
		was, is := before.Fates[i], after.Fates[i]
		p.Jobs++
		switch {
		case is.Satisfied && was.Satisfied:
			c.Kept++
			c.KeptPaid += is.Paid
			c.KeptBefore += was.Paid
		case is.Satisfied:
			c.Won++
			p.Won++
		case was.Satisfied:
			c.Lost++
			p.Lost++
		}
		if was.Satisfied {
			p.PaidBefore += was.Paid
			p.SatisfiedBefore++
		}
		if is.Satisfied {
			p.Paid += is.Paid
			p.Satisfied++
		}
	}
	for _, p := range parties {
		c.Users = append(c.Users, *p)
	}
	slices.SortFunc(c.Users, func(a, b Party) int { return cmp.Or(cmp.Compare(b.Net(), a.Net()), cmp.Compare(a.Name, b.Name)) })
	return c
}

// Winners are the users who gain most, at most n.
func (c *Change) Winners(n int) []Party {
	var list []Party
	for i := range c.Users {
		if c.Users[i].Net() > 0 && len(list) < n {
			list = append(list, c.Users[i])
		}
	}
	return list
}

// Losers are the users who lose most, at most n.
func (c *Change) Losers(n int) []Party {
	var list []Party
	for i := len(c.Users) - 1; i >= 0 && len(list) < n; i-- {
		if c.Users[i].Net() < 0 {
			list = append(list, c.Users[i])
		}
	}
	return list
}

func partyOf(a *workload.Arrival) string {
	switch {
	case a.Job.Owner != "":
		return "user " + string(a.Job.Owner)
	case a.Job.Class == workload.HighUrgency:
		return "high urgency"
	}
	return "others"
}
