package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/spelling"
)

// Kind is a policy by name: how to make one, and what can be set.
type Kind struct {
	Name    string
	Summary string
	// TimeShared policies need nodes that can enforce fractions of a processor.
	TimeShared bool
	// Waits says of a time-shared policy that jobs may wait for processors all the same.
	Waits bool
	// ExactEstimates says that the paper behind the policy takes the estimate
	// to be the runtime; a simulator honours that unless told otherwise.
	ExactEstimates bool
	// Imprecise policies know optional parts, and sell them.
	Imprecise bool

	make func() configurable
}

// LetsWait reports whether a job that is taken may wait for processors.
func (k *Kind) LetsWait() bool { return !k.TimeShared || k.Waits }

// configurable is a policy together with its settings.
type configurable interface {
	Policy
	settings() []Setting
}

var kinds = []Kind{
	{
		Name: "fifo", Summary: "strict order of arrival; the head blocks, nobody is dropped",
		make: func() configurable { return newFIFO() },
	},
	{
		Name: "fcfs-bf", Summary: "EASY backfilling, first come first served",
		make: func() configurable { return newEASY("arrival", byArrival) },
	},
	{
		Name: "sjf-bf", Summary: "EASY backfilling, shortest estimate first",
		make: func() configurable { return newEASY("estimate", byEstimate) },
	},
	{
		Name: "edf-bf", Summary: "EASY backfilling, earliest deadline first",
		make: func() configurable { return newEASY("due", byDue) },
	},
	{
		Name: "libra", Summary: "deadline-proportional share, static price (Libra)", TimeShared: true,
		make: func() configurable { return newLibra() },
	},
	{
		Name: "libra-plus", Summary: "the same with a price that follows demand (Libra+$)", TimeShared: true,
		make: func() configurable { return newLibraPlus() },
	},
	{
		Name: "libra-sla", Summary: "soft deadlines and penalties, admission by return (LibraSLA)", TimeShared: true, ExactEstimates: true,
		make: func() configurable { return newLibraSLA() },
	},
	{
		Name: "hol", Summary: "head-of-the-line priority, admission probabilities, bounded penalties (the provider-revenue paper)",
		make: func() configurable { return newHOL() },
	},
	{
		Name: "hol-optimal", Summary: "the same with the admission probabilities that the provider-revenue model finds best",
		make: func() configurable { return newHOLOptimal() },
	},
	{
		Name: "first-price", Summary: "highest yield per second first, yield falls with delay (Irwin et al. 2004)",
		make: func() configurable { return newFirstPrice() },
	},
	{
		Name: "first-reward", Summary: "discounted yield against what the others lose, admission by slack (Irwin et al. 2004)",
		make: func() configurable { return newFirstReward() },
	},
	{
		Name: "bid-share", Summary: "share in proportion to the bid, no admission control (REXEC, Tycoon)", TimeShared: true,
		make: func() configurable { return newBidShare() },
	},
	{
		Name: "qops", Summary: "deadlines guaranteed to parallel jobs, with a slack factor (QoPS, Islam et al. 2003)",
		make: func() configurable { return newQoPS() },
	},
	{
		Name: "best-offer", Summary: "the highest offer per processor-second first, with backfilling; a promise is made when a job starts",
		make: func() configurable { return newBestOffer() },
	},
	{
		Name: "make-way", Summary: "the highest offer first, and who has time to spare makes way for shorter jobs that pay more for it", TimeShared: true, Waits: true,
		make: func() configurable { return newMakeWay() },
	},
	{
		Name: "going-rate", Summary: "whatever fits in time while all does, else the best offers at the going rate", TimeShared: true, Waits: true,
		make: func() configurable { return newGoingRate() },
	},
	{
		Name: "mf-edf", Summary: "mandatory parts first, then optional ones, both by deadline; pay for what was executed",
		TimeShared: true, Imprecise: true,
		make: func() configurable { return newMandatoryFirst("deadline") },
	},
	{
		Name: "mf-hbf", Summary: "the same with optional parts by highest budget", TimeShared: true, Imprecise: true,
		make: func() configurable { return newMandatoryFirst("budget", "rate") },
	},
}

// Kinds lists all policies in the order in which to show them.
func Kinds() []Kind { return slices.Clone(kinds) }

// Find returns the kind of policy of a name, or an error that lists them all.
func Find(name string) (Kind, error) {
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return Kind{}, fmt.Errorf("unknown policy %q (want one of %s)%s", name, strings.Join(names, ", "), spelling.Hint(name, names))
}

// New makes a policy of this kind, with some of its settings changed.
func (k Kind) New(set map[string]string) (Policy, error) {
	p := k.make()
	settings := p.settings()
	for _, name := range sortedKeys(set) {
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("policy %s has no setting %q (%s)", k.Name, name, listSettings(settings))
		}
		if err := settings[i].set(set[name]); err != nil {
			return nil, fmt.Errorf("policy %s: %w", k.Name, err)
		}
	}
	return p, nil
}

// Settings lists what can be set, with the defaults.
func (k Kind) Settings() []Setting { return k.make().settings() }
