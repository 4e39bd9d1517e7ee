package limit

import (
	"fmt"
	"maps"
	"time"
)

// Site is what a Slurm lets whom have, as of one look at it.
type Site struct {
	Partition Partition
	Launchers []string // variables that sbatch tells a job for launchers of MPI
	PerTask   bool     // sbatch tells a job of -c by SLURM_TRES_PER_TASK too
	Granted   Granted  // what slurmdbd has said of it, last

	arrays   int  // numbers of elements are less than that
	enforced bool // limits of associations and QOS are
	safe     bool // nothing begins that could use more than there is
	strict   bool // nobody has a QOS that is not theirs, also by default
	required bool // nobody runs anything without an association
	records  []*record
	accounts map[string]string // of users: the default one
	choices  []choice          // which QOS a job of an association has, and may have
	traits   map[string]trait  // of QOS, beside their limits
	timed    bool              // limits of the time that a user, or an account, has in a QOS are
	preempts bool              // Slurm ends, or suspends, jobs of a QOS for those of another
	reserved []Reserved
	licenses map[string]license
	qualities
	index
}

// Partition is what one partition allows. What is 0 is not limited.
type Partition struct {
	Name         string
	Closed       string // it takes no jobs: DOWN, DRAIN, INACTIVE; empty: it does
	QOS          string
	Accounts     admits // whose jobs it takes, where Slurm holds jobs against accounts
	Qualities    admits // of which QOS, alike
	MaxTime      time.Duration
	DefaultTime  time.Duration // of a job that asks for none
	MaxNodes     int
	DefMemoryMB  int64 // of a job that asks for none, on each processor
	MaxMemoryMB  int64 // on each processor
	MaxMemoryAll int64 // MB on a node

	weights weights // by which it bills
}

// Ask is what somebody wants to have.
type Ask struct {
	User       string
	QOS        string // that it is to have; empty: the one that its user has by default
	Reserved   bool   // it is in a reservation
	Processors int
	Programs   int            // each may be on a node of its own
	MemoryMB   int64          // on each processor
	GPUs       int            // in all
	GPUKind    string         // empty: any
	Elements   int            // of an array, at a time; 0: it is none
	Jobs       int            // of Slurm's, at a time; 0: one
	Submits    int            // of Slurm's, in all; 0: one
	Licenses   map[string]int // of all of them
	Waits      bool           // it has them when it begins, which is not now: that there are so many is enough
	Later      bool           // its user has it wait, and Slurm lets it: what others have now is no matter
	Waited     bool           // and has had it wait until now: that the partition takes no jobs is no matter, it has it
	Time       time.Duration  // until it has to be done
	Open       bool           // it has no deadline: Slurm is told that it may run as long as anything

	weights weights // by which it is billed
}

// forever is how long a job may run of which nobody says.
const forever = 365 * 24 * time.Hour

// Use is what jobs have, all together.
type Use struct {
	Jobs, Processors int
	Waiting          int // jobs beside these that Slurm has and that do not run: elements of an array whose turn has not come
	MemoryMB         int64
	GPUs             int
	Kinds            map[string]int // of these, by the kind that was named
	Licenses         map[string]int
}

// Add adds what another has.
func (u *Use) Add(v Use) {
	u.Jobs, u.Waiting, u.Processors, u.MemoryMB, u.GPUs = u.Jobs+v.Jobs, u.Waiting+v.Waiting, u.Processors+v.Processors, u.MemoryMB+v.MemoryMB, u.GPUs+v.GPUs
	for kind, n := range v.Kinds {
		u.Count(kind, n)
	}
	u.License(v.Licenses)
}

// Sub takes away what another has, which was added.
func (u *Use) Sub(v Use) {
	u.Jobs, u.Waiting, u.Processors, u.MemoryMB, u.GPUs = u.Jobs-v.Jobs, u.Waiting-v.Waiting, u.Processors-v.Processors, u.MemoryMB-v.MemoryMB, u.GPUs-v.GPUs
	u.Kinds, u.Licenses = less(u.Kinds, v.Kinds), less(u.Licenses, v.Licenses)
}

