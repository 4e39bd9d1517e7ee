package chart

import (
	"cmp"
	"slices"
)

// names are the labels of the series, in the margin to the right of the plot:
// each beside the end of its line, moved apart where lines end close together.
type names []name

type name struct {
	series int
	look   int
	lines  []string
	muted  bool
	ends   pixel   // where its line ends
	has    bool    // it has a line
	y      float64 // the middle of the label
}

const (
	nameLine  = nameSize + 2.5 // from one line of a label to the next
	nameGap   = 4.0            // between two labels
	nameLead  = 26.0           // from the plot to the text: leader and sample
	nameRoom  = 150.0          // the widest text
	nameExtra = 4.0
)

func (l *Lines) names() names {
	all := make(names, 0, len(l.Series))
	for i, s := range l.Series {
		text := s.Name
		if text == "" {
			text = "series"
		}
		all = append(all, name{series: i, look: l.style(i), lines: wrap(text, nameSize, nameRoom, 3), muted: s.Muted})
	}
	return all
}

// room is the width of the margin.
func (n names) room() float64 {
	widest := 0.0
	for i := range n {
		for _, line := range n[i].lines {
			widest = max(widest, textWidth(line, nameSize))
		}
	}
	if widest == 0 {
		return 0
	}
	return nameLead + widest + nameExtra
}

func (n *name) height() float64 { return float64(len(n.lines)) * nameLine }

// height is what all labels need on top of each other.
func (n names) height() float64 {
	sum := 0.0
	for i := range n {
		sum += n[i].height() + nameGap
	}
	return sum
}

// place puts every label where its line ends and then moves labels apart, the
// least that is needed, keeping them in the order of the lines.
func (n names) place(p plot, tracks [][]pixel) {
	for i := range n {
		n[i].ends, n[i].has = lastOf(tracks[n[i].series])
		n[i].y = p.box.y + p.h // without a line: at the bottom
		if n[i].has {
			n[i].y = n[i].ends.y
		}
	}
	slices.SortStableFunc(n, func(a, b name) int { return cmp.Compare(a.y, b.y) })

	// Labels that touch become one block, centred on what its labels want.
	type block struct{ first, last, want, height float64 }
	var blocks []block
	for i := range n {
		h := n[i].height() + nameGap
		blocks = append(blocks, block{float64(i), float64(i), n[i].y, h})
		for {
			b := &blocks[len(blocks)-1]
			b.want = min(max(b.want, p.box.y+b.height/2), max(p.box.y+b.height/2, p.box.y+p.h-b.height/2))
			if len(blocks) < 2 {
				break
			}
			a := &blocks[len(blocks)-2]
			if a.want+a.height/2 <= b.want-b.height/2 {
				break
			}
			// Each label pulls with the same force.
			wa, wb := a.last-a.first+1, b.last-b.first+1
			joined := block{first: a.first, last: b.last, height: a.height + b.height}
			joined.want = (wa*(a.want+b.height/2) + wb*(b.want-a.height/2)) / (wa + wb)
			blocks = append(blocks[:len(blocks)-2], joined)
		}
	}
	for _, b := range blocks {
		y := b.want - b.height/2
		for i := int(b.first); i <= int(b.last); i++ {
			h := n[i].height() + nameGap
			n[i].y = y + h/2
			y += h
		}
	}
}

// draw writes the labels, each with a sample of its line and, where it stands
// away from the end of its line, a thin leader.
func (n names) draw(c *canvas, p plot) {
	x := p.box.x + p.w
	for i := range n {
		label := &n[i]
		if label.has {
			from := label.ends.x + 7
			c.path("lead", "M"+coord(from)+" "+coord(label.ends.y)+"L"+coord(x+2)+" "+coord(label.ends.y)+
				"L"+coord(x+8)+" "+coord(label.y)+"L"+coord(x+10)+" "+coord(label.y))
		}
		c.open(classOf(label.look))
		if label.muted {
			c.line("ref", x+9, label.y, x+nameLead-4, label.y)
		} else {
			c.marker(label.look, x+16, label.y)
		}
		c.close()
		y := label.y - label.height()/2 + nameLine - 4
		for _, line := range label.lines {
			c.put(x+nameLead, y, nameSize, start, "name", line)
			y += nameLine
		}
	}
}
