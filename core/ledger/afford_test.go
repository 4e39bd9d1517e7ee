package ledger

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// afforded asks for answers in advance that are those given afterwards, and for
// the most that can be held to be just that.
func (m *machine) afforded(t *rapid.T) {
	const job = 99
	path := anyPath.Draw(t, "who")
	most := m.ledger.Available(m.at, path)
	for _, amount := range []market.Money{0, 1, most - 1, most, most + 1, anyAmount.Draw(t, "wanted")} {
		before, _ := m.ledger.Head()
		said := m.ledger.CanHold(m.at, path, amount)
		if after, _ := m.ledger.Head(); after != before {
			t.Fatal("asking wrote something")
		}
		_, err := m.ledger.Hold(m.at, job, path, amount)
		if (said == nil) != (err == nil) || said != nil && said.Error() != err.Error() {
			t.Fatalf("%s holding %d: said %v, was %v", path, amount, said, err)
		}
		if m.model.usable(path) == nil && amount >= 0 && (err == nil) != (amount <= most) {
			t.Fatalf("%s holding %d of %d: %v", path, amount, most, err)
		}
		if err != nil {
			continue
		}
		if _, err := m.ledger.Release(m.at, job); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAffordingForThoseWhoAreNot(t *testing.T) {
	b := family(t)
	for _, path := range []market.Account{"nobody", Owner, Mint} {
		if got := b.Available(march, path); got != 0 {
			t.Errorf("%s has %d", path, got)
		}
	}
	if got := b.Available(-1, "org"); got != 0 {
		t.Errorf("before all time there is %d", got)
	}
	for want, err := range map[error]error{
		ErrUnknown:       b.CanHold(march, "nobody", 1),
		ErrSystem:        b.CanHold(march, Owner, 1),
		ErrTime:          b.CanHold(math.MaxInt64, "org", 1),
		market.ErrAmount: b.CanHold(march, "org", -1),
	} {
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}
