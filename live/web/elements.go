package web

import (
	"strconv"

	"github.com/libra-market/libra/client/v1"
)

// elementRows is how many elements of an array a page lists.
const elementRows = 200

// elementView is an element of an array in a table.
type elementView struct{ v1.Element }

// Tone is how its state looks.
func (e elementView) Tone() string {
	switch e.State {
	case v1.ElementCompleted:
		return "yes"
	case v1.ElementFailed:
		return "no"
	case v1.ElementUnderway:
		return "now"
	default:
		return "wait"
	}
}

// Ended is how it ended.
func (e elementView) Ended() string {
	switch {
	case e.Signal != "":
		return e.Signal
	case e.Error != "":
		return e.Error
	case e.Exit != nil:
		return strconv.Itoa(*e.Exit)
	default:
		return "\u2013"
	}
}

// Took is how long it ran.
func (e elementView) Took() string {
	if e.EndedUS == 0 || e.StartedUS == 0 {
		return "\u2013"
	}
	return span((e.EndedUS - e.StartedUS) / 1000)
}

// ElementRows are the elements that are listed: those that failed first where there are
// more than a page lists.
func (v *jobView) ElementRows() []elementView {
	var rows []elementView
	for _, failed := range []bool{true, false} {
		for i := range v.Elements {
			e := &v.Elements[i]
			if len(v.Elements) <= elementRows && failed {
				break // in their own order
			}
			if len(rows) < elementRows && (len(v.Elements) <= elementRows || (e.State == v1.ElementFailed) == failed) {
				rows = append(rows, elementView{*e})
			}
		}
	}
	return rows
}

// ElementsLeft is how many are not listed.
func (v *jobView) ElementsLeft() int { return max(0, len(v.Elements)-elementRows) }
