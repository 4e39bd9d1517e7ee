package chart

import (
	"math"
	"strconv"
	"strings"
)

// SVG draws the chart as a file of its own.
func (b *Bars) SVG() []byte {
	c, height := b.draw()
	return c.svg(b.Title, height, true)
}

// Fragment draws the chart for a page that includes [CSS].
func (b *Bars) Fragment() []byte {
	c, height := b.draw()
	return c.svg(b.Title, height, false)
}

const barPlot = 230.0

// draw lays the chart out from top to bottom: heading, names of the series,
// bars, and under each bar its number and the one to compare it with.
func (b *Bars) draw() (c *canvas, height float64) {
	c = &canvas{}
	top := b.drawNames(c, c.heading(b.Title, b.Subtitle))
	for _, line := range wrap(b.Y.Label, axisSize, width-2*edge, 2) {
		top += axisSize + 3
		c.put(edge, top, axisSize, start, "ax", line)
	}
	p := plot{y: newScale(Axis{Zero: true}, b.values(), 5)}
	p.y.widen()
	left := max(leftMargin(p.y), edge+max(textWidth(b.ValueKey, valueSize), textWidth(b.MarkKey, tickSize))+10)
	p.box = box{left, top + 10, width - edge - left, barPlot}
	p.y.from, p.y.to = p.box.y+p.h, p.box.y
	c.horizontals(p)
	if len(b.Groups) == 0 || len(b.Series) == 0 {
		c.put(p.box.x+p.w/2, p.box.y+p.h/2, subSize, middle, "sub", "no data")
		return c, c.foot(p.box.y+p.h+20, b.Source)
	}

	// The bars of a group touch; a group and a gap of half of it share a slot.
	slot := p.w / float64(len(b.Groups))
	bar := min(slot*0.8/float64(len(b.Series)), 62)
	marked := b.marked()
	for g := range b.Groups {
		x := p.box.x + slot*(float64(g)+0.5) - bar*float64(len(b.Series))/2
		for s := range b.Series {
			if g < len(b.Series[s].Bars) {
				b.drawBar(c, p, s, b.Series[s].Bars[g], x+bar*float64(s), bar)
			}
		}
	}
	y := p.box.y + p.h + 17
	c.put(left-10, y, valueSize, end, "ax", b.ValueKey)
	if marked {
		y += 16
		c.put(left-10, y, tickSize, end, "tick", b.MarkKey)
	}
	y += 6
	most := 0
	for g, text := range b.Groups {
		lines := wrap(text, axisSize, slot-8, 2)
		most = max(most, len(lines))
		for i, line := range lines {
			c.put(p.box.x+slot*(float64(g)+0.5), y+float64(i+1)*(axisSize+3), axisSize, middle, "ax", line)
		}
	}
	return c, c.foot(y+float64(most)*(axisSize+3)+12, b.Source)
}

// drawNames writes which bar is which, in a row above the plot.
func (b *Bars) drawNames(c *canvas, y float64) float64 {
	x := edge
	for s, series := range b.Series {
		text := shorten(series.Name, nameSize, 200)
		w := 18 + textWidth(text, nameSize) + 20
		if x > edge && x+w > width-edge {
			x, y = edge, y+nameLine+4
		}
		c.open(classOf(s))
		c.rect(barClass(s), box{x, y + 2, 12, 12})
		c.close()
		c.put(x+18, y+12, nameSize, start, "name", text)
		x += w
	}
	if b.marked() {
		c.line("said", x, y+8, x+16, y+8)
		c.put(x+22, y+12, nameSize, start, "name", shorten(b.MarkKey, nameSize, width-edge-x-22))
	}
	return y + nameLine + 8
}

// barClass tells neighbours apart without colour: filled, then tinted.
func barClass(series int) string { return "bar" + strconv.Itoa(series%2) }

func (b *Bars) drawBar(c *canvas, p plot, series int, bar Bar, x, w float64) {
	if !p.y.shows(bar.Y) {
		return
	}
	zero, y := p.y.at(0), p.y.at(bar.Y)
	c.open(classOf(series))
	c.rect(barClass(series), box{x + 2, min(zero, y), w - 4, math.Abs(zero - y)})
	c.close()
	mid := x + w/2
	if p.y.shows(bar.Low) && p.y.shows(bar.High) && bar.High > bar.Low {
		low, high := p.y.at(bar.Low), p.y.at(bar.High)
		var d strings.Builder
		d.WriteString(stroke([]pixel{{mid, low}, {mid, high}}))
		d.WriteString(stroke([]pixel{{mid - 4, low}, {mid + 4, low}}))
		d.WriteString(stroke([]pixel{{mid - 4, high}, {mid + 4, high}}))
		c.path("err", d.String())
	}
	bottom := p.box.y + p.h
	c.put(mid, bottom+17, valueSize, middle, "val", rounded(bar.Y))
	if p.y.shows(bar.Mark) {
		c.line("said", x, p.y.at(bar.Mark), x+w, p.y.at(bar.Mark))
		c.put(mid, bottom+33, tickSize, middle, "tick", rounded(bar.Mark))
	}
}

// rounded writes a number with three digits, which is what a bar is good for.
func rounded(x float64) string {
	size := math.Abs(x)
	switch {
	case size >= 100 || size == math.Trunc(size):
		return plainNumber(math.Round(x))
	case size >= 10:
		return plainNumber(math.Round(x*10) / 10)
	}
	return plainNumber(math.Round(x*100) / 100)
}

func (b *Bars) values() []float64 {
	var values []float64
	for _, s := range b.Series {
		for _, bar := range s.Bars {
			values = append(values, bar.Y, bar.Low, bar.High, bar.Mark)
		}
	}
	return values
}

func (b *Bars) marked() bool {
	for _, s := range b.Series {
		for _, bar := range s.Bars {
			if finite(bar.Mark) {
				return true
			}
		}
	}
	return false
}
