package grid

import (
	"github.com/libra-market/libra/core/market"
)

// Application is what a user asks of the grid (003, section 2): independent
// jobs, all alike, that go to one site together.
type Application struct {
	ID string
	// Position is the application's place in the input, from 0. Between
	// applications that tie on everything else, the smaller goes first.
	Position  int
	Arrival   market.Time
	Jobs      int          // p: how many
	Mandatory market.Work  // m: MI of each job that must be done
	Optional  market.Work  // o: MI of each job that may be done
	Deadline  market.Time  // period from arrival
	Worth     market.Price // bm: paid for each job whose mandatory part is done
	Budget    Budget       // b(l): paid for each job, for l MI of its optional part
}

// Due is the instant at which every job of the application leaves.
func (a *Application) Due() market.Time { return a.Arrival + a.Deadline }

// Offered is the most the application can pay: p * (bm + b(o)).
func (a *Application) Offered() market.Price {
	return market.Price(float64(a.Jobs) * float64(a.Worth+a.Budget.At(a.Optional)))
}

// meanRate is what an MI of the optional part pays, over all of it, as rates compare.
func (a *Application) meanRate() float64 {
	if a.Optional == 0 {
		return 0
	}
	return market.RoundSignificant(float64(a.Budget.Between(0, a.Optional)) / float64(a.Optional))
}

// Limits on what may be asked and offered. They keep sums far from the edge of
// their types and memory within reason; what is beyond them is a mistake.
const (
	MaxJobs               = 1 << 20 // of one application
	MaxProcessors         = 1 << 20 // of one site
	maxSpan       float64 = 1e15    // seconds, MI, MIPS, units of currency
)

// Validate names the first field that makes no sense, as the columns of a
// workload file are named.
func (a *Application) Validate() error {
	for _, f := range [...]struct {
		name  string
		value float64
	}{
		{"arrival", float64(a.Arrival)},
		{"m", float64(a.Mandatory)},
		{"o", float64(a.Optional)},
		{"deadline", float64(a.Deadline)},
		{"bm", float64(a.Worth)},
	} {
		if !(f.value >= 0 && f.value <= maxSpan) {
			return &market.FieldError{Field: f.name, Value: f.value, Want: "0 or more"}
		}
	}
	if a.Jobs < 1 || a.Jobs > MaxJobs {
		return &market.FieldError{Field: "p", Value: float64(a.Jobs), Want: "1 to 1048576"}
	}
	return nil
}

// Resource is a site as its owner describes it.
type Resource struct {
	Name       string
	Processors int
	MIPS       float64 // of each processor: MI per second
}

// Validate names the first field that makes no sense.
func (r *Resource) Validate() error {
	if r.Processors < 1 || r.Processors > MaxProcessors {
		return &market.FieldError{Field: "processors", Value: float64(r.Processors), Want: "1 to 1048576"}
	}
	if !(r.MIPS > 0 && r.MIPS <= maxSpan) {
		return &market.FieldError{Field: "mips", Value: r.MIPS, Want: "more than 0"}
	}
	return nil
}

// PaperSites are the six sites of 003, Figure 4(a), in its order.
func PaperSites() []Resource {
	return []Resource{
		{Name: "R1", Processors: 32, MIPS: 500},
		{Name: "R2", Processors: 16, MIPS: 750},
		{Name: "R3", Processors: 16, MIPS: 1000},
		{Name: "R4", Processors: 24, MIPS: 1000},
		{Name: "R5", Processors: 32, MIPS: 1250},
		{Name: "R6", Processors: 24, MIPS: 1500},
	}
}

// Offer is a site's answer to the question what an application is worth to it.
type Offer struct {
	// Gain is what the site expects to earn with the application, less what it
	// expects to earn without it (003, section 3.1).
	Gain market.Price
	// Finish is when the last mandatory part would be done if nothing else
	// arrived.
	Finish market.Time
	// Ticket is the seller's own: handed back with the application, it tells
	// whether the offer still stands.
	Ticket uint64
}

// Receipt is what has become of an application at the site that took it.
type Receipt struct {
	Left      int         // jobs that have left, of all there are
	Done      bool        // all have
	Mandatory market.Time // when the last mandatory part was done so far
	End       market.Time // when the last job left so far
	Optional  market.Work // MI executed of optional parts, of the jobs that left
	Paid      market.Price
}
