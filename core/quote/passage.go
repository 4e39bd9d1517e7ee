package quote

import (
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// slack is what rounding may have left of a hundredth.
const slack = 1e-6

// Passage says, where others would have to make way for a job, whether they do for its price and for
// how much they would; "" where nobody would, or need not.
func (h *Held) Passage() string {
	paid, some := h.input("others pay")
	times, _ := h.input("times")
	price := float64(market.Money(h.Price).Price())
	if !some || price <= 0 || h.Storage != nil {
		return ""
	}
	if need := paid * times / price; need > 1 {
		return fmt.Sprintf("; others would make way at once for %.2f times this price: %.4g times what they pay for the time", math.Ceil(need*100-slack)/100, times)
	}
	return fmt.Sprintf("; others make way now: %.4g times what they pay for the time is asked, and this is %.2f times", times, math.Floor(price/paid*100+slack)/100)
}

func (h *Held) input(name string) (float64, bool) {
	i := slices.IndexFunc(h.Working.Inputs, func(in market.Input) bool { return in.Name == name })
	if i < 0 {
		return 0, false
	}
	return h.Working.Inputs[i].Value, true
}
