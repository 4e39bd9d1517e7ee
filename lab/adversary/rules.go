package adversary

import (
	"maps"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
)

// settings are those of a live market, which hears of its nodes so often, and some of its own.
func settings(policy string, report int64, own map[string]string) map[string]string {
	set := epoch.LiveSettings()
	maps.Copy(set, own)
	set["reporting"] = market.Money(report).String() // seconds, of which microseconds are the millionths
	return epoch.Complete(policy, map[string]string{}, set)
}

// rates are what an hour of a processor costs in different worlds, in micro-units:
// too little to be whole micro-units a second, as much as at home, and a lot.
var rates = []int64{50_000, 3_600_000, 3_600_000_000}
