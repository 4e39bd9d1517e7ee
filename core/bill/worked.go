package bill

import (
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
)

// Worked says in one line why a price is what it is, for those who do not read
// formulas: how much of what at which rate, and what the market adds or takes off for
// when it has to be done. It is empty where a price is not made of a rate, as where a
// job costs what it bids. The inputs are those of a receipt; stored is what of the price
// is for memory and disk, and lent what is for GPUs.
func Worked(inputs []market.Input, price, stored, lent market.Money) string {
	known := map[string]float64{}
	for _, in := range inputs {
		known[in.Name] = in.Value
	}
	_, imprecise := known["O"] // its rate is that of the optional part
	hours, procs, rate := known["E"]/3600, known["procs"], known["rate"]*3600
	base := hours * procs * rate
	if imprecise || base <= 0 || math.IsInf(base, 0) {
		return ""
	}
	hourly, err := market.Price(rate).Money()
	if err != nil {
		return ""
	}
	text := count(procs, "processor") + " x "
	text += fmt.Sprintf("%s x %s an hour", market.Span(int64(math.Round(known["E"]*1e3))), hourly.Said())
	if room := known["room"]; room > 0 {
		base *= known["elements"] / room
		text += fmt.Sprintf(", %.0f of %.0f places used", known["elements"], room)
	}
	if d := known["D"]; d > 0 {
		text += ", within " + market.Span(int64(math.Round(d*1e3)))
	}
	work := float64((price - stored - lent).Price())
	more := math.Round(1000*(work/base-1)) / 10
	const rounding = 1.5e-6 // of the price itself
	if more == 0 && work-base > rounding {
		text += ": less than +0.1 %"
	} else {
		text += fmt.Sprintf(": %+.1f %%", more+0) // nothing is not negative
	}
	if stored > 0 {
		text += fmt.Sprintf(", and %s for memory and disk", stored.Said())
	}
	if gpus := known["gpus"]; lent > 0 {
		text += fmt.Sprintf(", and %s for %s", lent.Said(), count(gpus, "GPU"))
		if hour, err := market.Price(known["gpu price"]).Money(); err == nil {
			text += fmt.Sprintf(" x %s at %s an hour", market.Span(int64(math.Round(known["kept"]*1e3))), hour.Said())
		}
	}
	return text
}

func count(n float64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%.0f %ss", n, what)
}
