package epoch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Formula is how the price of a job came about in an epoch, of which so much is
// known: it names nothing else, but for the settings of the policy.
func Formula(e *trade.EpochView, known []market.Input) string {
	knows := func(name string) bool {
		return slices.ContainsFunc(known, func(in market.Input) bool { return in.Name == name })
	}
	each := e.Setting("per") == "processor"
	switch e.Policy {
	case "libra":
		one := "gamma * E"
		if knows("D") {
			one = "(gamma * E + delta * E / D)"
		}
		return counted(e, each, one)
	case "libra-plus":
		return plusFormula(e.Setting("resources") == "time", each, knows)
	case "bid-share", "make-way", "going-rate":
		if knows("asked") {
			return "asked"
		} else if knows("offered") {
			return "offered"
		} else if !knows("B") {
			return counted(e, each, "bid * E")
		}
		return "B"
	case "libra-sla", "mf-edf", "mf-hbf", "hol", "hol-optimal", "first-price", "first-reward", "best-offer":
		return "B"
	default:
		return counted(e, each, "E * pbase")
	}
}

// counted is the price of one processor, times what it is counted in and for how
// many it is.
func counted(e *trade.EpochView, each bool, one string) string {
	if each {
		one = "procs * " + one
	}
	if e.Setting("scale") == "rates" {
		one = "rate * " + one
	}
	if bare, whole := strings.CutPrefix(one, "("); whole {
		return strings.TrimSuffix(bare, ")")
	}
	return one
}

// plusFormula is the price of libra-plus (000, equations 3 to 6).
func plusFormula(byTime, each bool, knows func(string) bool) string {
	text := "E/rating * (alpha + beta) * PBase"
	if knows("RESMax") {
		text = "E/rating * (alpha * PBase + beta * PBase * RESMax / (RESMax - RESCommitted - E/rating))"
	}
	for _, s := range []string{"memory", "disk"} {
		if !knows(s + " price") {
			continue
		}
		if knows(s + " max") {
			text += fmt.Sprintf(" + %[1]s * (alpha * %[1]s price + beta * %[1]s price * %[1]s max / (%[1]s free - %[1]s))", s)
		} else {
			text += fmt.Sprintf(" + %[1]s * (alpha + beta) * %[1]s price", s)
		}
		if byTime {
			text += " * E/rating / 3600"
		}
	}
	switch {
	case !knows("of this kind"):
		return text
	case each:
		return text + ", summed over its processors, of each kind with what is known of it, and the others"
	}
	return text + ", on the dearest of its processors"
}

// FormulaOfBefore is how the first version wrote the formula of a policy down.
func FormulaOfBefore(policy string) string {
	switch policy {
	case "libra":
		return "gamma * E + delta * E / D"
	case "libra-plus":
		return "E/rating * (alpha * PBase + beta * PBase * RESMax / (RESMax - RESCommitted - E/rating)), and the same for memory and disk where they have a price; on the dearest of its processors"
	case "libra-sla", "bid-share", "mf-edf", "mf-hbf":
		return "B"
	default:
		return "E * PBase"
	}
}
