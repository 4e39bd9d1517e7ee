package grid_test

import (
	"errors"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
)

func open(t *testing.T, r grid.Resource, policy string) *grid.Site {
	t.Helper()
	p, err := grid.FindPolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	s, err := grid.NewSite(r, p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func app(id string, position int, jobs int, m, o, deadline, worth, rate float64) *grid.Application {
	b, err := grid.Linear(market.Price(rate))
	if err != nil {
		panic(err)
	}
	return &grid.Application{
		ID: id, Position: position, Jobs: jobs, Mandatory: market.Work(m), Optional: market.Work(o),
		Deadline: market.Time(deadline), Worth: market.Price(worth), Budget: b,
	}
}

// A question changes nothing, however often it is asked.
func TestAskingChangesNothing(t *testing.T) {
	for _, p := range grid.Policies() {
		s := open(t, grid.Resource{Name: "S", Processors: 2, MIPS: 3}, p.Name)
		first := app("a", 0, 3, 6, 9, 20, 5, 1)
		offer, err := s.Ask(t.Context(), 0, first)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := s.Ask(t.Context(), 0, first); err != nil || again != offer {
			t.Errorf("%s: got %v, then %v, %v", p.Name, offer, again, err)
		}
		if err := s.Submit(t.Context(), 0, first, offer); err != nil {
			t.Fatal(err)
		}
		for at := market.Time(0); at < 10; at += 0.7 {
			rival := app("b", 1, 2, 1, 5, 8, 1, 3)
			rival.Arrival = at
			if _, err := s.Ask(t.Context(), at, rival); err != nil && !errors.As(err, new(*market.Rejection)) {
				t.Fatal(err)
			}
		}
		asked, err := s.Follow(t.Context(), market.Never, "a")
		if err != nil {
			t.Fatal(err)
		}
		quiet := open(t, grid.Resource{Name: "S", Processors: 2, MIPS: 3}, p.Name)
		if err := quiet.Submit(t.Context(), 0, first, grid.Offer{}); err != nil {
			t.Fatal(err)
		}
		if alone, err := quiet.Follow(t.Context(), market.Never, "a"); err != nil || alone != asked {
			t.Errorf("%s: %v when asked, %v when not, %v", p.Name, asked, alone, err)
		}
	}
}

// An offer stands until something else is submitted; then the site looks again.
func TestOffersGoStale(t *testing.T) {
	s := open(t, grid.Resource{Name: "S", Processors: 1, MIPS: 1}, "mf-edf")
	a, b := app("a", 0, 1, 6, 0, 10, 1, 0), app("b", 1, 1, 6, 0, 10, 1, 0)
	offerB, err := s.Ask(t.Context(), 0, b)
	if err != nil {
		t.Fatal(err)
	}
	offerA, err := s.Ask(t.Context(), 0, a)
	if err != nil || offerA.Finish != 6 {
		t.Fatalf("got %v, %v", offerA, err)
	}
	if err := s.Submit(t.Context(), 0, a, offerA); err != nil {
		t.Fatal(err)
	}
	if err := s.Submit(t.Context(), 0, b, offerB); !errors.As(err, new(*market.Rejection)) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Follow(t.Context(), 0, "b"); !errors.Is(err, grid.ErrUnknown) {
		t.Errorf("got %v", err)
	}
	if err := s.Submit(t.Context(), 1, a, offerA); !errors.Is(err, grid.ErrKnown) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Ask(t.Context(), 5, b); err == nil {
		t.Error("a job that cannot be done is taken")
	}
	if _, err := s.Ask(t.Context(), 4, b); !errors.Is(err, grid.ErrPast) {
		t.Errorf("got %v", err)
	}
}

// Follow tells how far an application has come. Two jobs on one processor: the
// mandatory parts are done at 2 and 4, then both share it: each has 3 MI at 10.
func TestFollow(t *testing.T) {
	s := open(t, grid.Resource{Name: "S", Processors: 1, MIPS: 1}, "mf-timeshare")
	if err := s.Submit(t.Context(), 0, app("a", 0, 2, 2, 9, 10, 5, 1), grid.Offer{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   market.Time
		want grid.Receipt
	}{
		{1, grid.Receipt{}},
		{3, grid.Receipt{Mandatory: 2}},
		{9, grid.Receipt{Mandatory: 4}},
		{10, grid.Receipt{Left: 2, Done: true, Mandatory: 4, End: 10, Optional: 6, Paid: 16}},
		{market.Never, grid.Receipt{Left: 2, Done: true, Mandatory: 4, End: 10, Optional: 6, Paid: 16}},
	} {
		if got, err := s.Follow(t.Context(), c.at, "a"); err != nil || got != c.want {
			t.Errorf("at %v: %+v, %v, want %+v", c.at, got, err, c.want)
		}
	}
}

// A mandatory part of no length is done at once, and what it is worth counts as
// gain, also where no processor will be free before the deadline.
func TestNothingMandatory(t *testing.T) {
	s := open(t, grid.Resource{Name: "S", Processors: 1, MIPS: 1}, "mf-edf")
	if err := s.Submit(t.Context(), 0, app("a", 0, 1, 10, 0, 10, 1, 0), grid.Offer{}); err != nil {
		t.Fatal(err)
	}
	none := app("none", 1, 2, 0, 4, 5, 3, 1)
	offer, err := s.Ask(t.Context(), 0, none)
	if err != nil || offer.Gain != 6 {
		t.Fatalf("got %v, %v", offer, err)
	}
	if err := s.Submit(t.Context(), 0, none, offer); err != nil {
		t.Fatal(err)
	}
	nothing := app("nothing", 2, 1, 0, 0, 0, 2, 0)
	if offer, err = s.Ask(t.Context(), 0, nothing); err != nil || offer.Gain != 2 {
		t.Fatalf("got %v, %v", offer, err)
	}
	if err := s.Submit(t.Context(), 0, nothing, offer); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Follow(t.Context(), 0, "nothing"); err != nil || got != (grid.Receipt{Left: 1, Done: true, Paid: 2}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Follow(t.Context(), market.Never, "none"); err != nil || got != (grid.Receipt{Left: 2, Done: true, End: 5, Paid: 6}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSitesMakeSense(t *testing.T) {
	for _, r := range []grid.Resource{{MIPS: 1}, {Processors: 1}, {Processors: 1, MIPS: -1}, {Processors: grid.MaxProcessors + 1, MIPS: 1}} {
		if _, err := grid.NewSite(r, grid.Policies()[0]); err == nil {
			t.Errorf("%+v is opened", r)
		}
	}
	if _, err := grid.FindPolicy("mf-rr"); err == nil {
		t.Error("found a policy that there is not")
	}
}
