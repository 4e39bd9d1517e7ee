package bill_test

import (
	"slices"
	"testing"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

// A job of 100 s for 8 units, of which 10 are held, due at 200 s with a promise
// and half a unit for each second after that.
func agreed(changes ...func(*bill.Job)) bill.Job {
	j := bill.Job{
		Price: 8_000_000, Formula: "f", Held: 10_000_000, EstimateMS: 100_000,
		Due: 200, Promised: true, Penalty: 500_000,
	}
	for _, change := range changes {
		change(&j)
	}
	return j
}

// It ended by itself at 150 s with all its work done.
func ended(changes ...func(*bill.Ending)) bill.Ending {
	e := bill.Ending{Way: bill.Ended, At: 150, Begun: true, WorkMS: 100_000, Mandatory: market.Never, UsedUp: market.Never}
	for _, change := range changes {
		change(&e)
	}
	return e
}

func extended(j *bill.Job) {
	j.Extensions = []bill.Extension{{WorkMS: 10_000, Price: 900_000}, {WorkMS: 20_000, Price: 1_000_001}}
}

func noPromise(j *bill.Job) { j.Promised = false }

func twoParts(j *bill.Job) {
	j.Optional = &bill.Optional{WorkMS: 30_000, Processors: 2, Rate: 40_000}
	j.Held = 12_400_000
}

func way(w bill.Way) func(*bill.Ending)       { return func(e *bill.Ending) { e.Way = w } }
func at(t market.Time) func(*bill.Ending)     { return func(e *bill.Ending) { e.At = t } }
func work(ms int64) func(*bill.Ending)        { return func(e *bill.Ending) { e.WorkMS = ms } }
func usedUp(t market.Time) func(*bill.Ending) { return func(e *bill.Ending) { e.UsedUp = t } }
func fine(p market.Price) func(*bill.Ending)  { return func(e *bill.Ending) { e.Fine = p } }
func notBegun(e *bill.Ending)                 { e.Begun, e.WorkMS = false, 0 }
func executed(t market.Time) func(*bill.Ending) {
	return func(e *bill.Ending) { e.Mandatory, e.OptionalMS = t, 12_345 }
}

// Every amount here was worked out by hand.
func TestOwed(t *testing.T) {
	for _, c := range []struct {
		name            string
		job             bill.Job
		end             bill.Ending
		charge, penalty market.Money
		lines           []market.Money
		used            []int64
		optional        market.Money
	}{
		{name: "in time", job: agreed(), end: ended(), charge: 8_000_000, lines: []market.Money{8_000_000}},
		{name: "with less work than it asked for", job: agreed(), end: ended(work(1)), charge: 8_000_000, lines: []market.Money{8_000_000}},
		{
			name: "12.5 s late: 12.5 * 0.5", job: agreed(), end: ended(at(212.5)),
			charge: 8_000_000, penalty: 6_250_000, lines: []market.Money{8_000_000, -6_250_000},
		},
		{name: "late by rounding", job: agreed(), end: ended(at(200 + 1e-6)), charge: 8_000_000, lines: []market.Money{8_000_000}},
		{name: "late without a promise", job: agreed(noPromise), end: ended(at(212.5)), charge: 8_000_000, lines: []market.Money{8_000_000}},
		{
			name: "more late than it was worth: 30 * 0.5", job: agreed(), end: ended(at(230)),
			charge: 8_000_000, penalty: 15_000_000, lines: []market.Money{8_000_000, -15_000_000},
		},
		{
			name: "late, of which 4 s before it had used up its estimate", job: agreed(), end: ended(at(212.5), usedUp(204)),
			charge: 8_000_000, penalty: 2_000_000, lines: []market.Money{8_000_000, -2_000_000},
		},
		{name: "late after it had used up its estimate", job: agreed(), end: ended(at(212.5), usedUp(199)), charge: 8_000_000, lines: []market.Money{8_000_000}},
		{name: "without a deadline", job: agreed(func(j *bill.Job) { j.Due = market.Never }), end: ended(at(1e6)), charge: 8_000_000, lines: []market.Money{8_000_000}},

		{
			name: "fined by the policy, without a promise: what it says", job: agreed(noPromise), end: ended(at(210), fine(4.75)),
			charge: 8_000_000, penalty: 4_750_000, lines: []market.Money{8_000_000, -4_750_000},
		},
		{
			name: "fined by the policy, with a promise: not the rate of the job as well", job: agreed(), end: ended(at(210), fine(4.75)),
			charge: 8_000_000, penalty: 4_750_000, lines: []market.Money{8_000_000, -4_750_000},
		},
		{
			name: "the policy's fine is rounded once, half to even", job: agreed(noPromise), end: ended(at(210), fine(0.0000025)),
			charge: 8_000_000, penalty: 2, lines: []market.Money{8_000_000, -2},
		},
		{
			name: "no fine for one that over-ran: 1 s of delay before that, at its rate", job: agreed(), end: ended(at(210), usedUp(201), fine(4.75)),
			charge: 8_000_000, penalty: 500_000, lines: []market.Money{8_000_000, -500_000},
		},
		{name: "no fine for one that over-ran without a promise", job: agreed(noPromise), end: ended(at(210), usedUp(201), fine(4.75)), charge: 8_000_000, lines: []market.Money{8_000_000}},
		{name: "no fine in time", job: agreed(), end: ended(fine(4.75)), charge: 8_000_000, lines: []market.Money{8_000_000}},
		{
			name: "expired: the fine alone", job: agreed(noPromise), end: ended(way(bill.Expired), at(150), notBegun, fine(4)),
			penalty: 4_000_000, lines: []market.Money{-4_000_000},
		},
		{name: "expired without a fine", job: agreed(), end: ended(way(bill.Expired), at(250), notBegun, fine(-4))},

		{
			name: "3 s of the first extension: 0.9 * 3 / 10", job: agreed(extended), end: ended(work(103_000)),
			charge: 8_270_000, lines: []market.Money{8_000_000, 270_000, 0}, used: []int64{3_000, 0},
		},
		{
			name: "the first and 5 s of the second: 1.000001 * 5 / 20, rounded down", job: agreed(extended), end: ended(work(115_000)),
			charge: 9_150_000, lines: []market.Money{8_000_000, 900_000, 250_000}, used: []int64{10_000, 5_000},
		},
		{
			name: "all of them and more", job: agreed(extended), end: ended(work(500_000)),
			charge: 9_900_001, lines: []market.Money{8_000_000, 900_000, 1_000_001}, used: []int64{10_000, 20_000},
		},
		{
			name: "no more than is held", job: agreed(extended, func(j *bill.Job) { j.Held = 8_500_000 }), end: ended(work(500_000)),
			charge: 8_500_000, lines: []market.Money{8_000_000, 900_000, 1_000_001}, used: []int64{10_000, 20_000},
		},
		{
			name: "stopped for over-running owes its price", job: agreed(), end: ended(way(bill.Stopped), at(212.5), usedUp(190)),
			charge: 8_000_000, lines: []market.Money{8_000_000},
		},
		{name: "stopped when it was late is owed nothing", job: agreed(), end: ended(way(bill.Stopped), at(212.5)), charge: 8_000_000, lines: []market.Money{8_000_000}},

		{
			name: "cancelled after 25 s of 100: 8 / 4", job: agreed(extended), end: ended(way(bill.Cancelled), work(25_000)),
			charge: 2_000_000, lines: []market.Money{2_000_000},
		},
		{name: "cancelled after 1/3 of it", job: agreed(func(j *bill.Job) { j.EstimateMS = 300_000 }), end: ended(way(bill.Cancelled), work(100_000)), charge: 2_666_666, lines: []market.Money{2_666_666}},
		{name: "cancelled after more than it asked for", job: agreed(), end: ended(way(bill.Cancelled), work(140_000)), charge: 8_000_000, lines: []market.Money{8_000_000}},
		{name: "cancelled when it was late", job: agreed(), end: ended(way(bill.Cancelled), at(250)), charge: 8_000_000, lines: []market.Money{8_000_000}},
		{name: "cancelled, of nothing", job: agreed(func(j *bill.Job) { j.EstimateMS = 0 }), end: ended(way(bill.Cancelled))},
		{name: "cancelled before it began", job: agreed(), end: ended(way(bill.Cancelled), notBegun)},
		{name: "lost", job: agreed(twoParts), end: ended(way(bill.Lost), at(300), executed(150))},
		{name: "refused", job: agreed(twoParts), end: ended(way(bill.Refused), notBegun)},

		{
			name: "12.345 s of the optional part at 0.04", job: agreed(twoParts), end: ended(at(200), executed(150)),
			charge: 8_493_800, lines: []market.Money{8_000_000, 493_800}, optional: 493_800,
		},
		{
			name: "cancelled with its mandatory part done", job: agreed(twoParts), end: ended(way(bill.Cancelled), executed(150)),
			charge: 8_493_800, lines: []market.Money{8_000_000, 493_800}, optional: 493_800,
		},
		{
			name: "cancelled on some processors past the mandatory part", job: agreed(twoParts), end: ended(way(bill.Cancelled), work(50_000), executed(market.Never)),
			charge: 4_000_000, lines: []market.Money{4_000_000}, optional: 493_800,
		},
		{
			name: "the mandatory part 2 s late, the end 10", job: agreed(twoParts), end: ended(at(210), executed(202)),
			charge: 8_493_800, penalty: 1_000_000, lines: []market.Money{8_000_000, 493_800, -1_000_000}, optional: 493_800,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := bill.Owed(papers(), &c.job, &c.end)
			if b.Charge != c.charge || b.Penalty != c.penalty || b.Optional != c.optional || b.Net() != c.charge-c.penalty {
				t.Errorf("charge %d, penalty %d, optional %d; want %d, %d, %d", b.Charge, b.Penalty, b.Optional, c.charge, c.penalty, c.optional)
			}
			var lines []market.Money
			for _, l := range b.Lines {
				lines = append(lines, l.Amount)
				if l.What == "" || l.Formula == "" {
					t.Errorf("a line without words: %+v", l)
				}
			}
			if !slices.Equal(lines, c.lines) {
				t.Errorf("lines %v, want %v", lines, c.lines)
			}
			if !slices.Equal(b.UsedMS, c.used) {
				t.Errorf("used of the extensions %v, want %v", b.UsedMS, c.used)
			}
			want := []bill.Posting{{Kind: bill.TakeHeld, Amount: c.charge}}
			if c.penalty > 0 {
				want = append(want, bill.Posting{Kind: bill.PayPenalty, Amount: c.penalty})
			}
			if !slices.Equal(b.Postings, want) {
				t.Errorf("postings %v, want %v", b.Postings, want)
			}
		})
	}
}

