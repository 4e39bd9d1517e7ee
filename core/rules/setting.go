package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// Setting is one rule, as it is written.
type Setting struct {
	Name    string
	Meaning string
	Choices []string // empty for a number
	None    bool     // "none" is a value: without a bound
	Later   bool     // it came after the first logs: an epoch names it where it was set
	Value   string
}

// ErrSetting says that a rule cannot be what was asked for.
var ErrSetting = errors.New("setting of the market")

// field is a rule under its name.
type field struct {
	name, meaning string
	choices       []string
	part          func(*Rules) *Part
	least, most   Part
	none, later   bool
	get           func(*Rules) string
	set           func(*Rules, string) error
}

const endless = Part(1e15)

var fields = []field{
	{
		name: "endings", meaning: "what the endings of jobs owe: what was used and a part of the rest (used), or the price (papers)",
		choices: []string{string(EndingsUsed), string(EndingsPapers)},
		get:     func(r *Rules) string { return string(r.Endings) },
		set:     func(r *Rules, v string) error { r.Endings = Endings(v); return nil },
	},
	{
		name: "unused", meaning: "what work costs that was reserved and not used, as a part of its price",
		part: func(r *Rules) *Part { return &r.Unused }, most: Whole,
	},
	{
		name: "penalty_cap", meaning: "the most that lateness pays, as a multiple of what the job is charged",
		part: func(r *Rules) *Part { return &r.PenaltyCap }, most: endless, none: true,
	},
	{
		name: "penalty_limit", meaning: "the highest rate of penalty: a second late costs at most so many times a second of the estimate",
		part: func(r *Rules) *Part { return &r.PenaltyLimit }, most: endless, none: true,
	},
	{
		name: "owner_floor", meaning: "how low the owner's account may fall by penalties; what could fall below it is not promised", none: true,
		get: func(r *Rules) string {
			if r.OwnerFloor == NoFloor {
				return none
			}
			return r.OwnerFloor.String()
		},
		set: func(r *Rules, v string) (err error) {
			r.OwnerFloor = NoFloor
			if v != none {
				r.OwnerFloor, err = market.ParseMoney(v)
			}
			return err
		},
	},
	{
		name: "loss_limit", meaning: "what the jobs lost on one node may cost the owner in penalties within an hour", none: true, later: true,
		get: func(r *Rules) string {
			if r.LossLimit == NoFloor {
				return none
			}
			return r.LossLimit.String()
		},
		set: func(r *Rules, v string) (err error) {
			r.LossLimit = NoFloor
			if v != none {
				if r.LossLimit, err = market.ParseMoney(v); err == nil && r.LossLimit < 0 {
					err = fmt.Errorf("%q is not an amount of 0 or more, or none", v)
				}
			}
			return err
		},
	},
	{
		name: "tolerance", meaning: "the part of its estimate that a job may decline of the time it is offered, and be paid for lateness",
		part: func(r *Rules) *Part { return &r.Tolerance }, most: Whole, none: true,
	},
	{
		name: "reporting", meaning: "seconds between the reports of a node: what is late by no more is in time",
		part: func(r *Rules) *Part { return &r.Reporting }, most: 3600 * Whole,
	},
	{
		name: "limit", meaning: "who stops a job that has had all that was sold to it: its node, at once, or the market, when it hears of it (report)",
		choices: []string{string(LimitNode), string(LimitReport)}, later: true,
		get: func(r *Rules) string { return string(r.Limit) },
		set: func(r *Rules, v string) error { r.Limit = Limit(v); return nil },
	},
	{
		name: "rounding", meaning: "where each amount of a bill goes that is no whole number of micro-units: up, or down",
		choices: []string{string(RoundingUp), string(RoundingDown)}, later: true,
		get: func(r *Rules) string { return string(r.Rounding) },
		set: func(r *Rules, v string) error { r.Rounding = Rounding(v); return nil },
	},
	{
		name: "least_estimate", meaning: "milliseconds of work on each processor that are sold at the least, whatever the estimate",
		part: func(r *Rules) *Part { return &r.Least }, most: 3600_000 * Whole, later: true,
	},
	{
		name: "optional", meaning: "what an optional part pays for: the processor time that it was granted, whether or not it used it (granted), or what it used",
		choices: []string{string(OptionalGranted), string(OptionalUsed)}, later: true,
		get: func(r *Rules) string { return string(r.Optional) },
		set: func(r *Rules, v string) error { r.Optional = Optional(v); return nil },
	},
	{
		name: "storage", meaning: "how memory and disk are sold: by the market, for the time they are held (held), or by the policy with its price",
		choices: []string{string(StorageHeld), string(StoragePolicy)}, later: true,
		get: func(r *Rules) string { return string(r.Storage) },
		set: func(r *Rules, v string) error { r.Storage = Storage(v); return nil },
	},
	{
		name: "memory_unasked", meaning: "megabytes of memory on each processor that a job is sold which asks for none, where memory has a price; 0: what is left, for nothing",
		part: func(r *Rules) *Part { return &r.Unasked }, most: 1 << 20 * Whole, later: true,
	},
	{
		name: "quote_hold", meaning: "whether a binding quote holds its price", choices: []string{yes, no},
		get: func(r *Rules) string {
			if r.QuoteHold {
				return yes
			}
			return no
		},
		set: func(r *Rules, v string) error { r.QuoteHold = v == yes; return nil },
	},
	{
		name: "quote_share", meaning: "what all open quotes of one user may keep, as a part of the cluster's processors",
		part: func(r *Rules) *Part { return &r.QuoteShare }, most: Whole, none: true,
	},
	{
		name: "quote_all", meaning: "what the open quotes of all users together may keep, as a part of the cluster's processors; one processor at the least",
		part: func(r *Rules) *Part { return &r.QuoteAll }, most: Whole, none: true, later: true,
	},
	{
		name: "quote_rent", meaning: "what a quote costs that is not taken, as a part of its price for each minute",
		part: func(r *Rules) *Part { return &r.QuoteRent }, most: Whole,
	},
	{
		name: "quote_limit", meaning: "how many quotes one user may have open",
		part: func(r *Rules) *Part { return &r.QuoteLimit }, most: endless, none: true,
	},
}

