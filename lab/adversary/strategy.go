package adversary

// Strategy is a way to treat a market.
type Strategy struct {
	Name     string
	Does     string // in a few words
	Patient  bool   // it wants no deadline kept
	Idle     bool   // it wants nothing done: its twin does nothing
	Accounts int    // beside the first

	memory  bool                   // it is for memory, which has a price then
	policy  string                 // the market's, if not any
	set     map[string]string      // settings of it, beside those of any live market
	prepare func(p *player)        // before anything happens
	cheat   func(p *player, i int) // when a wish comes up
}

// Strategies lists them all.
func Strategies() []Strategy {
	var all []Strategy
	all = append(all, estimates()...)
	all = append(all, endings()...)
	all = append(all, penalties()...)
	all = append(all, shapes()...)
	all = append(all, quotes()...)
	all = append(all, accounts()...)
	all = append(all, bids()...)
	all = append(all, ways()...)
	all = append(all, posted()...)
	all = append(all, memories()...)
	return all
}
