package chart

// Table is rows of text under heads: what a paper shows as a table, and what is
// said in words rather than drawn.
type Table struct {
	Title    string
	Subtitle string
	Source   string
	Heads    []string
	Rows     [][]string // each as long as the heads
}

// SVG draws the table as a file of its own.
func (t *Table) SVG() []byte {
	c, height := t.draw()
	return c.svg(t.Title, height, true)
}

// Fragment draws the table for a page that includes [CSS].
func (t *Table) Fragment() []byte {
	c, height := t.draw()
	return c.svg(t.Title, height, false)
}

const rowHeight = 22.0

// draw gives every column room by its longest text and spreads what is left.
func (t *Table) draw() (c *canvas, height float64) {
	c = &canvas{}
	y := c.heading(t.Title, t.Subtitle) + 8
	left := edge
	room := t.columns()
	line := func(cells []string, class string) {
		y += rowHeight
		x := left
		for i, text := range cells {
			c.put(x, y, axisSize, start, class, text)
			x += room[i]
		}
		c.line("grid", left, y+7, width-edge, y+7)
	}
	line(t.Heads, "name")
	for _, row := range t.Rows {
		line(row, "ax")
	}
	return c, c.foot(y+18, t.Source)
}

// columns is how wide each column is.
func (t *Table) columns() []float64 {
	room := make([]float64, len(t.Heads))
	all := 0.0
	for i := range room {
		room[i] = textWidth(t.Heads[i], nameSize)
		for _, row := range t.Rows {
			room[i] = max(room[i], textWidth(row[i], axisSize))
		}
		room[i] += 16
		all += room[i]
	}
	for i := range room {
		room[i] *= (width - 2*edge) / max(all, 1)
	}
	return room
}