const (
	none = "none"
	yes  = "yes"
	no   = "no"
)

// Settings lists the rules as they are written, in their order.
func (r Rules) Settings() []Setting {
	list := make([]Setting, 0, len(fields))
	for i := range fields {
		f := &fields[i]
		list = append(list, Setting{Name: f.name, Meaning: f.meaning, Choices: f.choices, None: f.none, Later: f.later, Value: f.value(&r)})
	}
	return list
}

// Map is the rules as they are written, by name.
func (r Rules) Map() map[string]string {
	set := make(map[string]string, len(fields))
	for _, s := range r.Settings() {
		set[s.Name] = s.Value
	}
	return set
}

// Known reports whether a rule has this name.
func Known(name string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.name == name })
}

// Names lists the names of the rules.
func Names() []string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].name
	}
	return names
}

// Split parts what is a rule from what is not, which is the policy's.
func Split(set map[string]string) (own, rest map[string]string) {
	own, rest = map[string]string{}, map[string]string{}
	for name, value := range set {
		if Known(name) {
			own[name] = value
		} else {
			rest[name] = value
		}
	}
	return own, rest
}

// With is the rules with some of them changed. What is not the name of a rule is
// an error.
func (r Rules) With(set map[string]string) (Rules, error) {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			return r, fmt.Errorf("%w: there is no %q (there are %s)", ErrSetting, name, strings.Join(Names(), ", "))
		}
		if err := fields[i].write(&r, set[name]); err != nil {
			return r, fmt.Errorf("%w: %s: %w", ErrSetting, name, err)
		}
	}
	return r, nil
}

// Read is the rules that a list of settings has: those of the papers where it
// names none. What is not a rule is the policy's, and not looked at.
func Read(set map[string]string) (Rules, error) {
	own, _ := Split(set)
	return Papers().With(own)
}

func (f *field) value(r *Rules) string {
	if f.part == nil {
		return f.get(r)
	}
	if p := *f.part(r); p != None {
		return market.Money(p).String()
	}
	return none
}

func (f *field) write(r *Rules, text string) error {
	if f.choices != nil && !slices.Contains(f.choices, text) {
		return fmt.Errorf("%q is not one of %s", text, strings.Join(f.choices, ", "))
	}
	if f.part == nil {
		return f.set(r, text)
	}
	if f.none && text == none {
		*f.part(r) = None
		return nil
	}
	amount, err := market.ParseMoney(text) // a number of at most six decimals
	if p := Part(amount); err != nil || p < f.least || p > f.most {
		return fmt.Errorf("%q is not a number %s", text, f.bounds())
	}
	*f.part(r) = Part(amount)
	return nil
}

func (f *field) bounds() string {
	text := fmt.Sprintf("of %s or more, with at most six decimals", market.Money(f.least))
	if f.most < endless {
		text = fmt.Sprintf("from %s to %s, with at most six decimals", market.Money(f.least), market.Money(f.most))
	}
	if f.none {
		text += ", or none"
	}
	return text
}
