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

// inputDigits is how many digits of a number are shown: what is worked out from them is what
// was charged, and the last two that a float64 has may be what rounding left (20.000000000000004).
const inputDigits = 14

// Text is the number as people read it. Value has all of its digits.
func (in *Input) Text() string {
	x, err := strconv.ParseFloat(strconv.FormatFloat(in.Value, 'g', inputDigits, 64), 64)
	if err != nil {
		x = in.Value
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// ReceiptLine is one amount of a bill.
type ReceiptLine struct {
	What    string `json:"what"`
	Formula string `json:"formula"`
	Amount  int64  `json:"amount_micros"`
}