func papers() *rules.Rules {
	r := rules.Papers()
	return &r
}

func TestLines(t *testing.T) {
	j, e := agreed(extended, twoParts), ended(at(201.5), work(103_000), executed(201))
	want := []bill.Line{
		{What: "mandatory part, as agreed", Formula: "f", Amount: 8_000_000},
		{What: "over-run: 3s of 10s more", Formula: "0.9 * 3000 / 10000", Amount: 270_000},
		{What: "over-run: 0s of 20s more", Formula: "1.000001 * 0 / 20000", Amount: 0},
		{What: "optional part: 12.3s of 1m executed", Formula: "0.04 a second * 12.345 s", Amount: 493_800},
		{What: "penalty: 1s late", Formula: "0.5 a second * 1.000000 s", Amount: -500_000},
	}
	if b := bill.Owed(papers(), &j, &e); !slices.Equal(b.Lines, want) {
		t.Errorf("lines %+v", b.Lines)
	}
	j, e = agreed(), ended(way(bill.Cancelled), work(90_000))
	want = []bill.Line{{What: "cancelled after 1m30s of 1m40s", Formula: "8 * 90000 / 100000", Amount: 7_200_000}}
	if b := bill.Owed(papers(), &j, &e); !slices.Equal(b.Lines, want) {
		t.Errorf("lines %+v", b.Lines)
	}
}
