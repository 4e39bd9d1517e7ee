package trade

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
