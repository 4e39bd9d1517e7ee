package trade

import (
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Merge puts a program to the terms of a quote. Terms that differ are refused:
// they are not what was quoted.
func Merge(quoted, given Request) (Request, error) {
	terms := given
	r := quoted
	if given.HasProgram() {
		r.Argv, r.Script, r.Dir, r.Env, r.Output, r.Error = given.Argv, given.Script, given.Dir, given.Env, given.Output, given.Error
	}
	if given.Optional != nil && quoted.Optional != nil {
		r.Optional = given.Optional // the same terms, with a program
	}
	if given.Name != "" {
		r.Name = given.Name
	}
	if given.Overrun != "" {
		r.Overrun = given.Overrun
	}
	r.NoRestart = r.NoRestart || given.NoRestart
	if len(given.Tags) > 0 {
		r.Tags = given.Tags
	}
	if given.GraceMS != 0 {
		r.GraceMS = given.GraceMS
	}
	if len(given.Follows()) > 0 {
		r.After, r.AfterAny, r.AfterFailed, r.AfterBegun, r.AfterEach, r.AfterElement = given.After, given.AfterAny, given.AfterFailed, given.AfterBegun, given.AfterEach, given.AfterElement
	}
	for _, f := range []struct {
		name    string
		differs bool
	}{
		{"estimate_ms", terms.EstimateMS != 0 && terms.EstimateMS != quoted.EstimateMS},
		{"deadline_ms", terms.DeadlineMS != 0 && terms.DeadlineMS != quoted.DeadlineMS},
		{"budget_micros", terms.Budget != nil && (quoted.Budget == nil || *terms.Budget != *quoted.Budget)},
		{"threads", terms.Threads != 0 && terms.PerProgram() != quoted.PerProgram()},
		{"spread", terms.Spread && !quoted.Spread},
		{"processors", terms.Processors != 0 && terms.Procs() != quoted.Procs()},
		{"penalty_micros_per_s", terms.PenaltyMicros != 0 && terms.PenaltyMicros != quoted.PenaltyMicros},
		{"memory_mb", terms.MemoryMB != 0 && terms.MemoryMB != quoted.MemoryMB},
		{"disk_mb", terms.DiskMB != 0 && terms.DiskMB != quoted.DiskMB},
		{"gpus", terms.GPUs != 0 && terms.GPUs != quoted.GPUs},
		{"gpu_kind", terms.GPUKind != "" && terms.GPUKind != quoted.GPUKind},
		{"nodelist", len(terms.Nodelist) > 0 && !slices.Equal(terms.Nodelist, quoted.Nodelist)},
		{"exclude", len(terms.Exclude) > 0 && !slices.Equal(terms.Exclude, quoted.Exclude)},
		{"constraint", terms.Constraint != "" && terms.Constraint != quoted.Constraint},
		{"partition", terms.Partition != "" && terms.Partition != quoted.Partition},
		{"reservation", terms.Reservation != "" && terms.Reservation != quoted.Reservation},
		{"qos", terms.QOS != "" && terms.QOS != quoted.QOS},
		{"begin_ms", terms.BeginMS != 0},
		{"hold", terms.Hold},
		{"account", terms.Account != "" && terms.Account != quoted.Account},
		{"optional", terms.Optional != nil && !terms.Optional.sameTerms(quoted.Optional)},
		{"array", terms.Array != nil && !terms.Array.asQuoted(quoted.Array)},
	} {
		if f.differs {
			return Request{}, market.Wrong(f.name, "what the quote says, or nothing")
		}
	}
	return r, nil
}
