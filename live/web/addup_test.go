package web

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// The figures of the owner add up as they are shown, to the cent.
func TestWhatIsShownAddsUp(t *testing.T) {
	for _, c := range []struct{ revenue, penalties, rent int64 }{
		{10_004_000, 0, 4_000}, {10_006_000, 0, 4_000}, {10_004_000, 3_004_000, 2_004_000}, {1_006_000, 1_004_000, 0}, {5_000, 1_004_000, 6_000}, {20_000, 10_000, 0}, {0, 0, 0},
	} {
		v := ownerView{Today: v1.Tally{Revenue: c.revenue, Penalties: c.penalties, Rent: c.rent, Net: c.revenue - c.penalties, Income: c.revenue - c.penalties + c.rent}}
		if cents(v.OfJobs())+cents(c.rent) != cents(v.Today.Income) || cents(v.Charged())-cents(c.penalties) != cents(v.OfJobs()) {
			t.Errorf("%+v: income %s is %s of jobs and %s rent; %s charged, %s paid", c, money(v.Today.Income), money(v.OfJobs()), money(c.rent), money(v.Charged()), money(c.penalties))
		}
	}
}
