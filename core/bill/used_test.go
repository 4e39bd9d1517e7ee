package bill_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

func live() *rules.Rules {
	r := rules.Live()
	return &r
}

func part(e *bill.Ending)   { e.Never, e.Of = 1, 2 }
func byUser(e *bill.Ending) { e.ByUser = true }
func gone(e *bill.Ending)   { e.Gone = true }
func declined(ms int64) func(*bill.Ending) {
	return func(e *bill.Ending) { e.DeclinedMS = ms }
}

// The table of endings, every amount worked out by hand.
func TestOwedForWhatWasUsed(t *testing.T) {
	for _, c := range []struct {
		name            string
		job             bill.Job
		end             bill.Ending
		charge, penalty market.Money
	}{
		{"all of it", agreed(), ended(), 8_000_000, 0},
		{"20 of 100 s: 1.6, and a quarter of 6.4", agreed(), ended(work(20_000)), 3_200_000, 0},
		{"cancelled: the same", agreed(), ended(way(bill.Cancelled), work(20_000)), 3_200_000, 0},
		{"stopped: the same", agreed(), ended(way(bill.Stopped), work(20_000)), 3_200_000, 0},
		{"began, and did nothing", agreed(), ended(work(0)), 2_000_000, 0},
		{"never began", agreed(), ended(notBegun), 0, 0},
		{"cancelled before it began", agreed(), ended(way(bill.Cancelled), notBegun), 0, 0},
		{"expired", agreed(noPromise), ended(way(bill.Expired), notBegun, fine(4)), 0, 0},
		{"refused", agreed(), ended(way(bill.Refused), notBegun), 0, 0},
		{"voided", agreed(), ended(way(bill.Voided), at(300)), 0, 0},
		{"half of it could not begin: the rest as after any end", agreed(), ended(work(20_000), part), 2_200_000, 0},
		{"3 s of an extension, and cancelled: 0.9 * 3 / 10", agreed(extended), ended(way(bill.Cancelled), work(103_000)), 8_270_000, 0},
		{"extensions not used", agreed(extended), ended(work(50_000)), 5_000_000, 0},
		{"no more than is held", agreed(extended, func(j *bill.Job) { j.Held = 8_500_000 }), ended(work(500_000)), 8_500_000, 0},

		{"12.5 s late: 12.5 * 0.5", agreed(), ended(at(212.5)), 8_000_000, 6_250_000},
		{"30 s late: 15, but no more than the charge", agreed(), ended(at(230)), 8_000_000, 8_000_000},
		{"30 s late with half of it done: no more than 4 + 1", agreed(), ended(at(230), work(50_000)), 5_000_000, 5_000_000},
		{"late by the time between two reports", agreed(), ended(at(201)), 8_000_000, 0},
		{"late without a promise", agreed(noPromise), ended(at(212.5)), 8_000_000, 0},
		{"late where the policy is liable: the rate, by the node's time", agreed(noPromise), ended(at(212.5), fine(7)), 8_000_000, 6_250_000},
		{"late, having used up its estimate in time", agreed(), ended(at(230), usedUp(199)), 8_000_000, 0},
		{"4 s late before it had used up its estimate", agreed(), ended(at(230), usedUp(204)), 8_000_000, 2_000_000},
		{"late, having declined 6 of 100 s", agreed(), ended(at(230), declined(6_000)), 8_000_000, 0},
		{"late, having declined 5 of 100 s, which is borne", agreed(), ended(at(212.5), declined(5_000)), 8_000_000, 6_250_000},
		{"late, and ended by its user in the batch system", agreed(), ended(at(230), byUser), 8_000_000, 0},
		{"late and cancelled", agreed(), ended(way(bill.Cancelled), at(230)), 8_000_000, 0},
		{"late and stopped", agreed(), ended(way(bill.Stopped), at(230)), 8_000_000, 0},

		{"lost 10 s after its due time: 10 * 0.5", agreed(), ended(way(bill.Lost), gone, at(210)), 0, 5_000_000},
		{"lost before its due time: one report", agreed(), ended(way(bill.Lost), gone, at(150)), 0, 500_000},
		{"lost long after: no more than its price", agreed(), ended(way(bill.Lost), gone, at(900)), 0, 8_000_000},
		{"lost without a promise", agreed(noPromise), ended(way(bill.Lost), gone, at(210)), 0, 0},
		{"lost by a node that is there", agreed(), ended(way(bill.Lost), at(210)), 0, 0},
		{"lost when it had used up its estimate", agreed(), ended(way(bill.Lost), gone, at(210), usedUp(150)), 0, 0},
	} {
		b := bill.Owed(live(), &c.job, &c.end)
		if b.Charge != c.charge || b.Penalty != c.penalty {
			t.Errorf("%s: charge %d, penalty %d; want %d, %d", c.name, b.Charge, b.Penalty, c.charge, c.penalty)
		}
		sum := market.Money(0)
		for _, l := range b.Lines {
			sum += l.Amount
		}
		if sum != b.Net() {
			t.Errorf("%s: the lines sum to %d, net is %d: %+v", c.name, sum, b.Net(), b.Lines)
		}
	}
}

