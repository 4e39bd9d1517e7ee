package adversary

// baseRate is what a processor second costs, in micro-units.
const baseRate = 1_000_000

// liveSettings are the rules of a live market.
func liveSettings() map[string]string { return nil }
