package web

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
)

// drawing collects an SVG that is as wide as its place: x runs from 0 to 1 and
// is written in percent, y is in pixels, so that lines bend with the page and
// letters do not. It has no style of its own; the stylesheet knows its classes.
type drawing struct {
	strings.Builder
	height float64
	over   strings.Builder // what stands over everything else: the words
	read   []reading       // what a cursor over it says, from left to right
}

// reading is what a drawing says at a place of it.
type reading struct {
	x    float64
	us   int64 // the time there; 0: there is none
	text string
}

// readable are the readings as an attribute that the script knows.
func (d *drawing) readable() string {
	if len(d.read) == 0 {
		return ""
	}
	list := make([][3]any, len(d.read))
	for i, r := range d.read {
		list[i] = [3]any{math.Round(r.x*1e4) / 1e4, r.us, r.text}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "" // without them it is a drawing like any other
	}
	return ` data-read="` + template.HTMLEscapeString(string(text)) + `"`
}

// dot is a point of a line: x from 0 to 1, y in pixels.
type dot struct{ x, y float64 }

// wide is how finely paths are drawn across.
const wide = 1000

func pct(x float64) string { return num(math.Round(x*1e4)/100) + "%" }

func num(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" || text == "" {
		return "0"
	}
	return text
}

func (d *drawing) text(x, y float64, class, anchor, text string) {
	fmt.Fprintf(&d.over, `<text x="%s" y="%s" class="%s"%s>%s</text>`, pct(x), num(y), class, anchored(anchor), template.HTMLEscapeString(text))
}

// moment writes a point in time that a script writes again in the reader's zone.
func (d *drawing) moment(x, y float64, class, anchor string, us int64, layout string) {
	fmt.Fprintf(&d.over, `<text x="%s" y="%s" class="%s"%s data-us="%d" data-as="%s">%s</text>`, pct(x), num(y), class, anchored(anchor),
		us, layout, time.UnixMicro(us).UTC().Format(layouts[layout]))
}

// layouts are the forms of a time on an axis, by the names that the script knows.
var layouts = map[string]string{"clock": "15:04", "second": "15:04:05", "day": "2 Jan", "both": "2 Jan 15:04"}

func anchored(anchor string) string {
	if anchor == "" {
		return ""
	}
	return ` text-anchor="` + anchor + `"`
}

func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(d, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, pct(x1), num(y1), pct(x2), num(y2), class)
}

func (d *drawing) rect(x, y, w, h float64, class, title string) {
	fmt.Fprintf(d, `<rect x="%s" y="%s" width="%s" height="%s" class="%s"`, pct(x), num(y), pct(max(0, w)), num(max(0, h)), class)
	if title == "" {
		d.WriteString("/>")
		return
	}
	fmt.Fprintf(d, `><title>%s</title></rect>`, template.HTMLEscapeString(title))
}

// paths draws what f says in a coordinate system that is stretched across.
func (d *drawing) paths(f func(path func(class, d string))) {
	fmt.Fprintf(d, `<svg width="100%%" height="%s" viewBox="0 0 %d %s" preserveAspectRatio="none">`, num(d.height), wide, num(d.height))
	f(func(class, p string) { fmt.Fprintf(d, `<path class="%s" d="%s"/>`, class, p) })
	d.WriteString("</svg>")
}

// svg wraps the drawing. The label says in words what it shows; extra attributes
// are for the script.
func (d *drawing) svg(class, label, extra string) template.HTML {
	role := "img"
	if strings.Contains(d.String(), "<a ") { // what is in a picture cannot be reached by who does not see it
		role = "group"
	}
	return template.HTML(fmt.Sprintf(`<svg class="draw %s" width="100%%" height="%s" role="%s" aria-label="%s"%s>%s%s</svg>`,
		class, num(d.height), role, template.HTMLEscapeString(label), extra+d.readable(), d.String(), d.over.String()))
}

