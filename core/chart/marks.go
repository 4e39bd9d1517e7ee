package chart

import "math"

// drawMarks draws what was stated elsewhere as rings, each with its text
// beside it, and the key from y on; it returns the y below the key.
func (l *Lines) drawMarks(c *canvas, p plot, tracks [][]pixel, y float64) float64 {
	var taken []box // by what no text may cover
	for i, track := range tracks {
		for _, spot := range track {
			if finite(spot.x) && finite(spot.y) && !l.Series[i].Muted {
				taken = append(taken, box{spot.x - markerSize, spot.y - markerSize, 2 * markerSize, 2 * markerSize})
			}
		}
	}
	type at struct {
		Mark
		pixel
	}
	var shown []at
	for _, m := range l.Marks {
		if p.x.shows(m.X) && p.y.shows(m.Y) {
			spot := pixel{p.x.at(m.X), p.y.at(m.Y)}
			shown = append(shown, at{m, spot})
			taken = append(taken, box{spot.x - 8, spot.y - 8, 16, 16})
		}
	}
	for _, m := range shown {
		class := "kx"
		if m.Series >= 0 && m.Series < len(l.Series) {
			class = classOf(l.style(m.Series))
		}
		c.open(class)
		c.ring(m.x, m.y)
		c.close()
		if m.Text == "" {
			continue
		}
		var others []pixel
		for _, o := range shown {
			if o.pixel != m.pixel {
				others = append(others, o.pixel)
			}
		}
		spot, room := seat(m.pixel, m.Text, p.box, taken, others, tracks)
		taken = append(taken, room)
		c.leadTo(m.pixel, room)
		c.open(class)
		c.put(spot.x, spot.y, markSize, start, "mark said-text halo", m.Text)
		c.close()
	}
	if len(shown) > 0 && l.MarkKey != "" {
		y += markSize + 2
		c.open("kx")
		c.ring(p.box.x+7, y-4)
		c.close()
		c.put(p.box.x+20, y, markSize, start, "mark", shorten(l.MarkKey, markSize, width-edge-p.box.x-20))
	}
	return y
}

// seat finds the place for a text near a mark: the nearest that covers no
// marker and no other text and, if it can, no line, and that is not nearer to
// another mark.
func seat(at pixel, text string, within box, taken []box, others []pixel, tracks [][]pixel) (pixel, box) {
	w := textWidth(text, markSize)
	best, bestCost := pixel{}, math.Inf(1)
	var bestRoom box
	for ring := range 7 {
		far := 11 + 9*float64(ring)
		for step := range 16 {
			angle := float64(step) * math.Pi / 8
			middleX, middleY := at.x+far*math.Cos(angle), at.y-far*math.Sin(angle)
			// The near side of the text is at that distance.
			x := middleX - w/2 + w/2*math.Cos(angle)
			room := box{x - 2, middleY - markSize/2 - 1, w + 4, markSize + 2}
			if !room.inside(within) {
				continue
			}
			cost := far
			for _, other := range taken {
				if room.overlaps(other) {
					cost += 400
				}
			}
			cost += 26 * float64(crossings(room, tracks))
			own := room.distance(at)
			for _, other := range others {
				if room.distance(other) < own+4 {
					cost += 60
				}
			}
			if cost < bestCost-1e-9 {
				best, bestCost, bestRoom = pixel{x, middleY + markSize*0.36}, cost, room
			}
		}
	}
	if math.IsInf(bestCost, 1) { // a plot too small for the text: keep it in sight
		x := min(max(at.x-w/2, edge), max(edge, width-edge-w))
		return pixel{x, at.y - 10}, textBox(x, at.y-10, markSize, start, text)
	}
	return best, bestRoom
}

// crossings counts the spots at which lines run through a box.
func crossings(room box, tracks [][]pixel) int {
	count := 0
	for _, track := range tracks {
		for i := 1; i < len(track); i++ {
			a, b := track[i-1], track[i]
			if !finite(a.x) || !finite(b.x) {
				continue
			}
			if max(a.x, b.x) < room.x || min(a.x, b.x) > room.x+room.w {
				continue
			}
			for t := 0.0; t <= 1; t += 1.0 / 32 {
				x, y := a.x+t*(b.x-a.x), a.y+t*(b.y-a.y)
				if (box{x, y, 0.1, 0.1}).overlaps(room) {
					count++
					break
				}
			}
		}
	}
	return count
}

// leadTo joins a mark with a text that stands away from it.
func (c *canvas) leadTo(from pixel, to box) {
	near := to.nearest(from)
	dx, dy := near.x-from.x, near.y-from.y
	if far := math.Hypot(dx, dy); far > 12 {
		c.line("lead", from.x+dx*7/far, from.y+dy*7/far, near.x, near.y)
	}
}

// nearest is the point of a box that is nearest to a spot.
func (b box) nearest(to pixel) pixel {
	return pixel{min(max(to.x, b.x), b.x+b.w), min(max(to.y, b.y), b.y+b.h)}
}

func (b box) distance(to pixel) float64 {
	near := b.nearest(to)
	return math.Hypot(near.x-to.x, near.y-to.y)
}
