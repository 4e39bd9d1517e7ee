package web

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/libra-market/libra/client/v1"
)

const (
	lineTop  = 66.0 // pixels: a whole processor
	lineFoot = 150.0
	lineHigh = 178.0
	textRow  = 16.0
	phone    = 330.0 // pixels: labels keep clear of each other on a page this wide
	letter   = 6.6
)

// milestone is an instant with a name.
type milestone struct {
	at    int64
	label string
	class string
}

// drawTimeline draws the life of a job: its shares over time between the instants
// that matter.
func drawTimeline(v *rowView, predicted int64) template.HTML {
	from := v.SubmittedUS
	until := v.EndedUS
	if until == 0 {
		until = v.NowUS
	}
	to := max(until, v.DueUS, from+1_000_000)
	if v.Underway() && predicted > 0 && predicted < from+20*(to-from) {
		to = max(to, predicted)
	}
	to += (to - from) / 25
	x := func(us int64) float64 { return min(1, max(0, float64(us-from)/float64(to-from))) }
	y := func(share float64) float64 { return lineFoot - (lineFoot-lineTop)*min(1, max(0, share)) }

	d := &drawing{height: lineHigh}
	for _, share := range []float64{0.5, 1} {
		d.line(0, y(share), 1, y(share), "grid")
		d.text(1, y(share)-4, "tick", "end", percent(share))
	}
	d.line(0, lineFoot, 1, lineFoot, "base")
	if v.DueUS > 0 && until > v.DueUS && v.StartedUS > 0 {
		d.rect(x(v.DueUS), lineTop-10, x(until)-x(v.DueUS), lineFoot-lineTop+10, "late", "late")
	}
	if points := sharePoints(v, until, x, y); len(points) > 1 {
		d.paths(func(path func(class, d string)) {
			path("area", steps(points, lineFoot))
			path("price", steps(points, math.NaN()))
		})
	}
	for i, p := range v.Timeline {
		end := until // each holds until the next
		if i+1 < len(v.Timeline) {
			end = v.Timeline[i+1].AtUS
		}
		text := percent(p.Share) + " of a processor"
		d.read = append(d.read, reading{x(p.AtUS), p.AtUS, text})
		if end-p.AtUS > (to-from)/50 {
			d.read = append(d.read, reading{x(end), end, text})
		}
	}
	milestones(d, v, predicted, x)
	d.hours(from, to, lineHigh-8)
	return d.svg("timeline", timelineWords(v), "")
}

func sharePoints(v *rowView, until int64, x func(int64) float64, y func(float64) float64) []dot {
	var points []dot
	if len(v.Timeline) == 0 {
		return nil
	}
	for _, p := range v.Timeline {
		if len(points) == 0 {
			points = append(points, dot{x(p.AtUS), lineFoot})
		}
		points = append(points, dot{x(p.AtUS), y(p.Share)})
	}
	last := points[len(points)-1]
	points = append(points, dot{x(until), last.y})
	if v.EndedUS != 0 {
		points = append(points, dot{x(until), lineFoot})
	}
	return points
}

// milestones names the instants, each label in a row where it touches no other.
func milestones(d *drawing, v *rowView, predicted int64, x func(int64) float64) {
	list := []milestone{{v.SubmittedUS, "submitted", "mile"}}
	if begun := v.Begun(); begun > 0 && x(begun)-x(v.SubmittedUS) > 0.01 {
		list = append(list, milestone{begun, "started", "mile"})
	} else if begun > 0 {
		list[0].label = "submitted, started"
	}
	switch {
	case v.EndedUS > 0:
		list = append(list, milestone{v.EndedUS, stateLabel(v.State), "mile end"})
	default:
		list = append(list, milestone{v.NowUS, "now", "mile now"})
		if predicted > v.NowUS && x(predicted) < 1 {
			list = append(list, milestone{predicted, "expected", "mile soft"})
		}
	}
	if v.DueUS > 0 {
		list = append(list, milestone{v.DueUS, "deadline", "mile due"})
	}
	slices.SortStableFunc(list, func(a, b milestone) int { return cmp.Compare(a.at, b.at) })
	// From the right, so that no line runs through a label to its left.
	free := [3]float64{2, 2, 2}
	for _, m := range slices.Backward(list) {
		at, room := x(m.at), float64(len(m.label))*letter/phone
		left, anchor := at-room/2, "middle"
		switch {
		case left < 0:
			left, anchor = at, "start"
		case at+room/2 > 1:
			left, anchor = at-room, "end"
		}
		row := 0
		for row < len(free)-1 && left+room+0.02 > free[row] {
			row++
		}
		for i := range row + 1 {
			free[i] = min(free[i], left)
		}
		base := textRow * float64(len(free)-row)
		d.line(at, base+4, at, lineFoot, m.class)
		d.text(at, base, m.class+" text", anchor, m.label)
	}
}

// timelineWords say what the drawing shows.
func timelineWords(v *rowView) string {
	text := fmt.Sprintf("Share of a processor over time. Submitted, then %s", stateLabel(v.State))
	if v.EndedUS > 0 && v.StartedUS > 0 {
		text += fmt.Sprintf(" after %s", span((v.EndedUS-v.SubmittedUS)/1000))
	}
	if v.DueUS > 0 {
		text += fmt.Sprintf("; the deadline is %s after submission", span((v.DueUS-v.SubmittedUS)/1000))
	}
	if v.State == v1.Running {
		text += fmt.Sprintf("; it has %s of a processor now", percent(v.Share))
	}
	return text + "."
}
