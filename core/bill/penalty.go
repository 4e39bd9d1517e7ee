package bill

import (
	"fmt"

	"github.com/libra-market/libra/core/market"
)

// Penalty is what the owner owes a job that is late, and how late that is. Where
// the policy is liable by its own rules that is its fine; else it is the rate of
// the job for every second after a firm promise. A job that over-ran its own
// estimate is owed no fine.
func Penalty(_ Rules, j *Job, e *Ending) (market.Money, market.Time) {
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
	amount, err := fine.Money()
	if err != nil {
		return 0, late
	}
	return amount, late
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

func penaltyLine(j *Job, amount market.Money, late market.Time) Line {
	return Line{
		What:    fmt.Sprintf("penalty: %.6f s late", float64(late)),
		Formula: fmt.Sprintf("%s a second * %.6f s", j.Penalty, float64(late)), Amount: -amount,
	}
}
