package v1

// Quote is a price and a promise. A binding one keeps room for the job until
// it expires: submitted before, the job is taken at this price, with its
// deadline counted from then.
type Quote struct {
	ID          string  `json:"id,omitempty"`
	Owner       string  `json:"owner"`
	Request     Request `json:"request"`
	Price       int64   `json:"price_micros"`
	Binding     bool    `json:"binding"`
	Firm        bool    `json:"firm"`                   // the finish is promised
	FinishUS    int64   `json:"finish_us,omitempty"`    // at the latest, if the job were submitted now
	PredictedUS int64   `json:"predicted_us,omitempty"` // when it would be done as things stand
	Odds        float64 `json:"odds"`                   // how sure the deadline is, 0 to 1, from the promises of the past
	Share       float64 `json:"share"`                  // of each processor that is kept for it
	Width       int     `json:"width"`
	MadeUS      int64   `json:"made_us"`
	ExpiresUS   int64   `json:"expires_us,omitempty"`
	Formula     string  `json:"formula"`
	Policy      string  `json:"policy"`

	// What a binding quote keeps until it is taken, expires or is dropped: of the
	// account, of the cluster's processors, and what that costs a minute if it is
	// not taken.
	Held  int64   `json:"held_micros,omitempty"`
	Keeps float64 `json:"keeps,omitempty"`
	Rent  int64   `json:"rent_micros_per_minute,omitempty"`
	// Storage is what of the price is for memory and disk, where the market sells them.
	Storage *Storage `json:"storage,omitempty"`
	// NotBinding says why a quote is priced anew when it is taken.
	NotBinding string `json:"not_binding,omitempty"`

	// Where the policy knows optional parts: what the cluster expects to
	// earn with the job less what it does without it.
	Gain int64 `json:"gain_micros,omitempty"`
	// OptionalMost is what the optional part costs beside the price if all of it
	// is executed.
	OptionalMost int64 `json:"optional_micros,omitempty"`
	// Worked says in one line why the price is what it is; "" where it is a bid.
	Worked string `json:"worked,omitempty"`
}

// Refusal is the answer no: why, and what would be taken instead.
type Refusal struct {
	Reason string  `json:"reason"` // programs switch on it
	Detail string  `json:"detail"` // people read it
	Offers []Offer `json:"offers"`
	Job    int64   `json:"job,omitempty"` // the number under which a refused submission is kept
}

// Offer is a request a little different from the one refused, that would be
// taken now.
type Offer struct {
	Change string `json:"change"` // deadline, budget, processors
	Detail string `json:"detail"` // "deadline 12m instead of 5m, for 3.20"
	Quote  Quote  `json:"quote"`
}
