package v1

// Account is how an account stands.
type Account struct {
	Path   string `json:"path"`
	Free   int64  `json:"free_micros"`
	Held   int64  `json:"held_micros"`
	Limit  *int64 `json:"limit_micros,omitempty"` // of its subtree, a month
	Spent  int64  `json:"spent_micros"`           // this month, by its subtree, without what is held or sent
	Sent   int64  `json:"sent_micros,omitempty"`  // this month, to accounts outside its subtree
	Used   int64  `json:"used_micros"`            // of the limit: what was spent and sent, and what is held for its subtree
	Credit int64  `json:"credit_micros"`
	Closed bool   `json:"closed,omitempty"`

	Users   []string `json:"users,omitempty"`    // who are bound to it
	PaysFor []string `json:"pays_for,omitempty"` // in lists: those of them for whom it pays unless they name another

	Allowance     int64 `json:"allowance_micros,omitempty"`      // that it gets by itself
	AllowanceMS   int64 `json:"allowance_every_ms,omitempty"`    // so often
	AllowanceMost int64 `json:"allowance_most_micros,omitempty"` // up to this
	AllowanceUS   int64 `json:"allowance_next_us,omitempty"`     // and next then
	AllowanceEach bool  `json:"allowance_each,omitempty"`        // not it, but each account below it that somebody is bound to
}

// Statement is what happened to an account in a period: what it owned at the
// start, every change of that, and what it owned at the end. What an account
// owns is what it has free and held together, so setting money aside for a job
// is no line, and taking it back is none: only the charge is.
type Statement struct {
	Account string          `json:"account"`
	Subtree bool            `json:"subtree"` // with all accounts below it, as one
	Period  Period          `json:"period"`
	Opening int64           `json:"opening_micros"`
	Closing int64           `json:"closing_micros"`
	Held    int64           `json:"held_micros"` // of the closing balance
	Lines   []StatementLine `json:"lines"`
}

// StatementLine is one change of what an account owns.
type StatementLine struct {
	Seq     int64  `json:"seq"`
	At      int64  `json:"at_us"`
	Kind    string `json:"kind"`
	Job     int64  `json:"job"`             // NoJob: none
	Quote   string `json:"quote,omitempty"` // whose rent it is; then there is no job
	Memo    string `json:"memo,omitempty"`
	Amount  int64  `json:"amount_micros"`
	Balance int64  `json:"balance_micros"` // after it
}

// NoJob is the job of a line that concerns none.
const NoJob int64 = -1

// Period is a stretch of time: Start is in it, End is not.
type Period struct {
	Start int64 `json:"start_us"`
	End   int64 `json:"end_us"`
}

// Verified is what a check of the whole ledger found.
type Verified struct {
	Transactions int64  `json:"transactions"`
	Entries      int64  `json:"entries"`
	Head         string `json:"head"`              // hash of the last transaction
	Problem      string `json:"problem,omitempty"` // the first thing that is wrong; empty: nothing

	// Unread is the last entry in an archive file that was not there: those up to it
	// are taken for what the store says of them.
	Unread int64 `json:"unread,omitempty"`
}
