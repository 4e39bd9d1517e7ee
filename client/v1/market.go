package v1

// Prices is what the market asks now.
type Prices struct {
	AtUS        int64        `json:"at_us"`
	Policy      string       `json:"policy"`
	Settings    []Setting    `json:"settings"`
	Rates       Rates        `json:"rates"`
	Utilization float64      `json:"utilization"` // of the processors that are up, given now
	Kept        float64      `json:"kept"`        // promised
	Quoted      float64      `json:"quoted"`      // of the processors that are up, kept by quotes
	Quotes      int          `json:"quotes"`      // that keep it
	Processors  int          `json:"processors"`
	Up          int          `json:"up"`
	Samples     []PricePoint `json:"samples"` // what a standard job costs, by deadline

	// Runs is the batch system that runs the jobs, and has numbers of its own for them:
	// "slurm"; "": agents do.
	Runs string `json:"runs,omitempty"`

	// UsualMS is the estimate that is taken of a job handed in as with sbatch of whose runtime
	// nobody says anything, as that system does; 0: none, and it has to be said.
	UsualMS int64 `json:"usual_ms,omitempty"`

	// UsualIn is the same of each partition, where there are several.
	UsualIn map[string]int64 `json:"usual_partition_ms,omitempty"`
}

// PricePoint is the price of a standard job (a minute on one processor) with a
// deadline so many times its estimate. Refused where the market says no.
type PricePoint struct {
	Factor     float64 `json:"factor"`
	DeadlineMS int64   `json:"deadline_ms"`
	Price      int64   `json:"price_micros"`
	Refused    string  `json:"refused,omitempty"`
	From       bool    `json:"from,omitempty"` // the price is what is bid: at least so much
}

// Tally is the business of a period: promises made, kept, missed, paid.
type Tally struct {
	FromUS     int64            `json:"from_us"`
	ToUS       int64            `json:"to_us"`
	Submitted  int64            `json:"submitted"`
	Accepted   int64            `json:"accepted"`
	Rejected   int64            `json:"rejected"`
	Completed  int64            `json:"completed"`
	Failed     int64            `json:"failed"`  // by themselves
	Stopped    int64            `json:"stopped"` // over-ran their estimates
	Lost       int64            `json:"lost"`    // with their nodes
	Cancelled  int64            `json:"cancelled"`
	Expired    int64            `json:"expired"` // waited in vain
	Underway   int64            `json:"underway"`
	Promised   int64            `json:"promised"` // firm promises among the jobs that ended
	Kept       int64            `json:"kept"`
	Missed     int64            `json:"missed"`
	Revenue    int64            `json:"revenue_micros"` // charges of jobs
	Penalties  int64            `json:"penalties_micros"`
	Net        int64            `json:"net_micros"`                  // of both
	Rent       int64            `json:"rent_micros"`                 // of quotes that were not taken
	Income     int64            `json:"income_micros"`               // all of it: what is beside the bound is Net, for rent is no job's
	Allowances int64            `json:"allowances_micros,omitempty"` // paid in the period: what jobs were charged may have come from these
	Offered    int64            `json:"offered_micros"`              // what all who came were ready to pay
	Bound      int64            `json:"bound_micros"`                // the most that the jobs submitted in the period could have brought: revenue never exceeds it
	BoundHow   string           `json:"bound_how"`                   // how the bound was reckoned
	Used       float64          `json:"processor_seconds"`           // work sold
	Utilized   float64          `json:"utilization"`
	Reasons    map[string]int64 `json:"reasons,omitempty"` // of refusals
}

// Epoch changes the policy, its settings or the base prices from now on.
type Epoch struct {
	Policy   string            `json:"policy"`
	Settings map[string]string `json:"settings,omitempty"`
	Rates    *Rates            `json:"rates,omitempty"` // absent: as they are
}

