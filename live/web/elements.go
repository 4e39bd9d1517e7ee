package web

import (
	"strconv"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/wire"
)

// elementRows is how many elements of an array a page lists.
const elementRows = 200

// elementView is an element of an array in a table.
type elementView struct {
	v1.Element

	now int64
}

// Tone is how its state looks.
func (e elementView) Tone() string {
	switch e.State {
	case v1.ElementCompleted:
		return "yes"
	case v1.ElementFailed:
		return "no"
	case v1.ElementRunning, v1.ElementUnderway:
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

// Took is how long it ran, or has run.
func (e elementView) Took() string {
	end := e.EndedUS
	if e.State == v1.ElementRunning {
		end = max(e.now, e.StartedUS) // by another clock, which may be behind
	}
	if end == 0 || e.StartedUS == 0 {
		return "\u2013"
	}
	return span((end - e.StartedUS) / 1000)
}

// ElementCounts says how many elements are in which state.
func (v *jobView) ElementCounts() string { return wire.ElementCounts(v.Elements) }

// ElementRows are the elements that are listed: those that failed first where there are
// more than a page lists, and then those that run.
func (v *jobView) ElementRows() []elementView {
	var rows []elementView
	for _, e := range wire.FirstElements(v.Elements, elementRows) {
		rows = append(rows, elementView{e, v.NowUS})
	}
	return rows
}

// ElementsLeft is how many are not listed.
func (v *jobView) ElementsLeft() int { return max(0, len(v.Elements)-elementRows) }
