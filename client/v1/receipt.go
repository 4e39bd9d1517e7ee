package v1

import "strconv"

// Receipt is the bill of a job, with all that is needed to work it out again
// by hand.
type Receipt struct {
	Job      int64         `json:"job"`
	Policy   string        `json:"policy"`
	Settings []Setting     `json:"settings"` // those that were in force
	Version  string        `json:"version"`  // of the formulas
	Formula  string        `json:"formula"`
	Inputs   []Input       `json:"inputs"`
	Lines    []ReceiptLine `json:"lines"`
	Charged  int64         `json:"charged_micros"`
	Penalty  int64         `json:"penalty_micros"`
	Net      int64         `json:"net_micros"` // what the job cost in the end
	IssuedUS int64         `json:"issued_us"`
	TxSeqs   []int64       `json:"transactions"` // in the ledger
}

// Setting is a lever of a policy as it was set.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Input is a number that went into a formula.
type Input struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// Text is the number with all its digits, so that what is worked out from it is
// what was charged.
func (in *Input) Text() string { return strconv.FormatFloat(in.Value, 'f', -1, 64) }

// ReceiptLine is one amount of a bill.
type ReceiptLine struct {
	What    string `json:"what"`
	Formula string `json:"formula"`
	Amount  int64  `json:"amount_micros"`
}
