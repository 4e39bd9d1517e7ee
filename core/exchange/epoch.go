package exchange

import (
	"fmt"
	"maps"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
)

// open is the first command of a log: time begins.
func (x *Exchange) open(at int64, o *Open) (Outcome, error) {
	e, err := newEpoch(0, at, o.Policy, o.Settings, o.Rates)
	if err != nil {
		return Outcome{}, err
	}
	x.origin, x.now = at, at
	x.setEpochs([]EpochView{e})
	x.rates = e.Rates
	x.kind, err = policy.Find(o.Policy)
	v := e
	return Outcome{Epoch: &v}, err
}

// beginEpoch begins a new epoch: another policy, other levers, other prices. What
// has been promised stands. Between policies that share processors in different
// ways a job under way cannot be handed over, so there must be none.
func (x *Exchange) beginEpoch(c *Epoch) (Outcome, error) {
	rates := x.rates
	if c.Rates != nil {
		rates = *c.Rates
	}
	e, err := newEpoch(len(x.epochs), x.now, c.Policy, c.Settings, rates)
	if err != nil {
		return Outcome{}, err
	}
	if family(c.Policy) != family(x.epoch().Policy) && x.cluster != nil {
		if n := x.cluster.Live(); n > 0 {
			return Outcome{}, fmt.Errorf("%w: %d jobs or quotes are under way; %s can follow %s only when there are none",
				ErrConflict, n, c.Policy, x.epoch().Policy)
		}
	}
	if err := x.rebuild(&e); err != nil {
		return Outcome{}, err
	}
	x.setEpochs(append(x.epochs, e))
	x.rates = e.Rates
	if x.cluster != nil {
		if err := x.step(market.Event{Kind: market.Woken}); err != nil {
			return Outcome{}, err
		}
	}
	v := e
	return Outcome{Epoch: &v}, nil
}

// newEpoch checks a policy and its settings and names them all.
func newEpoch(number int, at int64, name string, set map[string]string, rates Rates) (EpochView, error) {
	kind, err := policy.Find(name)
	if err != nil {
		return EpochView{}, bad("policy", err.Error())
	}
	own, rest := rules.Split(set)
	if _, err = kind.New(rest); err != nil {
		return EpochView{}, bad("settings", err.Error())
	}
	trade, err := rules.Papers().With(own)
	if err != nil {
		return EpochView{}, bad("settings", err.Error())
	}
	if err := rates.validate(); err != nil {
		return EpochView{}, err
	}
	e := EpochView{Number: number, FromUS: at, Policy: name, Rates: rates.named(), Settings: []Setting{}}
	for _, s := range kind.Settings() {
		value, given := set[s.Name]
		if !given && s.Later {
			continue
		}
		if !given {
			value = s.Value()
		}
		e.Settings = append(e.Settings, Setting{Name: s.Name, Value: value})
	}
	if len(own) > 0 { // else the papers', without a word, as in logs of before there were any
		for _, s := range trade.Settings() {
			e.Settings = append(e.Settings, Setting{Name: s.Name, Value: s.Value})
		}
	}
	slices.SortFunc(e.Settings, func(a, b Setting) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return e, nil
}

// settingsOf is what an epoch sets of its policy, in the form in which policies
// take it.
func settingsOf(e *EpochView) map[string]string {
	_, set := rules.Split(e.given())
	return set
}

func (e *EpochView) given() map[string]string {
	set := map[string]string{}
	for _, s := range e.Settings {
		set[s.Name] = s.Value
	}
	return set
}

// Rules are how the market trades in an epoch.
func (e *EpochView) Rules() rules.Rules {
	r, err := rules.Read(e.given())
	if err != nil { // they were checked when it began
		return rules.Papers()
	}
	return r
}

// setEpochs notes the spans of the log, and how the market trades in each.
func (x *state) setEpochs(epochs []EpochView) {
	x.epochs = epochs
	x.ruled = x.ruled[:0]
	for i := range epochs {
		x.ruled = append(x.ruled, epochs[i].Rules())
	}
}

// rules are how the market trades now.
func (x *state) rules() *rules.Rules { return &x.ruled[len(x.ruled)-1] }

// era is the epoch by whose rules a job is billed: that in which it was taken in,
// or quoted, whatever has changed since.
func (x *state) era(j *activeJob) int {
	if j.Era > 0 {
		return min(j.Era, len(x.epochs)) - 1
	}
	return x.eraAt(j.SubmittedUS) // of before it was noted
}

// eraAt is the epoch of a time.
func (x *state) eraAt(us int64) int {
	for i := len(x.epochs) - 1; i > 0; i-- {
		if x.epochs[i].FromUS <= us {
			return i
		}
	}
	return 0
}

// rulesOf are the rules by which a job is billed.
func (x *state) rulesOf(j *activeJob) *rules.Rules { return &x.ruled[x.era(j)] }

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
	set["per"], set["resources"], set["scale"] = "processor", "time", "rates"
	return set
}

// family names the policies among which jobs under way can be handed over.
func family(name string) string {
	if name == "libra" || name == "libra-plus" {
		return "proportional share"
	}
	if name == "mf-edf" || name == "mf-hbf" {
		return "mandatory first"
	}
	return name
}

// Epochs lists the spans of the log.
func (x *state) Epochs() []EpochView { return slices.Clone(x.epochs) }
