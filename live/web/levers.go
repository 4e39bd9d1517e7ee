package web

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/wire"
)

// leversView is the policy, its settings and the base prices: those in force, and
// what somebody wants to change about them.
type leversView struct {
	Epoch    v1.EpochView
	Policy   string
	Kinds    []policy.Kind
	Summary  string
	Settings []lever
	Rates    []lever
	Wrong    string
	Result   *forecastView
	Forecast bool // a replay can be had
}

// lever is one thing that can be set.
type lever struct {
	Name    string // of the setting
	Field   string // of the form
	Meaning string
	Choices []string
	Value   string // as somebody wants it
	InForce string
}

// Changed reports whether it is to be moved.
func (l lever) Changed() bool { return l.Value != l.InForce }

// forecastView is what a replay says.
type forecastView struct {
	WhatIfResult
	Changes string // what was tried, in words
	Whole   bool   // it was all that the form says: it can be applied
	Days    string
}

// Gain is the change of revenue.
func (f *forecastView) Gain() string {
	if f.RevenueBefore <= 0 {
		return signedMoney(f.Revenue - f.RevenueBefore)
	}
	change := float64(f.Revenue-f.RevenueBefore) / float64(f.RevenueBefore)
	text := percent(change)
	if change >= 0 {
		return "+" + text
	}
	return strings.Replace(text, "-", "\u2212", 1)
}

// Up and Down say which way revenue goes.
func (f *forecastView) Up() bool   { return f.Revenue > f.RevenueBefore }
func (f *forecastView) Down() bool { return f.Revenue < f.RevenueBefore }

// More is how many jobs more are taken.
func (f *forecastView) More() string {
	n := f.Accepted - f.AcceptedBefore
	switch {
	case n > 0:
		return plural(n, "job more taken", "jobs more taken")
	case n < 0:
		return plural(-n, "job fewer taken", "jobs fewer taken")
	}
	return "as many jobs taken"
}

const (
	settingField = "set."
	rateField    = "rate."
)

// leversInForce is how everything is set now.
func (c *call) leversInForce() (*leversView, error) {
	epochs, err := c.h.market.Epochs(c.r.Context())
	if err != nil {
		return nil, err
	}
	if len(epochs) == 0 {
		return nil, errors.New("a market without an epoch")
	}
	v := &leversView{Epoch: epochs[len(epochs)-1], Kinds: policy.Kinds(), Forecast: c.h.options.WhatIf != nil}
	return v.under(v.Epoch.Policy)
}

// under is the levers of a policy: as in force where it is the one, else with its
// defaults.
func (v *leversView) under(name string) (*leversView, error) {
	kind, err := policy.Find(name)
	if err != nil {
		return nil, err
	}
	w := &leversView{Epoch: v.Epoch, Kinds: v.Kinds, Forecast: v.Forecast, Policy: name, Summary: kind.Summary}
	set := map[string]string{}
	if name == v.Epoch.Policy {
		for _, s := range v.Epoch.Settings {
			set[s.Name] = s.Value
		}
	} else { // how a market counts does not change with the policy
		set = epoch.LiveSettings()
		for _, s := range v.Epoch.Settings {
			if _, counts := set[s.Name]; counts {
				set[s.Name] = s.Value
			}
		}
	}
	for _, s := range kind.Settings() {
		l := lever{Name: s.Name, Field: settingField + s.Name, Meaning: s.Meaning, Choices: s.Choices, Value: s.Value(), InForce: s.Value()}
		if value, given := set[s.Name]; given {
			l.Value, l.InForce = value, value
		}
		w.Settings = append(w.Settings, l)
	}
	for _, s := range rulesOf(&v.Epoch) { // of the market, not of the policy: they stay
		w.Settings = append(w.Settings, lever{Name: s.Name, Field: settingField + s.Name, Meaning: s.Meaning, Choices: s.Choices, Value: s.Value, InForce: s.Value})
	}
	for _, r := range []struct {
		name, meaning string
		value         int64
	}{
		{"processor", "base price of a processor for an hour", v.Epoch.Rates.ProcessorHour},
		{"memory", "base price of a GB of memory for an hour", v.Epoch.Rates.MemoryHour},
		{"disk", "base price of a GB of disk for an hour", v.Epoch.Rates.DiskHour},
		{"gpu", "base price of a GPU for an hour" + kinds(v.Epoch.Rates.GPUKinds), v.Epoch.Rates.GPUHour},
	} {
		w.Rates = append(w.Rates, lever{Name: r.name, Field: rateField + r.name, Meaning: r.meaning, Value: per(r.value), InForce: per(r.value)})
	}
	return w, nil
}

// kinds says what kinds of GPUs have prices of their own.
func kinds(rates map[string]int64) string {
	text := ""
	for _, kind := range slices.Sorted(maps.Keys(rates)) {
		text += fmt.Sprintf(", %s: %s", kind, per(rates[kind]))
	}
	if text == "" {
		return ""
	}
	return " of a kind that has none of its own (" + text[2:] + ")"
}

// rulesOf are the rules of the market that an epoch names; none of one that has
// those of the papers without a word.
func rulesOf(e *v1.EpochView) []rules.Setting {
	own := map[string]string{}
	for _, s := range e.Settings {
		if rules.Known(s.Name) {
			own[s.Name] = s.Value
		}
	}
	in, err := rules.Papers().With(own)
	if err != nil || len(own) == 0 {
		return nil
	}
	return in.Settings()
}