// less is what is left of some, without others; nil: nothing.
func less(of, without map[string]int) map[string]int {
	if len(without) == 0 {
		return of
	}
	left := maps.Clone(of) // another's may be the same map
	for name, n := range without {
		if left[name] -= n; left[name] == 0 {
			delete(left, name)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return left
}

// Count adds GPUs of a kind to those by kind.
func (u *Use) Count(kind string, n int) {
	if kind == "" || n == 0 {
		return
	}
	kinds := map[string]int{kind: n} // another's may be the same map
	for k, m := range u.Kinds {
		kinds[k] += m
	}
	u.Kinds = kinds
}

// Who is whose jobs count together: a user's, and of these the ones that named a QOS.
type Who struct {
	User string
	QOS  string // empty: they named none
}

// Books is what jobs of the market have, by whose they are: those under way, and of these the
// ones that Slurm has, and that it runs, and so counts itself.
type Books struct {
	Underway, Submitted, Running map[Who]Use

	Here *Books // of these, what they have in the partition; nil: it is the only one
	Kin  *Books // what they have in all partitions that have the same QOS
}

// counted is what counts for an association, or a QOS: one of a partition is concerned with
// jobs of that partition alone, and its QOS with those of all that have it.
func (s *Site) counted(r, own *record, named string, b *Books) *Books {
	switch {
	case b.Here == nil:
		return b
	case r.qos != "" && r.qos == s.Partition.QOS && r.qos != s.qosWith(own, named):
		return b.Kin
	case r.qos == "" && r.partition != "":
		return b.Here
	}
	return b
}

// Excess is a limit that a job would exceed.
type Excess struct {
	Field  string // of a request: processors, memory_mb, gpus (in all), deadline_ms; empty: it is not about one job
	Most   int64  // that could be asked for in that field
	Fit    int64  // of memory in all: so many processors could have what was asked for; 0: none, or it is about something else
	Detail string // for people
	Short  string // that of which others have too much for it to begin now, and by itself it could; empty: it never could, or nobody knows
	None   bool   // no other job of this user and QOS could either, whatever it asks for

	Unknown bool // who asks has no account in Slurm, or may not have that QOS; since then they may have been given it

	Nodes    int64 // of an array it is about on how many its elements are, and it is so many at most; 0: it is not
	Elements int64 // of an array so many could have what they ask for; 0: none, or it is about something else
}

// MostElements is what numbers of elements of an array have to be less than; 0: there are none, or
// nobody knows.
func (s *Site) MostElements() int { return s.arrays }

// Counts reports whether it matters what somebody has already.
func (s *Site) Counts() bool { return s.enforced }

// Check finds the first limit that a job would exceed; nil: there is none.
func (s *Site) Check(a Ask, b Books) *Excess {
	partition := s.partitionFor(a.QOS)
	a.weights = partition.weights
	if e := partition.check(&a); e != nil {
		return e
	}
	if e := s.checkLicenses(&a, b.of(func(Who) bool { return true })); e != nil {
		return e
	}
	own := s.association(a.User)
	if own == nil && s.required {
		return &Excess{Unknown: true, Detail: fmt.Sprintf("%s has no account in Slurm, which runs nothing then (sacctmgr add user %[1]s account=...)", a.User)}
	}
	if e := s.named(own, &a); e != nil || own == nil || !s.enforced && !s.required {
		return e
	}
	if e := s.admitted(own, a.QOS); e != nil || !s.enforced {
		return e
	}
	rules := s.rules(own, a.QOS)
	for _, r := range rules {
		has := s.has(r.of)
		had := s.counted(r.of, own, a.QOS, &b)
		if e := r.all.checkJob(&a); e != nil {
			return e
		}
		if e := r.user.checkOwn(&a, had.of(func(w Who) bool { return w.User == a.User && has(w) })); e != nil {
			return e
		}
		if r.account == nil {
			continue
		}
		if e := r.account.checkCounts(&a, had.of(func(w Who) bool { return has(w) && s.accountOf(w.User) == own.account }), "MaxJobsPA", "MaxSubmitJobsPA", "MaxTRESPA"); e != nil {
			return e
		}
	}
	if longest := s.LongestFor(a.User, a.QOS, a.Processors); a.Open {
		if a.Time = longest; longest == 0 {
			a.Time = forever
		}
	}
	for _, r := range append(rules, s.above(own, a.QOS)...) {
		counts := s.has(r.of)
		if r.of.qos == "" {
			counts = func(w Who) bool { return s.under(w.User, r.of) }
		}
		if e := r.checkTime(&a); e != nil {
			return e
		}
		if e := r.all.checkGroup(&a, s.counted(r.of, own, a.QOS, &b).of(counts), s.safe); e != nil {
			return e
		}
	}
	return nil
}

// LongestFor is the longest that a job of a user with so many processors, and a QOS that it
// names, may have in Slurm; 0: as long as it likes.
func (s *Site) LongestFor(user, named string, processors int) time.Duration {
	most := s.partitionFor(named).MaxTime
	least := func(d time.Duration) {
		if d > 0 && (most == 0 || d < most) {
			most = d
		}
	}
	own := s.association(user)
	if !s.enforced || own == nil {
		return most
	}
	for _, r := range s.rules(own, named) {
		least(r.all.longest(processors))
	}
	return most
}

func (p *Partition) check(a *Ask) *Excess {
	named := "partition " + p.Name
	switch {
	case p.Closed == "DOWN" && a.Later: // Slurm takes it, and it may be open by then
	case p.Closed != "" && !a.Waited:
		return &Excess{Detail: fmt.Sprintf("%s is %s in Slurm: it takes no jobs until an administrator opens it", named, p.Closed)}
	case p.MaxTime > 0 && a.Time > p.MaxTime:
		return tooLong(a.Time, p.MaxTime, named, "MaxTime")
	case p.MaxNodes > 0 && a.Programs > p.MaxNodes:
		return &Excess{
			Field: "processors", Most: int64(p.MaxNodes) * int64(a.Processors/max(1, a.Programs)), Nodes: int64(p.MaxNodes),
			Detail: fmt.Sprintf("Slurm gives a job at most %d nodes (MaxNodes of %s), and each of its %d programs may be on one of its own", p.MaxNodes, named, a.Programs),
		}
	case p.MaxMemoryMB > 0 && a.MemoryMB > p.MaxMemoryMB:
		return tooMuchMemory(p.MaxMemoryMB, "processor", "MaxMemPerCPU of "+named)
	case p.MaxMemoryAll > 0 && a.MemoryMB > p.MaxMemoryAll:
		return tooMuchMemory(p.MaxMemoryAll, "node", "MaxMemPerNode of "+named)
	}
	return nil
}

func tooLong(asked, most time.Duration, whose, name string) *Excess {
	return &Excess{
		Field: "deadline_ms", Most: most.Milliseconds(),
		Detail: fmt.Sprintf("Slurm lets a job run for %s at most (%s of %s), and it may take %s", most, name, whose, asked.Round(time.Second)),
	}
}

func tooMuchMemory(most int64, each, name string) *Excess {
	return &Excess{Field: "memory_mb", Most: most, Detail: fmt.Sprintf("Slurm gives a job at most %d MB on a %s (%s)", most, each, name)}
}

// reckoning is what somebody has in the market, and what of that Slurm counts itself.
type reckoning struct{ market, submitted, running Use }

// of adds up what some have.
func (b *Books) of(who func(Who) bool) reckoning {
	var r reckoning
	sum := func(to *Use, from map[Who]Use) {
		for w, use := range from {
			if who(w) {
				to.Add(use)
			}
		}
	}
	sum(&r.market, b.Underway)
	sum(&r.submitted, b.Submitted)
	sum(&r.running, b.Running)
	return r
}

// checkJob holds one job against what its association lets each have. Of an array whose elements are jobs
// it is one of them.
func (r *record) checkJob(all *Ask) *Excess {
	a := *all
	a.Processors, a.GPUs = all.Processors/max(1, all.Jobs), all.GPUs/max(1, all.Jobs)
	if most := r.longest(a.Processors); most > 0 && a.Time > most {
		return tooLong(a.Time, most, r.name(), "MaxWall")
	}
	each := r.tres["MaxTRESPJ"]
	if most, set := each["cpu"]; set && int64(a.Processors) > most.most {
		return &Excess{Field: "processors", Most: most.most, Detail: fmt.Sprintf("Slurm gives a job at most %d processors (MaxTRES of %s)", most.most, r.name())}
	}
	if most, set := each["node"]; set && int64(a.Programs) > most.most {
		return &Excess{
			Field: "processors", Most: most.most * int64(a.Processors/max(1, a.Programs)), Nodes: most.most,
			Detail: fmt.Sprintf("Slurm gives a job at most %d nodes (MaxTRES of %s), and each of its %d programs may be on one of its own", most.most, r.name(), a.Programs),
		}
	}
	if most, set := each[gpu]; set && int64(a.GPUs) > most.most {
		return &Excess{Field: "gpus", Most: most.most, Detail: fmt.Sprintf("Slurm gives a job at most %d GPUs (MaxTRES of %s)", most.most, r.name())}
	}
	if most, set := each[a.ofKind()]; set && int64(a.GPUs) > most.most {
		return &Excess{Field: "gpus", Most: most.most, Detail: fmt.Sprintf("Slurm gives a job at most %d %s GPUs (MaxTRES of %s)", most.most, a.GPUKind, r.name())}
	}
	if most, set := each["mem"]; set && a.MemoryMB*int64(a.Processors) > most.most {
		return &Excess{Field: "memory_mb", Most: most.most / int64(max(1, a.Processors)), Fit: most.most / a.MemoryMB, Detail: fmt.Sprintf("Slurm gives a job at most %d MB in all (MaxTRES of %s)", most.most, r.name())}
	}
	if most, set := each[billing]; set && a.bills() > most.most {
		return &Excess{Detail: fmt.Sprintf("Slurm bills a job %d at most (MaxTRES billing of %s), and this one %d (TRESBillingWeights)", most.most, r.name(), a.bills())}
	}
	if e := r.checkNode(&a); e != nil {
		return e
	}
	least := r.tres["MinTRESPJ"]
	if few, set := least["cpu"]; set && int64(a.Processors) < few.most {
		e := &Excess{Detail: fmt.Sprintf("Slurm would keep it waiting: a job has at least %d processors (MinTRES of %s)", few.most, r.name())}
		if a.Elements == 0 { // of an array this is about each
			e.Field, e.Most = "processors", few.most
		}
		return e
	}
	for _, c := range []struct {
		kind, called string
		has          int64
	}{{"node", "nodes", int64(max(1, a.Programs))}, {"mem", "MB in all", a.MemoryMB * int64(a.Processors)}, {gpu, "GPUs", int64(a.GPUs)}, {billing, "of what is billed", a.bills()}} {
		if few, set := least[c.kind]; set && c.has < few.most {
			return &Excess{Detail: fmt.Sprintf("Slurm would keep it waiting: a job has at least %d %s (MinTRES of %s)", few.most, c.called, r.name())}
		}
	}
	return nil
}

// checkNode holds what a job has on a node against what each may have there: Slurm takes what it has in all, and divides
// it by its nodes. On fewer than it has programs it may be yet.
func (r *record) checkNode(a *Ask) *Excess {
	nodes, processors := int64(max(1, a.Programs)), int64(max(1, a.Processors))
	for _, c := range []struct {
		kind, called, field string
		has, each           int64 // of that field comes so much to one
	}{
		{"cpu", "processors", "processors", processors, 1},
		{"mem", "MB", "memory_mb", a.MemoryMB * processors, processors},
		{gpu, "GPUs", "gpus", int64(a.GPUs), 1},
		{a.ofKind(), a.GPUKind + " GPUs", "gpus", int64(a.GPUs), 1},
	} {
		if most, set := r.tres["MaxTRESPN"][c.kind]; set && c.has > most.most*nodes {
			return &Excess{Field: c.field, Most: most.most * nodes / c.each, Detail: fmt.Sprintf("Slurm gives a job at most %d %s on a node (MaxTRESPerNode of %s)", most.most, c.called, r.name())}
		}
	}
	return nil
}

// gpu is what Slurm calls GPUs of any kind, where it counts them (AccountingStorageTRES).
// Those of one kind it counts apart, if it is told to, where a job names the kind or gets it.
const gpu = "gres/gpu"

// ofKind are the GPUs of the kind that a job names, as Slurm calls them; empty: it names none.
func (a *Ask) ofKind() string {
	if a.GPUKind == "" || a.GPUs == 0 {
		return ""
	}
	return gpu + ":" + a.GPUKind
}

// longest is how long one job may run; 0: as long as it likes.
func (r *record) longest(processors int) time.Duration {
	var most time.Duration
	if wall, set := r.counts["MaxWallPJ"]; set {
		most = time.Duration(wall.most) * time.Minute
	}
	if spend, set := r.tres["MaxTRESMinsPJ"]["cpu"]; set {
		if d := time.Duration(spend.most/int64(max(1, processors))) * time.Minute; most == 0 || d < most {
			most = max(d, time.Minute)
		}
	}
	return most
}

// checkOwn holds what a user has against the limits of an association, or of a QOS.
func (r *record) checkOwn(a *Ask, of reckoning) *Excess {
	if r.qos != "" {
		return r.checkCounts(a, of, "MaxJobsPU", "MaxSubmitJobsPU", "MaxTRESPU")
	}
	return r.checkCounts(a, of, "MaxJobs", "MaxSubmitJobs", "")
}

// checkGroup holds what all have that share a limit against it.
func (r *record) checkGroup(a *Ask, of reckoning, safe bool) *Excess {
	if e := r.checkMinutes(a, safe); e != nil {
		return e
	}
	return r.checkCounts(a, of, "GrpJobs", "GrpSubmitJobs", "GrpTRES")
}

// checkCounts holds jobs, processors and memory that somebody has, with one job more,
// against limits of these names.
func (r *record) checkCounts(a *Ask, of reckoning, jobs, submits, tres string) *Excess {
	each := r.tres[tres]
	for _, c := range []struct {
		name  string
		limit value
		more  int64
		slurm Use
		count func(Use) int64
	}{
		{jobs, r.counts[jobs], int64(max(1, a.Jobs)), of.running, func(u Use) int64 { return int64(u.Jobs) }},
		{submits, r.counts[submits], int64(max(1, a.Submits)), of.submitted, func(u Use) int64 { return int64(u.Jobs + u.Waiting) }},
		{tres + " cpu", each["cpu"], int64(a.Processors), of.running, func(u Use) int64 { return int64(u.Processors) }},
		{tres + " mem", each["mem"], a.MemoryMB * int64(a.Processors), of.running, func(u Use) int64 { return u.MemoryMB }},
		{tres + " " + gpu, each[gpu], int64(a.GPUs), of.running, func(u Use) int64 { return int64(u.GPUs) }},
		{tres + " " + a.ofKind(), each[a.ofKind()], int64(a.GPUs), of.running, func(u Use) int64 { return int64(u.Kinds[a.GPUKind]) }},
		{tres + " " + billing, each[billing], a.bills(), of.running, func(u Use) int64 { return a.weights.bill(u, u.Jobs) }},
	} {
		// What Slurm counts that is not the market's, and what the market has.
		had := max(0, c.limit.used-c.count(c.slurm)) + c.count(of.market)
		if a.Later && c.name != submits {
			had = 0
		}
		if !c.limit.set || c.more == 0 || had+c.more <= c.limit.most {
			continue
		}
		e := &Excess{Detail: fmt.Sprintf("Slurm would keep it waiting: %s=%d of %s, of which %d are used, and this job would be %d more", c.name, c.limit.most, r.name(), had, c.more)}
		if c.more <= c.limit.most {
			e.Short = fmt.Sprintf("%s=%d of %s", c.name, c.limit.most, r.name())
			e.None = c.name == jobs && had >= c.limit.most
		}
		if left := c.limit.most - had; left > 0 {
			switch c.name {
			case jobs:
				e.Elements = left
			case tres + " cpu":
				e.Field, e.Most = "processors", left
			case tres + " mem":
				e.Fit = left / a.MemoryMB
			case tres + " " + gpu, tres + " " + a.ofKind():
				e.Field, e.Most = "gpus", left
			}
		}
		return e
	}
	return nil
}
