package chart

import (
	"fmt"
	"math"
	"strings"
)

// The shapes of markers, in the order in which series get them: they differ in
// form and in whether they are filled, so that a grey print can be read.
const markers = 8

const markerSize = 4.0

// marker draws the marker of a series.
func (c *canvas) marker(series int, x, y float64) {
	r := markerSize
	polygon := func(class string, corners ...float64) {
		var d strings.Builder
		for i := 0; i < len(corners); i += 2 {
			letter := "L"
			if i == 0 {
				letter = "M"
			}
			d.WriteString(letter + coord(x+corners[i]*r) + " " + coord(y+corners[i+1]*r))
		}
		c.path(class, d.String()+"Z")
	}
	disc := func(class string) {
		fmt.Fprintf(&c.body, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`+"\n", class, coord(x), coord(y), coord(r))
	}
	switch series % markers {
	case 0:
		disc("full")
	case 1:
		polygon("open", -1, -1, 1, -1, 1, 1, -1, 1)
	case 2:
		polygon("full", 0, -1.2, 1.15, 0.9, -1.15, 0.9)
	case 3:
		polygon("open", 0, -1.35, 1.35, 0, 0, 1.35, -1.35, 0)
	case 4:
		polygon("full", -0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9)
	case 5:
		disc("open")
	case 6:
		polygon("full", 0, 1.2, 1.15, -0.9, -1.15, -0.9)
	case 7:
		polygon("open", 0, -1.25, 1.2, 0.95, -1.2, 0.95)
	}
}

// ring draws the mark of a value that was stated elsewhere: two circles, like
// nothing that data look like.
func (c *canvas) ring(x, y float64) {
	for _, r := range []float64{6.5, 2} {
		fmt.Fprintf(&c.body, `<circle class="ring" cx="%s" cy="%s" r="%s"/>`+"\n", coord(x), coord(y), coord(r))
	}
}

// stroke joins points to a path; a gap starts a new one.
func stroke(points []pixel) string {
	var d strings.Builder
	down := false
	for _, p := range points {
		if !finite(p.x) || !finite(p.y) {
			down = false
			continue
		}
		letter := "M"
		if down {
			letter = "L"
		}
		d.WriteString(letter + coord(p.x) + " " + coord(p.y))
		down = true
	}
	return d.String()
}

type pixel struct{ x, y float64 }

var nowhere = pixel{math.NaN(), math.NaN()}