// polyline is a path through points, closed down to a base if that is not NaN.
func polyline(points []dot, base float64) string {
	var b strings.Builder
	for i, p := range points {
		b.WriteByte("LM"[btoi(i == 0)])
		b.WriteString(num(p.x*wide) + " " + num(p.y))
	}
	return closed(b.String(), points, base)
}

// steps is a path of values that hold until the next.
func steps(points []dot, base float64) string {
	var b strings.Builder
	for i, p := range points {
		if i == 0 {
			b.WriteString("M" + num(p.x*wide) + " " + num(p.y))
			continue
		}
		b.WriteString("H" + num(p.x*wide) + "V" + num(p.y))
	}
	return closed(b.String(), points, base)
}

// smooth is a path through points that rises and falls only where they do
// (Fritsch and Carlson's tangents).
func smooth(points []dot, base float64) string {
	n := len(points)
	if n < 3 {
		return polyline(points, base)
	}
	slope := make([]float64, n-1)
	for i := range slope {
		slope[i] = (points[i+1].y - points[i].y) / (points[i+1].x - points[i].x)
	}
	tangent := make([]float64, n)
	tangent[0], tangent[n-1] = slope[0], slope[n-2]
	for i := 1; i < n-1; i++ {
		if slope[i-1]*slope[i] > 0 {
			tangent[i] = 2 / (1/slope[i-1] + 1/slope[i]) // between the two, nearer to the flatter
		}
	}
	var b strings.Builder
	b.WriteString("M" + num(points[0].x*wide) + " " + num(points[0].y))
	for i := range slope {
		third := (points[i+1].x - points[i].x) / 3
		fmt.Fprintf(&b, "C%s %s %s %s %s %s", num((points[i].x+third)*wide), num(points[i].y+third*tangent[i]),
			num((points[i+1].x-third)*wide), num(points[i+1].y-third*tangent[i+1]), num(points[i+1].x*wide), num(points[i+1].y))
	}
	return closed(b.String(), points, base)
}

func closed(path string, points []dot, base float64) string {
	if math.IsNaN(base) || len(points) == 0 {
		return path
	}
	return path + "L" + num(points[len(points)-1].x*wide) + " " + num(base) + "L" + num(points[0].x*wide) + " " + num(base) + "Z"
}

func btoi(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// roundTicks are multiples of 1, 2 or 5 times a power of ten up to most.
func roundTicks(most float64, wanted int) []float64 {
	if !(most > 0) || math.IsInf(most, 0) {
		return nil
	}
	rough := most / float64(wanted)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	step := 10 * power
	for _, nice := range []float64{1, 2, 5} {
		if nice*power >= rough*0.999 {
			step = nice * power
			break
		}
	}
	var ticks []float64
	for v := step; v <= most*1.0001; v += step {
		ticks = append(ticks, v)
	}
	return ticks
}

// levels draws horizontal lines at round values, the value standing on each.
func (d *drawing) levels(most float64, wanted int, y func(float64) float64, text func(float64) string) {
	for _, v := range roundTicks(most, wanted) {
		d.line(0, y(v), 1, y(v), "grid")
		d.text(0, y(v)-4, "tick", "", text(v))
	}
}

// hours draws a time axis: round times between two instants, about as many as
// there is room for.
func (d *drawing) hours(from, to int64, y float64) {
	periods := []time.Duration{
		time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
		30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour,
	}
	wanted := time.Duration(to-from) * time.Microsecond / 4
	step := periods[len(periods)-1]
	for _, p := range periods {
		if p >= wanted {
			step = p
			break
		}
	}
	layout := "clock"
	switch {
	case step >= 24*time.Hour:
		layout = "day"
	case step < time.Minute:
		layout = "second"
	}
	us := step.Microseconds()
	for t := (from/us + 1) * us; t < to; t += us {
		x := float64(t-from) / float64(to-from)
		if x < 0.02 || x > 0.98 {
			continue
		}
		anchor := "middle"
		switch {
		case x < 0.06:
			anchor = "start"
		case x > 0.94:
			anchor = "end"
		}
		d.line(x, y-14, x, y-10, "base")
		d.moment(x, y+2, "tick", anchor, t, layout)
	}
}
