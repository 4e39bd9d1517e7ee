package bill_test

import (
	"testing"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

func TestWorkedSaysWhyAPriceIsWhatItIs(t *testing.T) {
	in := func(name string, value float64) market.Input { return market.Input{Name: name, Value: value} }
	rate := in("rate", 0.36/3600)
	for _, c := range []struct {
		name          string
		inputs        []market.Input
		price, stored market.Money
		want          string
		lent          market.Money
	}{
		{"two for forty minutes", []market.Input{in("E", 2400), in("procs", 2), in("D", 7200), rate}, 494_400, 0, "2 processors x 40m x 0.36 ¤ an hour, within 2h: +3.0 %", 0},
		{"no deadline", []market.Input{in("E", 90), in("procs", 1), rate}, 9_000, 0, "1 processor x 1m30s x 0.36 ¤ an hour: +0.0 %", 0},
		{"next to nothing more", []market.Input{in("E", 3600), in("procs", 1), rate, in("D", 7200)}, 360_050, 0, "1 processor x 1h x 0.36 ¤ an hour, within 2h: less than +0.1 %", 0},
		{"memory too", []market.Input{in("E", 3600), in("procs", 1), rate}, 860_000, 500_000, "1 processor x 1h x 0.36 ¤ an hour: +0.0 %, and 0.50 ¤ for memory and disk", 0},
		{"GPUs too", []market.Input{in("E", 3600), in("procs", 1), rate, in("gpus", 2), in("gpu price", 1.5), in("kept", 7200)}, 6_860_000, 500_000, "1 processor x 1h x 0.36 ¤ an hour: +0.0 %, and 0.50 ¤ for memory and disk, and 6.00 ¤ for 2 GPUs x 2h at 1.50 ¤ an hour", 6_000_000},
		{"an array", []market.Input{in("E", 3600), in("procs", 2), rate, in("elements", 3), in("room", 4)}, 540_000, 0, "2 processors x 1h x 0.36 ¤ an hour, 3 of 4 places used: +0.0 %", 0},
		{"a bid", []market.Input{in("E", 3600), in("procs", 1), in("B", 5)}, 5_000_000, 0, "", 0},
		{"an optional part", []market.Input{in("E", 3600), in("procs", 1), in("O", 5), rate}, 5_000_000, 0, "", 0},
	} {
		if got := bill.Worked(c.inputs, c.price, c.stored, c.lent); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
