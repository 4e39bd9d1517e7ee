package chart

import (
	"fmt"
	"math"
	"strings"
)

// SVG draws the chart as a file of its own.
func (l *Lines) SVG() []byte {
	c, height := l.draw()
	return c.svg(l.Title, height, true)
}

// Fragment draws the chart for a page that includes [CSS].
func (l *Lines) Fragment() []byte {
	c, height := l.draw()
	return c.svg(l.Title, height, false)
}

// draw lays the chart out from top to bottom: heading, plot with its margins,
// axes, then data over the grid and texts over data.
func (l *Lines) draw() (c *canvas, height float64) {
	c = &canvas{}
	top := c.heading(l.Title, l.Subtitle)

	// 1. The scales, from all that must be seen.
	xs, ys := l.extent()
	p := plot{x: newScale(l.X, xs, 8), y: newScale(l.Y, ys, 5)}
	p.y.widen()

	// 2. The plot, between the ticks on the left and the names on the right.
	names := l.names()
	left := leftMargin(p.y)
	right := width - edge - names.room()
	yLabel := wrap(l.Y.Label, axisSize, width-2*edge, 2)
	for _, line := range yLabel {
		top += axisSize
		c.put(edge, top, axisSize, start, "ax", line)
		top += 3
	}
	p.box = box{left, top + 8, right - left, max(plotHeight, names.height())}
	inset := 0.0 // markers at the ends do not sit on the frame
	if p.w > 60 {
		inset = 10
	}
	p.x.from, p.x.to = p.box.x+inset, p.box.x+p.w-inset
	p.y.from, p.y.to = p.box.y+p.h, p.box.y

	// 3. Axes and grid.
	c.horizontals(p)
	y := c.ruler(p)
	for _, line := range wrap(l.X.Label, axisSize, width-2*edge, 2) {
		y += axisSize + 1
		c.put(min(max(p.box.x+p.w/2, edge+textWidth(line, axisSize)/2), width-edge-textWidth(line, axisSize)/2), y,
			axisSize, middle, "ax", line)
	}

	// 4. Data: bands lie under all lines, what is muted under what is not.
	tracks := l.tracks(p)
	l.drawBands(c, p)
	for _, muted := range []bool{true, false} {
		for i := range l.Series {
			if l.Series[i].Muted == muted {
				l.drawSeries(c, i, tracks[i])
			}
		}
	}
	if empty(tracks) {
		c.put(p.box.x+p.w/2, p.box.y+p.h/2, subSize, middle, "sub", "no data")
	}

	// 5. Texts.
	names.place(p, tracks)
	names.draw(c, p)
	y = l.drawMarks(c, p, tracks, y+6)
	return c, c.foot(y+8, l.Source)
}

// extent lists all values that the axes must show.
func (l *Lines) extent() (xs, ys []float64) {
	known := func(axis Axis, v float64) bool { return finite(v) && (!axis.Log || v > 0) }
	for _, s := range l.Series {
		for _, p := range s.Points {
			if !known(l.X, p.X) || !known(l.Y, p.Y) {
				continue
			}
			xs, ys = append(xs, p.X), append(ys, p.Y)
			if !s.Muted && known(l.Y, p.Low) && known(l.Y, p.High) {
				ys = append(ys, p.Low, p.High)
			}
		}
	}
	for _, m := range l.Marks {
		if known(l.X, m.X) && known(l.Y, m.Y) {
			xs, ys = append(xs, m.X), append(ys, m.Y)
		}
	}
	return xs, ys
}

// tracks are the series in pixels, with gaps where there is no value.
func (l *Lines) tracks(p plot) [][]pixel {
	tracks := make([][]pixel, len(l.Series))
	for i, s := range l.Series {
		for _, point := range s.Points {
			spot := nowhere
			if p.x.shows(point.X) && p.y.shows(point.Y) {
				spot = pixel{p.x.at(point.X), p.y.at(point.Y)}
			}
			tracks[i] = append(tracks[i], spot)
		}
	}
	return tracks
}

func empty(tracks [][]pixel) bool {
	for _, track := range tracks {
		if _, ok := lastOf(track); ok {
			return false
		}
	}
	return true
}

func lastOf(track []pixel) (last pixel, ok bool) {
	for i := len(track) - 1; i >= 0; i-- {
		if finite(track[i].x) && finite(track[i].y) {
			return track[i], true
		}
	}
	return nowhere, false
}

// style is the number of a series' colour and marker.
func (l *Lines) style(series int) int {
	if hue := l.Series[series].Hue; hue > 0 {
		return hue - 1
	}
	return series
}

func classOf(look int) string { return fmt.Sprintf("k%d", look%palette) }

// drawBands fills the confidence intervals; one that stands alone between gaps
// is a whisker.
func (l *Lines) drawBands(c *canvas, p plot) {
	for i, s := range l.Series {
		if s.Muted {
			continue
		}
		c.open(classOf(l.style(i)))
		var upper, lower []pixel
		flush := func() {
			switch {
			case len(upper) == 1 && lower[0].y-upper[0].y > 1:
				c.line("whisk", upper[0].x, upper[0].y, lower[0].x, lower[0].y)
			case len(upper) > 1:
				var d strings.Builder
				d.WriteString(stroke(upper))
				for j := len(lower) - 1; j >= 0; j-- {
					d.WriteString("L" + coord(lower[j].x) + " " + coord(lower[j].y))
				}
				c.path("band", d.String()+"Z")
			}
			upper, lower = nil, nil
		}
		for _, point := range s.Points {
			if !p.x.shows(point.X) || !p.y.shows(point.Y) || !p.y.shows(point.Low) || !p.y.shows(point.High) {
				flush()
				continue
			}
			x := p.x.at(point.X)
			upper = append(upper, pixel{x, p.y.at(point.High)})
			lower = append(lower, pixel{x, p.y.at(point.Low)})
		}
		flush()
		c.close()
	}
}

func (l *Lines) drawSeries(c *canvas, i int, track []pixel) {
	c.open(classOf(l.style(i)))
	class := "line"
	if l.Series[i].Muted {
		class = "ref"
	}
	if d := stroke(track); d != "" {
		c.path(class, d)
	}
	if !l.Series[i].Muted {
		drawn := pixel{x: math.Inf(-1)}
		for at, spot := range track {
			if !finite(spot.x) || !finite(spot.y) {
				continue
			}
			if at == 0 || at == len(track)-1 || math.Hypot(spot.x-drawn.x, spot.y-drawn.y) >= markerGap {
				c.marker(l.style(i), spot.x, spot.y)
				drawn = spot
			}
		}
	}
	c.close()
}

// markerGap is how far apart markers are: on a line of many points each would
// touch the next and hide the line.
const markerGap = 22