// readLevers takes in the form. With only, the others stay as they are.
func (c *call) readLevers(only string) (*leversView, error) {
	v, err := c.leversInForce()
	if err != nil {
		return nil, err
	}
	if name := c.r.PostFormValue("policy"); name != "" && name != v.Policy {
		if v, err = v.under(name); err != nil {
			return nil, errNotFound
		}
	}
	for _, list := range [][]lever{v.Settings, v.Rates} {
		for i := range list {
			given, has := c.r.PostForm[list[i].Field]
			if has && len(given) == 1 && (only == "" || only == list[i].Field || v.Policy != v.Epoch.Policy) {
				list[i].Value = strings.TrimSpace(given[0])
			}
		}
	}
	return v, nil
}

// epoch is the command that the levers are, if they make sense.
func (v *leversView) epoch() (*v1.Epoch, error) {
	e := &v1.Epoch{Policy: v.Policy, Settings: map[string]string{}, Rates: &v1.Rates{}}
	for _, l := range v.Settings {
		e.Settings[l.Name] = l.Value
	}
	kind, err := policy.Find(v.Policy)
	if err != nil {
		return nil, err
	}
	own, rest := rules.Split(e.Settings)
	if _, err := kind.New(rest); err != nil {
		return nil, err
	}
	if _, err := rules.Papers().With(own); err != nil {
		return nil, err
	}
	for i, to := range []*int64{&e.Rates.ProcessorHour, &e.Rates.MemoryHour, &e.Rates.DiskHour, &e.Rates.GPUHour} {
		amount, err := market.ParseMoney(v.Rates[i].Value)
		if err != nil || amount < 0 {
			return nil, fmt.Errorf("%s: %q is not an amount of 0 or more", v.Rates[i].Meaning, v.Rates[i].Value)
		}
		*to = int64(amount)
	}
	e.Rates.GPUKinds, e.Rates.Partitions, e.Rates.Partition = v.Epoch.Rates.GPUKinds, v.Epoch.Rates.Partitions, v.Epoch.Rates.Partition // as the configuration has them
	if was := &v.Epoch.Rates; e.Rates.MemoryHour == 0 && e.Rates.DiskHour == 0 && was.MemoryHour == 0 && was.DiskHour == 0 {
		e.Rates.Memory, e.Rates.Disk = was.Memory, was.Disk // sold by the amount alone, as before
	}
	return e, nil
}

// changes says in words what differs from what is in force.
func (v *leversView) changes() string {
	var list []string
	if v.Policy != v.Epoch.Policy {
		list = append(list, v.Policy)
	}
	for _, l := range slices.Concat(v.Settings, v.Rates) {
		if l.Changed() {
			list = append(list, l.Name+" "+l.Value)
		}
	}
	if len(list) == 0 {
		return "what is in force"
	}
	return strings.Join(list, ", ")
}

// forecastWait is how long a replay may take.
const forecastWait = 5 * time.Minute

// whatIf replays the history under the levers of the form, or under one of them
// alone, and changes nothing.
func whatIf(c *call) error {
	only := c.r.PostFormValue("only")
	v, err := c.readLevers(only)
	if err != nil {
		return err
	}
	if err = c.forecastOf(v, only == ""); err != nil {
		return err
	}
	if !c.wantsJSON() {
		return c.showOwner(&ownerView{Levers: *v})
	}
	html, err := c.h.pages.part("owner", "forecast", v)
	if err != nil {
		return err
	}
	return c.json(map[string]any{"html": html})
}

// forecastOf fills in what a replay says, or why there is none.
func (c *call) forecastOf(v *leversView, whole bool) error {
	e, err := v.epoch()
	switch {
	case err != nil:
		v.Wrong = err.Error()
		return nil // said beside the levers
	case c.h.options.WhatIf == nil:
		v.Wrong = "This server cannot replay its history."
		return nil
	}
	c.takesLong(forecastWait)
	c.h.forecast.Lock()
	defer c.h.forecast.Unlock()
	r, err := c.h.options.WhatIf(c.r.Context(), e.Policy, maps.Clone(e.Settings), *e.Rates)
	if c.r.Context().Err() != nil {
		return c.r.Context().Err()
	}
	if err != nil {
		v.Wrong = err.Error()
		return nil // said beside the levers
	}
	v.Result = &forecastView{WhatIfResult: r, Changes: v.changes(), Whole: whole, Days: stretch(r.ToUS - r.FromUS)}
	return nil
}

// stretch says how much history there is.
func stretch(us int64) string {
	switch days := (us + 12*3600e6) / (24 * 3600e6); {
	case days >= 6 && days <= 8:
		return "Last week"
	case days >= 2:
		return fmt.Sprintf("The last %d days", days)
	default:
		return "The last " + span(us/1000)
	}
}

// beginEpoch moves the levers.
func beginEpoch(c *call) error {
	v, err := c.readLevers("")
	if err != nil {
		return err
	}
	e, err := v.epoch()
	if err != nil {
		v.Wrong = err.Error()
		return c.showOwner(&ownerView{Levers: *v})
	}
	o, err := c.do(trade.Command{Epoch: wire.ToEpoch(e)}, api.Key{})
	var field *trade.FieldError
	switch {
	case errors.Is(err, trade.ErrConflict), errors.As(err, &field):
		v.Wrong = err.Error()
		return c.showOwner(&ownerView{Levers: *v})
	case err != nil:
		return err
	case o.Epoch == nil:
		return errors.New("the market answered with an empty outcome")
	}
	return c.redirect(fmt.Sprintf("/owner?epoch=%d#levers", o.Epoch.Number))
}
