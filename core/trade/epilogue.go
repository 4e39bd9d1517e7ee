package trade

import (
	"fmt"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

// Epilogue explains a job that has ended.
func Epilogue(j *Job) Explanation {
	e := Explanation{Job: j.ID, State: j.State, DueUS: j.DueUS, Because: []string{}, PenaltyNow: j.Penalty, CostNow: j.Charged, CancelNow: j.Charged}
	switch {
	case j.State == Rejected:
		e.Summary = "was refused: " + j.Detail
	case j.Detail != "":
		e.Summary = string(j.State) + ": " + j.Detail
	default:
		e.Summary = string(j.State)
	}
	late := ""
	if j.Receipt != nil {
		late = bill.Late(j.Receipt.Lines)
	}
	if late != "" { // what it took by its own doing is not counted
		e.Because = append(e.Because, fmt.Sprintf("it was %s late, as its receipt says", late))
	} else if j.DueUS > 0 && j.StartedUS > 0 && j.EndedUS > 0 {
		if early := j.DueUS - j.EndedUS; early >= 0 {
			e.Because = append(e.Because, fmt.Sprintf("it ended %s before its deadline", market.Span(early/1000)))
		} else {
			e.Because = append(e.Because, fmt.Sprintf("it ended %s after its deadline", market.Span(-early/1000)))
		}
	}
	if j.Request.Optional != nil && j.MandatoryUS != 0 {
		e.Part, e.OptionalMS, e.Optional = j.Part, j.OptionalMS, j.Optional
		e.Because = append(e.Because, fmt.Sprintf("%s of its optional part were executed, for %s", market.Span(j.OptionalMS), market.Money(j.Optional).Said()))
	}
	if j.Receipt != nil && bill.Unpaid(j.Receipt.Lines) != "" {
		e.Because = append(e.Because, "no penalty was paid: "+bill.Unpaid(j.Receipt.Lines))
	}
	if j.PromisedUS == 0 && j.Penalty == 0 && j.Request.PenaltyMicros > 0 && j.DueUS > 0 && j.StartedUS > 0 && j.EndedUS > j.DueUS {
		e.Because = append(e.Because, "no finish was promised to it, and no penalty was paid")
	}
	switch {
	case j.Penalty > 0 && j.State == Lost:
		e.Because = append(e.Because, fmt.Sprintf("it was lost, and the owner paid %s for that", market.Money(j.Penalty).Said()))
	case j.Penalty > 0:
		e.Because = append(e.Because, fmt.Sprintf("the owner paid %s for that", market.Money(j.Penalty).Said()))
	}
	return e
}