// What is set is what is owed: of the part that was not used, and of the most that
// lateness pays.
func TestRulesAreObeyed(t *testing.T) {
	r := rules.Live()
	r.Unused, r.PenaltyCap = rules.Whole/2, 2*rules.Whole
	j, e := agreed(), ended(at(250), work(50_000))
	if b := bill.Owed(&r, &j, &e); b.Charge != 6_000_000 || b.Penalty != 12_000_000 { // 4 + 2; 25, but no more than twice that
		t.Errorf("charge %d, penalty %d", b.Charge, b.Penalty)
	}
	r.PenaltyCap, r.Tolerance = rules.None, rules.None
	e.DeclinedMS = 100_000
	if b := bill.Owed(&r, &j, &e); b.Penalty != 25_000_000 {
		t.Errorf("without bounds: %d", b.Penalty)
	}
	papers := rules.Papers()
	papers.Unused = rules.Whole / 4
	if b := bill.Owed(&papers, &j, &e); b.Charge != 5_000_000 {
		t.Errorf("the papers with a quarter: %d", b.Charge)
	}
}

// Whatever was agreed and however it ends: nobody is paid more than he was charged,
// or than his price if his job was lost; more work never costs less; and no ending
// is cheaper than another.
func TestNoEndingPays(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		j := bill.Job{
			Price: market.Money(rapid.Int64Range(0, 1e12).Draw(r, "price")), EstimateMS: rapid.Int64Range(1, 1e9).Draw(r, "estimate"),
			Due: market.Time(rapid.Float64Range(0, 1e6).Draw(r, "due")), Promised: rapid.Bool().Draw(r, "promised"),
			Penalty: market.Money(rapid.Int64Range(0, 1e15).Draw(r, "penalty")),
		}
		for range rapid.IntRange(0, 3).Draw(r, "extensions") {
			j.Extensions = append(j.Extensions, bill.Extension{WorkMS: rapid.Int64Range(1, 1e6).Draw(r, "more"), Price: market.Money(rapid.Int64Range(0, 1e9).Draw(r, "for"))})
		}
		j.Held = bill.Most(live(), j.Sold(live()), bill.Margin(live(), j.Price, j.EstimateMS), nil, nil)
		e := bill.Ending{
			At: market.Time(rapid.Float64Range(0, 2e6).Draw(r, "at")), Begun: true, WorkMS: rapid.Int64Range(0, 2e9).Draw(r, "work"),
			Mandatory: market.Never, UsedUp: market.Never, Fine: market.Price(rapid.Float64Range(-1, 1e9).Draw(r, "fine")), Gone: rapid.Bool().Draw(r, "gone"),
		}
		charges := map[bill.Way]market.Money{}
		for _, w := range []bill.Way{bill.Ended, bill.Stopped, bill.Cancelled, bill.Expired, bill.Lost, bill.Voided} {
			e.Way = w
			b := bill.Owed(live(), &j, &e)
			charges[w] = b.Charge
			most := b.Charge
			if w == bill.Lost {
				most = j.Price
			}
			if b.Penalty > most || b.Charge > j.Held || b.Charge < 0 || b.Penalty < 0 {
				r.Errorf("way %d: charge %d of %d held, penalty %d", w, b.Charge, j.Held, b.Penalty)
			}
			more := e
			more.WorkMS += rapid.Int64Range(0, 1e6).Draw(r, "a little more")
			if c := bill.Owed(live(), &j, &more).Charge; c < b.Charge-1 {
				r.Errorf("way %d: %d ms cost %d, %d cost %d", w, e.WorkMS, b.Charge, more.WorkMS, c)
			}
		}
		if charges[bill.Ended] != charges[bill.Cancelled] || charges[bill.Ended] != charges[bill.Stopped] {
			r.Errorf("endings differ: %v", charges)
		}
	})
}