// Rates are the base prices of every node that has none of its own.
//
// People name them by the hour, and those amounts are what is reckoned with; the
// others are the same a second and a megabyte, rounded. Who sets rates names one
// of the two; of both, the one by the hour counts.
type Rates struct {
	Processor int64 `json:"processor_micros_per_s"`
	Memory    int64 `json:"memory_micros_per_mb"`
	Disk      int64 `json:"disk_micros_per_mb"`

	ProcessorHour int64 `json:"processor_micros_per_h,omitempty"`
	MemoryHour    int64 `json:"memory_micros_per_gb_h,omitempty"`
	DiskHour      int64 `json:"disk_micros_per_gb_h,omitempty"`
	GPUHour       int64 `json:"gpu_micros_per_h,omitempty"` // of one

	GPUKinds map[string]int64 `json:"gpu_kind_micros_per_h,omitempty"` // of one of a kind that has a price of its own

	Partitions map[string]int64 `json:"partition_factor_millionths,omitempty"` // what all prices are times for those of a partition; none: the market has no partitions
	Partition  string           `json:"default_partition,omitempty"`           // of jobs that name none
}

// EpochView is a span of the log under one policy.
type EpochView struct {
	Number   int       `json:"number"`
	FromUS   int64     `json:"from_us"`
	Policy   string    `json:"policy"`
	Settings []Setting `json:"settings"`
	Rates    Rates     `json:"rates"`
}

// NodeView is how a node stands.
type NodeView struct {
	Node       string   `json:"node"`
	Processors int      `json:"processors"`
	Rating     float64  `json:"rating"` // work a second of each processor, after what is kept for the system
	MemoryMB   int64    `json:"memory_mb"`
	DiskMB     int64    `json:"disk_mb"`
	GPUs       int      `json:"gpus,omitempty"`
	GPUKind    string   `json:"gpu_kind,omitempty"`
	Features   string   `json:"features,omitempty"`  // what jobs can ask for, with commas
	Partition  string   `json:"partition,omitempty"` // whose it is, where the market has partitions
	Reserved   string   `json:"reserved,omitempty"`  // the reservation of Slurm whose jobs alone it takes; empty: of none
	Boot       string   `json:"boot"`                // of the machine: another one means that nothing of before still runs
	Agent      string   `json:"agent"`               // version
	Limits     string   `json:"limits"`              // how shares are enforced: "cgroup v1", "cgroup v2", "signals"
	User       string   `json:"user"`                // the only one it can run jobs as; empty: any
	Speed      float64  `json:"speed"`               // work a second of a whole processor: Rating and what is kept back
	Missing    []string `json:"missing"`             // what this node cannot enforce
	Runs       string   `json:"runs,omitempty"`      // the batch system that runs the tasks here; empty: the agent does
	Seat       string   `json:"seat,omitempty"`      // of its agent: a name of the state directory
	Elements   bool     `json:"elements,omitempty"`  // its agent holds elements of an array together that are jobs of their own in the batch system
	Holds      bool     `json:"holds,omitempty"`     // a task that has had what was sold to it stands still by itself

	Index  int             `json:"index"`
	Up     bool            `json:"up"`
	Why    string          `json:"why,omitempty"`    // it is not, or is closed
	Closed bool            `json:"closed,omitempty"` // it is up, and takes no new jobs
	Rates  Rates           `json:"rates"`
	SeenUS int64           `json:"seen_us,omitempty"`
	Loads  []ProcessorView `json:"loads"` // by processor; of the first ones, where there are many
	FreeMB int64           `json:"free_mb"`
	// FreeGPUs is how many of its GPUs no job holds.
	FreeGPUs int `json:"free_gpus,omitempty"`
	// OthersGPUs is how many are somebody else's, who is none of the market's.
	OthersGPUs int `json:"others_gpus,omitempty"`

	More  int     `json:"more,omitempty"`  // processors that Loads leaves out; then there are the sums over all:
	Given float64 `json:"given,omitempty"` // given now
	Kept  float64 `json:"kept,omitempty"`  // promised
}

// ProcessorView is what runs on one processor.
type ProcessorView struct {
	Share float64  `json:"share"` // given now
	Kept  float64  `json:"kept"`  // promised: what admission reckons with
	Jobs  []Tenant `json:"jobs"`
}

// Tenant is a job on a processor.
type Tenant struct {
	Job   int64   `json:"job"`
	Owner string  `json:"owner"`
	Name  string  `json:"name"`
	Share float64 `json:"share"`
	DueUS int64   `json:"due_us,omitempty"`
}
