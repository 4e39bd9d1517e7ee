package bill_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

// Memory for 4 units beside 8 for the work, to be held for 200 s at most.
func storing(j *bill.Job) {
	j.Storage = &bill.Storage{Price: 4_000_000, MS: 200_000}
	j.Held = 20_000_000
}

func open(j *bill.Job) { j.Due, j.Promised = market.Never, false }

func placed(t market.Time) func(*bill.Ending) { return func(e *bill.Ending) { e.Since = t } }
func told(t market.Time) func(*bill.Ending)   { return func(e *bill.Ending) { e.Told = t } }

// Every amount here was worked out by hand.
func TestStorageIsOwedByTheTimeItIsHeld(t *testing.T) {
	for _, c := range []struct {
		name   string
		job    bill.Job
		end    bill.Ending
		charge market.Money
	}{
		{"for 150 of 200 s: 3, and a quarter of 1", agreed(storing), ended(told(market.Never)), 11_250_000},
		{"asleep: as much for memory", agreed(storing), ended(work(0), told(market.Never)), 5_250_000},
		{"cancelled: the same", agreed(storing), ended(way(bill.Cancelled), told(140)), 11_250_000},
		{"stopped: the same", agreed(storing), ended(way(bill.Stopped), told(140)), 11_250_000},
		{"placed late: 50 of 200 s are 1, and a quarter of 3", agreed(storing), ended(placed(100), told(market.Never)), 9_750_000},
		{"never began", agreed(storing), ended(notBegun), 0},
		{"lost", agreed(storing), ended(way(bill.Lost)), 0},
		{"half of it never began: half of 3 and of a quarter of 1", agreed(storing), ended(part, told(market.Never)), 8_000_000 + 1_500_000 + 125_000},
		{"late by the market's doing: until a report after it was due", agreed(storing), ended(at(201.5), told(market.Never)), 12_020_000},
		{"late, having used up its estimate: all of it", agreed(storing), ended(at(250), usedUp(190), told(market.Never)), 13_000_000},
		{"used up its estimate 10 s after it was due", agreed(storing), ended(at(250), usedUp(210), told(market.Never)), 12_820_000},
		{"told to end, and taking its time", agreed(storing), ended(way(bill.Cancelled), at(250), told(150)), 13_000_000},
		{"without a promise: by the time held", agreed(storing, noPromise), ended(at(250), told(market.Never)), 13_000_000},
		{"without a deadline: by the time held", agreed(storing, open), ended(at(300), told(market.Never)), 14_000_000},
		{"no more than is held for it", agreed(storing, open), ended(at(9000), told(market.Never)), 20_000_000},
	} {
		b := bill.Owed(live(), &c.job, &c.end)
		if b.Charge != c.charge {
			t.Errorf("%s: charge %d, want %d: %+v", c.name, b.Charge, c.charge, b.Lines)
		}
	}
	lost := ended(way(bill.Lost), gone, at(900))
	j := agreed(storing)
	if b := bill.Owed(live(), &j, &lost); b.Penalty != 12_000_000 {
		t.Errorf("lost long after: %d, want its price", b.Penalty)
	}
}

// To hold longer never costs less, whenever it began and whatever was promised, and
// what was sold is what is owed when its time is over.
func TestHoldingLongerIsNeverCheaper(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		j := bill.Job{
			EstimateMS: 1000, Held: bill.MaxAmount, Due: market.Time(rapid.Float64Range(0, 1e4).Draw(r, "due")), Promised: rapid.Bool().Draw(r, "promised"),
			Storage: &bill.Storage{
				Price: market.Money(rapid.Int64Range(0, 1e12).Draw(r, "price")), MS: rapid.Int64Range(1, 1e8).Draw(r, "for"), More: rapid.Int64Range(0, 1e7).Draw(r, "more"),
			},
		}
		j.Storage.MS += int64(j.Due*1000) + 1000 // what is promised is agreed until then
		e := bill.Ending{Way: bill.Ended, Begun: true, Mandatory: market.Never, UsedUp: market.Never, Told: market.Never}
		e.Since = market.Time(rapid.Float64Range(0, 1e4).Draw(r, "since"))
		e.At = e.Since + market.Time(rapid.Float64Range(0, 1e4).Draw(r, "held"))
		if rapid.Bool().Draw(r, "over") {
			e.UsedUp = e.Since + market.Time(rapid.Float64Range(0, 1e4).Draw(r, "used up"))
		}
		now := bill.Owed(live(), &j, &e).Charge
		until := j.PaidUntil(live(), &e)
		later := e
		later.At += market.Time(rapid.Float64Range(0, 1e4).Draw(r, "longer"))
		if c := bill.Owed(live(), &j, &later).Charge; c < now-1 {
			r.Errorf("%d until %v, %d until %v", now, e.At, c, later.At)
		}
		if until.Finite() && until > e.At {
			later.At = until
			if c := bill.Owed(live(), &j, &later).Charge; c > j.Sold(live())+j.Storage.For(live(), 1)+2 {
				r.Errorf("sold for %d until %v, and it owes %d then", j.Sold(live()), until, c)
			}
		}
	})
}
