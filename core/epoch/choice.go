package epoch

import (
	"maps"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
)

// New checks a policy and its settings and names them all.
func New(number int, at int64, name string, set map[string]string, rates trade.Rates) (trade.EpochView, error) {
	kind, err := policy.Find(name)
	if err != nil {
		return trade.EpochView{}, market.Wrong("policy", err.Error())
	}
	own, rest := rules.Split(set)
	if _, err = kind.New(rest); err != nil {
		return trade.EpochView{}, market.Wrong("settings", err.Error())
	}
	ruled, err := rules.Papers().With(own)
	if err != nil {
		return trade.EpochView{}, market.Wrong("settings", err.Error())
	}
	if err := rates.Validate(); err != nil {
		return trade.EpochView{}, err
	}
	e := trade.EpochView{Number: number, FromUS: at, Policy: name, Rates: rates.Named(), Settings: []trade.Setting{}}
	for _, s := range kind.Settings() {
		value, given := set[s.Name]
		if !given && s.Later {
			continue
		}
		if !given {
			value = s.Value()
		}
		e.Settings = append(e.Settings, trade.Setting{Name: s.Name, Value: value})
	}
	if len(own) > 0 { // else the papers', without a word, as in logs of before there were any
		for _, s := range ruled.Settings() {
			if _, given := own[s.Name]; s.Later && !given {
				continue
			}
			e.Settings = append(e.Settings, trade.Setting{Name: s.Name, Value: s.Value})
		}
	}
	slices.SortFunc(e.Settings, func(a, b trade.Setting) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return e, nil
}

// Complete is what an owner sets of a policy and of the market, with what a market
// sets where its owner says nothing, as far as there is such a thing under that
// policy.
func Complete(name string, set, unsaid map[string]string) map[string]string {
	kind, err := policy.Find(name)
	if err != nil {
		return set
	}
	whole := maps.Clone(unsaid)
	maps.DeleteFunc(whole, func(name, _ string) bool {
		return !rules.Known(name) && !slices.ContainsFunc(kind.Settings(), func(s policy.Setting) bool { return s.Name == name })
	})
	if whole == nil {
		return set
	}
	maps.Copy(whole, set)
	return whole
}

// LiveSettings are what a live market sets where its owner says nothing: what
// differs there from the papers.
func LiveSettings() map[string]string {
	set := rules.Live().Map()
	set["per"], set["resources"], set["scale"], set["reserve"] = "processor", "time", "rates", "1"
	set["fit"], set["replan"] = "least-loaded", "touched"
	return set
}

// Family names the policies among which jobs under way can be handed over.
func Family(name string) string {
	if name == "libra" || name == "libra-plus" {
		return "proportional share"
	}
	if name == "mf-edf" || name == "mf-hbf" {
		return "mandatory first"
	}
	return name
}
