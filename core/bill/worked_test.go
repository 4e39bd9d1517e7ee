package bill_test

import (
	"testing"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

func TestWorkedSaysWhyAPriceIsWhatItIs(t *testing.T) {
	in := func(name string, value float64) market.Input { return market.Input{Name: name, Value: value} }
	rate := in("rate", 0.36/3600)
	const each, plus = "rate * procs * (gamma * E + delta * E / D)", "E/rating * (alpha * PBase + beta * PBase * RESMax / (RESMax - RESCommitted - E/rating))"
	const summed = plus + ", summed over its processors, of each kind with what is known of it, and the others"
	base := in("PBase", 0.36/3600)
	for _, c := range []struct {
		name, formula string
		inputs        []market.Input
		price, stored market.Money
		want          string
		lent          market.Money
	}{
		{"two for forty minutes", each, []market.Input{in("E", 2400), in("procs", 2), in("D", 7200), rate}, 494_400, 0, "2 processors x 40m x 0.36 ¤ an hour, within 2h: +3.0 %", 0},
		{"no deadline", each, []market.Input{in("E", 90), in("procs", 1), rate}, 9_000, 0, "1 processor x 1m30s x 0.36 ¤ an hour: +0.0 %", 0},
		{"next to nothing more", each, []market.Input{in("E", 3600), in("procs", 1), rate, in("D", 7200)}, 360_050, 0, "1 processor x 1h x 0.36 ¤ an hour, within 2h: less than +0.1 %", 0},
		{"memory too", each, []market.Input{in("E", 3600), in("procs", 1), rate}, 860_000, 500_000, "1 processor x 1h x 0.36 ¤ an hour: +0.0 %, and 0.50 ¤ for memory and disk", 0},
		{"GPUs too", each, []market.Input{in("E", 3600), in("procs", 1), rate, in("gpus", 2), in("gpu price", 1.5), in("kept", 7200)}, 6_860_000, 500_000, "1 processor x 1h x 0.36 ¤ an hour: +0.0 %, and 0.50 ¤ for memory and disk, and 6.00 ¤ for 2 GPUs x 2h at 1.50 ¤ an hour", 6_000_000},
		{"an array", each, []market.Input{in("E", 3600), in("procs", 2), rate, in("elements", 3), in("room", 4)}, 540_000, 0, "2 processors x 1h x 0.36 ¤ an hour, 3 of 4 places used: +0.0 %", 0},
		{"a bid", "B", []market.Input{in("E", 3600), in("procs", 1), in("B", 5)}, 5_000_000, 0, "", 0},
		{"a bid where there is a rate", "B", []market.Input{in("E", 3600), in("procs", 1), in("B", 5), rate}, 5_000_000, 0, "", 0},
		{"what is asked of everybody", "asked", []market.Input{in("E", 3600), in("procs", 1), in("B", 5), rate, in("asked", 2)}, 2_000_000, 0, "", 0},
		{"a bid with GPUs", "B", []market.Input{in("E", 3600), in("procs", 1), in("B", 5), rate, in("gpus", 2), in("gpu price", 1.5), in("kept", 7200)}, 5_000_000, 0, "", 3_000_000},
		{"one price for all", "rate * (gamma * E + delta * E / D)", []market.Input{in("E", 2400), in("procs", 2), in("D", 7200), rate}, 247_200, 0, "1 processor x 40m x 0.36 ¤ an hour for all 2 of its processors, within 2h: +3.0 %", 0},
		{"libra-plus", plus, []market.Input{in("E", 2400), in("procs", 1), in("D", 7200), in("rating", 1), base}, 247_200, 0, "1 processor x 40m x 0.36 ¤ an hour, within 2h: +3.0 %", 0},
		{"on faster ones", summed, []market.Input{in("E", 2400), in("procs", 2), in("D", 7200), in("rating", 2), base, in("of this kind", 2)}, 247_200, 0, "2 processors x 20m at rating 2 x 0.36 ¤ an hour, within 2h: +3.0 %", 0},
		{"of two kinds", summed, []market.Input{in("E", 2400), in("procs", 3), in("rating", 2), base, in("of this kind", 2), in("of kind 2", 1), in("rating of kind 2", 1)}, 480_000, 0, "2 processors x 20m at rating 2 x 0.36 ¤ an hour and 1 processor x 40m x 0.36 ¤ an hour: +0.0 %", 0},
		{"of many kinds", summed, []market.Input{in("E", 2400), in("procs", 30), in("rating", 2), base, in("of this kind", 2), in("others", 1)}, 480_000, 0, "", 0},
		{"the dearest", plus + ", on the dearest of its processors", []market.Input{in("E", 2400), in("procs", 2), in("rating", 1), base, in("of this kind", 2)}, 240_000, 0, "1 processor x 40m x 0.36 ¤ an hour (the dearest of its 2): +0.0 %", 0},
		{"with memory", plus + " + memory * (alpha + beta) * memory price", []market.Input{in("E", 2400), in("procs", 1), in("rating", 1), base, in("memory", 5), in("memory price", 0.01)}, 290_000, 0, "1 processor x 40m x 0.36 ¤ an hour: +20.8 % with memory and disk", 0},
		{"a small rate", each, []market.Input{in("E", 360_000), in("procs", 100), in("rate", 0.0149/3600)}, 149_000_000, 0, "100 processors x 4d4h x 0.0149 ¤ an hour: +0.0 %", 0},
		{"next to no rate", each, []market.Input{in("E", 360_000), in("procs", 100), in("rate", 0.004/3600)}, 40_000_000, 0, "100 processors x 4d4h x 0.004 ¤ an hour: +0.0 %", 0},
		{"a rate that is almost round", each, []market.Input{in("E", 3600), in("procs", 1), in("rate", 3.704/3600)}, 3_704_000, 0, "1 processor x 1h x 3.70 ¤ an hour: +0.0 %", 0},
		{"cheap GPUs", each, []market.Input{in("E", 3600), in("procs", 1), rate, in("gpus", 100), in("gpu price", 0.015), in("kept", 7200)}, 3_360_000, 0, "1 processor x 1h x 0.36 ¤ an hour: +0.0 %, and 3.00 ¤ for 100 GPUs x 2h at 0.015 ¤ an hour", 3_000_000},
		{"a price of which the last millionth is rounded up", each, []market.Input{in("E", 0.003), in("procs", 2), in("D", 1), in("rate", 3.7/3600)}, 7, 0, "2 processors x 0.003s x 3.70 ¤ an hour, within 1s: +0.0 %", 0},
		{"an optional part", each, []market.Input{in("E", 3600), in("procs", 1), in("O", 5), rate}, 5_000_000, 0, "", 0},
	} {
		if got := bill.Worked(c.formula, c.inputs, c.price, c.stored, c.lent); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
