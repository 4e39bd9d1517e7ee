package pricing_test

import (
	"math"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/pricing"
)

// The worked example of 000, section V.B: 100 units of memory an hour, 90 used
// by other jobs, 10 wanted, for a deadline of 2 and of 5 hours.
func TestUtilisationOfThePapersExample(t *testing.T) {
	for hours, want := range map[float64]market.Price{2: 2, 5: 1.25} {
		supply := pricing.Supply{Max: 100 * hours, Committed: 90}
		if got := supply.Utilisation(1, 10); got != want {
			t.Errorf("%v hours: %v per unit, want %v", hours, got, want)
		}
	}
}

func TestRateAddsTheTwoParts(t *testing.T) {
	supply := pricing.Supply{Max: 200, Committed: 90}
	got := pricing.Dynamic{Alpha: 1, Beta: 0.1}.Rate(3, supply, 10)
	if want := market.Price(3 + 0.1*6); math.Abs(float64(got-want)) > 1e-12 {
		t.Errorf("rate %v, want %v", got, want)
	}
}

func TestCostSumsTheResources(t *testing.T) {
	d := pricing.Dynamic{Alpha: 1, Beta: 1}
	processor := pricing.Demand{Base: 1, Supply: pricing.Supply{Max: 200, Committed: 90}, Wanted: 10} // 1+2 a unit
	disk := pricing.Demand{Base: 10, Supply: pricing.Supply{Max: 100}, Wanted: 50}                    // 10+20 a unit
	if got, want := d.Cost(processor, disk), market.Price(10*3+50*30); got != want {
		t.Errorf("cost %v, want %v", got, want)
	}
}

func TestLibraRewardsPatience(t *testing.T) {
	price := pricing.Libra{Gamma: 1, Delta: 1}
	if got := price.Cost(10, 20); got != 10.5 {
		t.Errorf("E 10, D 20: %v, want 10.5", got)
	}
	if urgent, patient := price.Cost(10, 10), price.Cost(10, 100); urgent <= patient {
		t.Errorf("urgent %v, patient %v", urgent, patient)
	}
	if got := price.Cost(10, market.Never); got != 10 {
		t.Errorf("no deadline: %v, want 10", got)
	}
	if got := (pricing.Libra{}).Cost(10, 0); got != 0 {
		t.Errorf("free of charge: %v, want 0", got)
	}
}

func TestStatic(t *testing.T) {
	if got := pricing.Static(1.5, 10); got != 15 {
		t.Errorf("%v, want 15", got)
	}
}
