package chart

// heading writes title and subtitle and returns the y below them.
func (c *canvas) heading(title, subtitle string) float64 {
	y := edge
	for _, line := range wrap(title, titleSize*1.06, width-2*edge, 2) { // bold is wider
		y += titleSize
		c.put(edge, y-2, titleSize, start, "title", line)
		y += 4
	}
	y += 2
	for _, line := range wrap(subtitle, subSize, width-2*edge, 4) {
		y += subSize
		c.put(edge, y, subSize, start, "sub", line)
		y += 4
	}
	return y + 6
}

// foot writes the small print from y on and returns the height of the chart.
func (c *canvas) foot(y float64, source string) float64 {
	for _, line := range wrap(source, sourceSize, width-2*edge, 3) {
		y += sourceSize
		c.put(edge, y, sourceSize, start, "src", line)
		y += 3
	}
	return y + 12
}

// plot is the rectangle of the data and its scales.
type plot struct {
	box
	x, y scale
}

// leftMargin is the room that the ticks of a vertical axis need.
func leftMargin(s scale) float64 {
	widest := 0.0
	for _, text := range tickText(s.ticks) {
		widest = max(widest, textWidth(text, tickSize))
	}
	return edge + widest + 8
}

// horizontals draws the grid lines and the ticks of the vertical axis.
func (c *canvas) horizontals(p plot) {
	for i, text := range tickText(p.y.ticks) {
		y := p.y.at(p.y.ticks[i])
		class := "grid"
		if p.y.ticks[i] == 0 {
			class = "base"
		}
		c.line(class, p.box.x, y, p.box.x+p.w, y)
		c.put(p.box.x-8, y+tickSize*0.36, tickSize, end, "tick", text)
	}
}

// ruler draws the horizontal axis with its ticks and returns the y below them.
// A tick whose text would touch the one before it stays without.
func (c *canvas) ruler(p plot) float64 {
	bottom := p.box.y + p.h
	if p.y.log || p.y.low > 0 || p.y.high < 0 || p.y.low < 0 {
		c.line("base", p.box.x, bottom, p.box.x+p.w, bottom)
	}
	free := 0.0
	for i, text := range tickText(p.x.ticks) {
		x := p.x.at(p.x.ticks[i])
		c.line("base", x, bottom, x, bottom+4)
		room := textBox(x, 0, tickSize, middle, text)
		if room.x < free {
			continue
		}
		free = room.x + room.w + 6
		c.put(x, bottom+16, tickSize, middle, "tick", text)
	}
	return bottom + 20
}
