package wire_test

import (
	"fmt"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/wire"
)

// The lines of a receipt add up as they are shown, and none is shown a cent from what it is.
func TestReceiptsAddUp(t *testing.T) {
	for _, c := range []struct {
		amounts []int64
		penalty int64
		want    string
	}{
		{[]int64{58_303, 5_591}, 0, "[0.06 <0.01] = 0.06"},
		{[]int64{14_000, 14_000, 14_000}, 0, "[0.02 0.01 0.01] = 0.04"},
		{[]int64{16_000, 16_000}, 0, "[0.01 0.02] = 0.03"},
		{[]int64{3_000}, 0, "[<0.01] = <0.01"},
		{[]int64{1_230_000, 4_000_000}, 0, "[1.23 4.00] = 5.23"},
		{[]int64{58_303, 5_591}, 20_000, "[0.06 <0.01] = 0.06"},
		{nil, 0, "[] = 0.00"},
	} {
		r := &v1.Receipt{Penalty: c.penalty}
		for _, a := range c.amounts {
			r.Lines, r.Charged = append(r.Lines, v1.ReceiptLine{Amount: a}), r.Charged+a
		}
		r.Net = r.Charged - c.penalty
		shown := []string{}
		for i, l := range wire.ReceiptLines(r) {
			shown = append(shown, market.Money(l.Amount).Text())
			if off := l.Amount - r.Lines[i].Amount; off >= 10_000 || off <= -10_000 {
				t.Errorf("%d is shown as %d", r.Lines[i].Amount, l.Amount)
			}
		}
		if got := fmt.Sprintf("%v = %s", shown, market.Money(r.Charged).Text()); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
