package bill

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// PartitionRate is what of a formula the prices of a partition are times.
const PartitionRate = "partition rate"

// Worked says in one line why a price is what it is, for those who do not read
// formulas: how much of what at which rate, and what the market adds or takes off for
// when it has to be done. It is empty where no rate went into it, as where a job costs
// what it bids. Formula and inputs are those of a receipt; stored is what of the price
// is for memory and disk, and lent what is for GPUs.
func Worked(formula string, inputs []market.Input, price, stored, lent market.Money) string {
	known := map[string]float64{}
	for _, in := range inputs {
		known[in.Name] = in.Value
	}
	_, imprecise := known["O"] // its rate is that of the optional part
	text, base := atRates(formula, known)
	if imprecise || text == "" || base <= 0 || math.IsInf(base, 0) {
		return ""
	}
	if rate := known[PartitionRate]; rate > 0 {
		base *= rate
		text += ", x " + strconv.FormatFloat(rate, 'f', -1, 64) + " in its partition"
	}
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
	if math.Abs(work-base) <= rounding {
		more = 0
	}
	if more == 0 && work-base > rounding {
		text += ": less than +0.1 %"
	} else {
		text += fmt.Sprintf(": %+.1f %%", more+0) // nothing is not negative
	}
	if strings.Contains(formula, "PBase") && (known["memory price"] > 0 || known["disk price"] > 0) && stored == 0 {
		text += " with memory and disk"
	}
	if stored > 0 {
		text += fmt.Sprintf(", and %s for memory and disk", stored.Said())
	}
	if gpus := known["gpus"]; lent > 0 {
		text += fmt.Sprintf(", and %s for %s", lent.Said(), count(gpus, "GPU"))
		if hour, err := market.Price(known["gpu price"]).Money(); err == nil {
			text += fmt.Sprintf(" x %s at %s an hour", market.Span(int64(math.Round(known["kept"]*1e3))), saidRate(hour))
		}
	}
	return text
}

// atRates is what work costs at the rates that went into a formula, in words and as a price.
func atRates(formula string, known map[string]float64) (text string, base float64) {
	switch {
	case strings.Contains(formula, "PBase"): // by the time that it takes on nodes of a rating
		return atKinds(formula, known)
	case strings.Contains(formula, "rate * procs * "):
		return ofWork(known["procs"], known["E"], known["rate"], "")
	case strings.Contains(formula, "rate * "): // whatever its width
		text, base = ofWork(1, known["E"], known["rate"], "")
		if n := known["procs"]; n > 1 && text != "" {
			text += fmt.Sprintf(" for all %.0f of its processors", n)
		}
		return text, base
	}
	return "", 0
}

// atKinds is the same of a job whose processors may be of several kinds, each with its
// rating and its rate.
func atKinds(formula string, known map[string]float64) (text string, base float64) {
	if known["others"] > 0 { // too many kinds to tell them all
		return "", 0
	}
	first := known["of this kind"]
	summed := strings.Contains(formula, "summed over its processors")
	if first == 0 || !summed {
		first = 1
	}
	text, base = ofRating(first, known["E"], known["rating"], known["PBase"])
	for kind := 2; summed && known[fmt.Sprintf("of kind %d", kind)] > 0 && text != ""; kind++ {
		of := func(name string) float64 {
			if v, ok := known[fmt.Sprintf("%s of kind %d", name, kind)]; ok {
				return v
			}
			return known[name]
		}
		more, cost := ofRating(known[fmt.Sprintf("of kind %d", kind)], known["E"], of("rating"), of("PBase"))
		text, base = text+" and "+more, base+cost
	}
	if n := known["procs"]; !summed && n > 1 && text != "" {
		text += fmt.Sprintf(" (the dearest of its %.0f)", n)
	}
	return text, base
}

// ofRating is work on processors that do so much of it in a second.
func ofRating(procs, work, rating, rate float64) (text string, base float64) {
	if rating <= 0 {
		return "", 0
	}
	note := ""
	if rating != 1 {
		note = fmt.Sprintf(" at rating %.4g", rating)
	}
	return ofWork(procs, work/rating, rate, note)
}

// ofWork is so long on so many processors at a rate for each second.
func ofWork(procs, seconds, rate float64, note string) (text string, base float64) {
	hourly, err := market.Price(rate * 3600).Money()
	if err != nil || hourly <= 0 {
		return "", 0
	}
	return fmt.Sprintf("%s x %s%s x %s an hour", count(procs, "processor"), market.Span(int64(math.Round(seconds*1e3))), note, saidRate(hourly)), procs * seconds * rate
}

// saidRate is a rate with two decimals, or all of them where it is so small that two would
// be another rate: who works it out has to come to the price.
func saidRate(hour market.Money) string {
	const cent, part = market.Unit / 100, 200
	if off := hour % cent; part*min(off, cent-off) > hour {
		return hour.Exact() + " " + market.Sign
	}
	return hour.Said()
}

func count(n float64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%.0f %ss", n, what)
}
