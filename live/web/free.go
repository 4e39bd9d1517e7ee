package web

import (
	"fmt"
	"html/template"

	"github.com/libra-market/libra/client/v1"
)

// freeView is what is free when: how much of each node is promised, from now to
// the last deadline.
type freeView struct {
	Strips  []strip
	More    int // nodes that are not shown
	FromUS  int64
	ToUS    int64
	Columns int
}

// strip is one node, or all of them, over time.
type strip struct {
	Name       string
	Up         bool
	Processors int
	Kept       []float64 // the part of it that is promised, by column
	Quoted     float64   // processors that quotes keep
	AtMost     bool      // some of it may be kept by quotes: where they keep it is not told
}

const (
	freeColumns = 24
	freeStrips  = 16
	leastSpan   = int64(30 * 60 * 1e6)       // microseconds
	mostSpan    = int64(7 * 24 * 3600 * 1e6) // microseconds
)

// freeWhen reckons how promises run out. A job keeps its part of what is promised
// on its processor until its deadline. Only sums leave this function: whose jobs
// they are does not. Quotes keep some processors beside that for now.
func freeWhen(nodes []v1.NodeView, quoted float64, now int64) freeView {
	last := now + leastSpan
	for i := range nodes {
		for _, load := range nodes[i].Loads {
			for _, t := range load.Jobs {
				last = max(last, t.DueUS)
			}
		}
	}
	v := freeView{FromUS: now, ToUS: min(last, now+mostSpan), Columns: freeColumns}
	all := strip{Name: "All nodes", Up: true, Kept: make([]float64, freeColumns), Quoted: quoted}
	for i := range nodes {
		n := &nodes[i]
		s := strip{Name: n.Node, Up: n.Up, Processors: len(n.Loads) + n.More, Kept: make([]float64, freeColumns), AtMost: quoted > 0}
		if n.Up {
			for _, load := range n.Loads {
				v.spread(&load, s.Kept)
			}
			for c := range all.Kept {
				all.Kept[c] += s.Kept[c]
			}
			all.Processors += s.Processors
		}
		s.level()
		v.Strips = append(v.Strips, s)
	}
	all.level()
	v.Strips = append([]strip{all}, v.Strips...)
	if len(nodes) == 1 {
		v.Strips = v.Strips[1:]
		v.Strips[0].Quoted, v.Strips[0].AtMost = quoted, false
	}
	if extra := len(v.Strips) - freeStrips; extra > 0 {
		v.Strips, v.More = v.Strips[:freeStrips], extra
	}
	return v
}

// spread adds what is promised on a processor to the columns.
func (v *freeView) spread(load *v1.ProcessorView, kept []float64) {
	total := 0.0
	for _, t := range load.Jobs {
		if t.DueUS > 0 {
			total += t.Share
		}
	}
	if total <= 0 {
		return
	}
	for c := range kept {
		at := v.FromUS + (v.ToUS-v.FromUS)*int64(c)/int64(len(kept))
		for _, t := range load.Jobs {
			if t.DueUS > at {
				kept[c] += min(1, load.Kept) * t.Share / total
			}
		}
	}
}

// level turns processors into a part of the node.
func (s *strip) level() {
	for c := range s.Kept {
		s.Kept[c] = min(1, s.Kept[c]/max(1, float64(s.Processors)))
	}
}

// Now is what is free at once.
func (s strip) Now() string {
	if !s.Up {
		return "down"
	}
	text := fmt.Sprintf("%.1f of %d free now", max(0, float64(s.Processors)*(1-s.Kept[0])-s.Quoted), s.Processors)
	if s.AtMost {
		return "at most " + text
	}
	return text
}

// SVG draws the strip.
func (s strip) SVG() template.HTML {
	d := &drawing{height: 18}
	for c, kept := range s.Kept {
		w := 1 / float64(len(s.Kept))
		class := fmt.Sprintf("heat h%d", int(min(9, max(0, kept*10))))
		if !s.Up {
			class = "heat down"
		}
		d.rect(float64(c)*w, 0, w*1.002, 18, class, "")
	}
	return d.svg("strip", fmt.Sprintf("%s: %s, %s promised at first, %s at the end", s.Name, s.Now(),
		percent(s.Kept[0]), percent(s.Kept[len(s.Kept)-1])), "")
}

// Axis draws the hours under the strips.
func (v freeView) Axis() template.HTML {
	d := &drawing{height: 26}
	d.moment(0, 18, "tick", "start", v.FromUS, "clock")
	d.moment(0.5, 18, "tick", "middle", (v.FromUS+v.ToUS)/2, "both")
	d.moment(1, 18, "tick", "end", v.ToUS, "both")
	return d.svg("axis", "from now to the last deadline", "")
}
