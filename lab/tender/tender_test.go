package tender_test

import (
	"context"
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// stall is a seller that always makes the same offer.
type stall struct {
	name   string
	gain   market.Price
	ask    error
	submit error
	got    []string
}

func (s *stall) Name() string { return s.name }

func (s *stall) Ask(context.Context, market.Time, *grid.Application) (grid.Offer, error) {
	return grid.Offer{Gain: s.gain}, s.ask
}

func (s *stall) Submit(_ context.Context, _ market.Time, a *grid.Application, _ grid.Offer) error {
	if s.submit == nil {
		s.got = append(s.got, a.ID)
	}
	return s.submit
}

func (s *stall) Follow(context.Context, market.Time, string) (grid.Receipt, error) {
	return grid.Receipt{}, nil
}

var (
	no      = &market.Rejection{Reason: market.CannotMeetDeadline}
	errLost = errors.New("connection lost")
)

func TestChoice(t *testing.T) {
	gains := func(gains ...market.Price) (stalls []*stall) {
		for _, g := range gains {
			stalls = append(stalls, &stall{gain: g})
		}
		return stalls
	}
	for _, c := range []struct {
		name   string
		stalls []*stall
		refuse tender.Refuse
		want   int // -1: refused
		reason market.Reason
	}{
		{"the largest", gains(1, 3, 2), tender.NoGain, 1, 0},
		{"the first of equals", gains(1, 3, 3+9e-7, 3), tender.NoGain, 1, 0},
		{"no more than equal", gains(3, 3+2e-6), tender.NoGain, 1, 0},
		{"a loss", gains(-1, -2), tender.NoGain, -1, market.NotWorthIt},
		{"nothing", gains(0, 1e-6), tender.NoGain, -1, market.NotWorthIt},
		{"hardly anything, but more than nothing", gains(9e-7, 1.5e-6), tender.NoGain, 1, 0},
		{"the smallest loss", gains(-3, -1, -2), tender.Infeasible, 1, 0},
		{"nobody can", []*stall{{ask: no}, {ask: no}}, tender.Infeasible, -1, market.CannotMeetDeadline},
		{"some cannot, the others would lose", []*stall{{ask: no}, {gain: -1}}, tender.NoGain, -1, market.NotWorthIt},
		{"the best changed its mind", []*stall{{gain: 1}, {gain: 3, submit: no}, {gain: 2}}, tender.NoGain, 2, 0},
		{"all changed their minds", []*stall{{gain: 1, submit: no}, {gain: 3, submit: no}}, tender.NoGain, -1, market.NotWorthIt},
		{"the best is not heard", []*stall{{gain: 1}, {gain: 3, ask: errLost}}, tender.NoGain, 0, 0},
		{"nobody", nil, tender.NoGain, -1, market.CannotMeetDeadline},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &tender.Tender{Refuse: c.refuse}
			for _, s := range c.stalls {
				b.Sellers = append(b.Sellers, s)
			}
			deal, err := b.Place(t.Context(), 0, &grid.Application{ID: "a", Jobs: 1})
			if c.want < 0 {
				if refusal, ok := errors.AsType[*market.Rejection](err); !ok || refusal.Reason != c.reason {
					t.Fatalf("got %v, %v, want it refused: %v", deal, err, c.reason)
				}
				return
			}
			if err != nil || deal.Seller != c.want || deal.Offer.Gain != c.stalls[c.want].gain {
				t.Fatalf("got %v, %v, want seller %d", deal, err, c.want)
			}
			for i, s := range c.stalls {
				if (len(s.got) == 1) != (i == c.want) {
					t.Errorf("seller %d got %v", i, s.got)
				}
			}
		})
	}
}

// Silence is not a no: a deal made without somebody says so, and where nobody
// else can, the application is not refused but not answered.
func TestSilence(t *testing.T) {
	b := &tender.Tender{Sellers: []tender.Seller{&stall{name: "far", ask: errLost}, &stall{name: "near", gain: 1}}}
	deal, err := b.Place(t.Context(), 0, &grid.Application{ID: "a", Jobs: 1})
	if err != nil || deal.Seller != 1 || !errors.Is(deal.Silent, errLost) || !strings.Contains(deal.Silent.Error(), "far") {
		t.Errorf("got %v, %v", deal, err)
	}
	b = &tender.Tender{Sellers: []tender.Seller{&stall{name: "far", ask: errLost}, &stall{ask: no}}}
	_, err = b.Place(t.Context(), 0, &grid.Application{ID: "a", Jobs: 1})
	if _, refused := errors.AsType[*market.Rejection](err); refused || !errors.Is(err, errLost) {
		t.Errorf("got %v", err)
	}
	// Whether it was submitted nobody knows: nobody else may get it.
	near := &stall{name: "near", gain: 1}
	b = &tender.Tender{Sellers: []tender.Seller{&stall{name: "far", gain: 2, submit: errLost}, near}}
	if _, err = b.Place(t.Context(), 0, &grid.Application{ID: "a", Jobs: 1}); !errors.Is(err, errLost) || len(near.got) > 0 {
		t.Errorf("got %v, and the other seller %v", err, near.got)
	}
}

func TestRefuseIsReadAsWritten(t *testing.T) {
	for _, name := range tender.Refusals() {
		if r, err := tender.ParseRefuse(name); err != nil || r.String() != name {
			t.Errorf("%s is read as %v, %v", name, r, err)
		}
	}
	if _, err := tender.ParseRefuse("all"); err == nil || !strings.Contains(err.Error(), "no-gain, infeasible") {
		t.Errorf("got %v", err)
	}
}

func TestTable(t *testing.T) {
	for _, c := range []struct {
		o    tender.Outcome
		want string
	}{
		{tender.Outcome{ID: "a", Reason: market.NotWorthIt}, "a,false,,,,,,\n"},
		{tender.Outcome{
			ID: `a "b", c`, Accepted: true, Site: "R1,2", Gain: -0.1,
			Receipt: grid.Receipt{Mandatory: 1e7 + 0.125, End: 3e20, Optional: 0, Paid: 1.0 / 3},
		}, `"a ""b"", c",true,"R1,2",-0.1,10000000.125,300000000000000000000,0,0.3333333333333333` + "\n"},
	} {
		if got := string(c.o.AppendCSV(nil)); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if record, err := csv.NewReader(strings.NewReader(tender.Header + c.want)).ReadAll(); err != nil || record[1][0] != c.o.ID {
			t.Errorf("%q does not read back: %v", c.want, err)
		}
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := &tender.Tender{}
	if _, err := tender.Run(ctx, b, make([]grid.Application, 3), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
