package bill

import (
	"fmt"
	"math"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/rules"
)

// Penalty is what the owner owes a job that is late, and how late that is; charge
// is what the job owes. Where the policy is liable by its own rules that is its
// fine; else it is the rate of the job for every second after a firm promise.
func Penalty(r *rules.Rules, j *Job, e *Ending, charge market.Money) (market.Money, market.Time) {
	if r.Paid() {
		return penaltyUsed(r, j, e, charge)
	}
	late := Lateness(j, e)
	fine := e.Fine
	switch {
	case e.Way == Voided:
		return 0, late
	case fine > 0 && !e.UsedUp.Finite() && (late > 0 || e.Way == Expired):
	case !j.Promised || late <= 0 || e.Way != Ended:
		return 0, late
	default:
		fine = Delay(j.Penalty, late)
	}
	return payable(fine), late
}

// penaltyUsed is what lateness pays where a job pays for what it uses: its rate for
// every second after a promise that was broken, which is one that the market broke
// and not the job, and no more than the job itself is charged. One that was lost
// by the market's fault is charged nothing, and is paid no less than if it had been
// a little late: losing a job must not be cheaper than being late with it.
func penaltyUsed(r *rules.Rules, j *Job, e *Ending, charge market.Money) (market.Money, market.Time) {
	late := Lateness(j, e)
	beat := market.Time(float64(r.Reporting) / float64(rules.Whole))
	switch {
	case e.Way == Lost && e.Gone && j.Promised && !e.UsedUp.Finite():
		late = max(late, beat)
		amount := min(payable(Delay(j.Penalty, late)), j.Agreed())
		if e.Most != nil {
			amount = min(amount, *e.Most)
		}
		return amount, late
	case e.Way != Ended || !e.Begun || e.ByUser || e.Never > 0 || late <= beat || j.declined(r, e):
		return 0, late
	case !j.Promised && e.Fine <= 0:
		return 0, late
	}
	amount := payable(Delay(j.Penalty, late))
	if r.PenaltyCap != rules.None {
		amount = min(amount, Proportion(charge, int64(r.PenaltyCap), int64(rules.Whole)))
	}
	return amount, late
}

// declined reports whether a job did not want more of the time it was offered than
// can be borne: then being late is its own doing.
func (j *Job) declined(r *rules.Rules, e *Ending) bool {
	most, bound := r.Tolerance.Of(float64(j.EstimateMS))
	return bound && float64(e.DeclinedMS) > most
}

// unpaid says why nothing is paid for a job that is late, where a promise with a rate
// was made to it: who expects a penalty must not have to guess. "" where it is in
// time, or nobody could expect any.
func unpaid(r *rules.Rules, j *Job, e *Ending) string {
	if !r.Paid() || !j.Promised || j.Penalty <= 0 || !j.Due.Finite() || min(e.At, e.Mandatory)-j.Due <= market.TimeSlack {
		return ""
	}
	late, beat := Lateness(j, e), market.Time(float64(r.Reporting)/float64(rules.Whole))
	switch {
	case e.Way == Cancelled || e.Way == Ended && e.ByUser:
		return "who ends a job is not paid for its delay"
	case e.Way == Stopped:
		return "it was stopped for needing more than was sold to it"
	case e.Way != Ended:
		return ""
	case !e.Begun || e.Never > 0:
		return "something of it could not begin"
	case j.declined(r, e):
		most, _ := r.Tolerance.Of(float64(j.EstimateMS))
		declined, borne := market.SpansApart(e.DeclinedMS, int64(most))
		return fmt.Sprintf("it did not want %s of the processor time that it was offered, and up to %s would have been borne", declined, borne)
	case late <= 0:
		return "it had used up its estimate before it was due, and what it takes after that is its own delay"
	case late <= beat && e.UsedUp < e.At:
		return fmt.Sprintf("it was %s late when it had used up its estimate, and %s is the time between two reports", market.Span(int64(late*1e3)), market.Span(int64(beat*1e3)))
	case late <= beat:
		return fmt.Sprintf("it was %s late, and %s is the time between two reports", market.Span(int64(late*1e3)), market.Span(int64(beat*1e3)))
	default:
		return ""
	}
}

// unpaidWord begins the line of a receipt that says why no penalty is paid.
const unpaidWord = "no penalty: "

// Unpaid is what the lines of a receipt say of why no penalty was paid. "" where they
// do not.
func Unpaid(lines []Line) string {
	for i := range lines {
		if why, ok := strings.CutPrefix(lines[i].What, unpaidWord); ok {
			return why
		}
	}
	return ""
}

// payable is a price as money; what no money can pay is not paid.
func payable(p market.Price) market.Money {
	amount, err := p.Money()
	if err != nil {
		return 0
	}
	return amount
}

// Delay is what a delay costs at a rate a second.
func Delay(rate market.Money, late market.Time) market.Price {
	return market.Price(float64(late) * float64(rate.Price()))
}

// Lateness is by how much a job is late, as far as that is not its own doing:
// time after it had used up its estimate does not count, nor what it does when
// its mandatory part is done, for that is what was promised.
func Lateness(j *Job, e *Ending) market.Time {
	if !j.Due.Finite() {
		return 0
	}
	late := min(e.At, e.UsedUp, e.Mandatory) - j.Due
	if late <= market.TimeSlack {
		return 0
	}
	return late
}

// Late is what the lines of a receipt say of how late a job was, in their words:
// whoever else says it says the same. "" where no penalty was paid for it.
func Late(lines []Line) string {
	for i := range lines {
		if said, ok := strings.CutPrefix(lines[i].What, "penalty: "); ok {
			if late, ok := strings.CutSuffix(said, " late"); ok {
				return late
			}
		}
	}
	return ""
}

func penaltyLine(r *rules.Rules, j *Job, e *Ending, amount market.Money, late market.Time) Line {
	l := Line{
		What:    fmt.Sprintf("penalty: %s late", market.Span(int64(math.Round(float64(late)*1e3)))),
		Formula: fmt.Sprintf("%s a second * %.6f s", j.Penalty, float64(late)), Amount: -amount,
	}
	if full := payable(Delay(j.Penalty, late)); r.Paid() && amount < full {
		l.Formula += ", no more than " + amount.String()
	}
	if e.Way == Lost {
		l.What = "lost, and a promise broken"
	}
	return l
}
