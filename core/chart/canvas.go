package chart

import (
	"fmt"
	"strconv"
	"strings"
)

// canvas collects a drawing. It knows where it has put text, so that layouts
// can keep out of the way and tests can look for collisions.
type canvas struct {
	body  strings.Builder
	texts []placed
}

// box is a rectangle; y grows downwards.
type box struct{ x, y, w, h float64 }

func (b box) overlaps(o box) bool {
	return b.x < o.x+o.w && o.x < b.x+b.w && b.y < o.y+o.h && o.y < b.y+b.h
}

func (b box) inside(o box) bool {
	return b.x >= o.x && b.y >= o.y && b.x+b.w <= o.x+o.w && b.y+b.h <= o.y+o.h
}

// placed is a text and the room it takes.
type placed struct {
	box
	class, text string
}

// anchor is the side of a text that stands at its x.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// put writes one line of text with its baseline at y.
func (c *canvas) put(x, y, size float64, at anchor, class, text string) {
	if text == "" {
		return
	}
	c.texts = append(c.texts, placed{textBox(x, y, size, at, text), class, text})
	hint := ""
	if at != start {
		hint = ` text-anchor="` + string(at) + `"`
	}
	fmt.Fprintf(&c.body, `<text class="%s" x="%s" y="%s"%s>%s</text>`+"\n", class, coord(x), coord(y), hint, escape(text))
}

func textBox(x, y, size float64, at anchor, text string) box {
	w := textWidth(text, size)
	switch at {
	case start:
	case middle:
		x -= w / 2
	case end:
		x -= w
	}
	return box{x, y - 0.8*size, w, size}
}

// path draws what d says, a path in the words of SVG.
func (c *canvas) path(class, d string) {
	fmt.Fprintf(&c.body, `<path class="%s" d="%s"/>`+"\n", class, d)
}

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	c.path(class, "M"+coord(x1)+" "+coord(y1)+"L"+coord(x2)+" "+coord(y2))
}

func (c *canvas) rect(class string, b box) {
	fmt.Fprintf(&c.body, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`+"\n", class, coord(b.x), coord(b.y), coord(b.w), coord(b.h))
}

func (c *canvas) open(class string) { fmt.Fprintf(&c.body, `<g class="%s">`+"\n", class) }
func (c *canvas) close()            { c.body.WriteString("</g>\n") }

// svg wraps the drawing. Alone, it brings its style and its namespace; as a
// fragment it is meant for a page that includes [CSS].
func (c *canvas) svg(title string, height float64, alone bool) []byte {
	var b strings.Builder
	name, style := "", ""
	if alone {
		name, style = ` xmlns="http://www.w3.org/2000/svg"`, "<style>"+CSS+"</style>\n"
	}
	fmt.Fprintf(&b, `<svg%s class="lc" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-label="%s">`+"\n",
		name, coord(width), coord(height), coord(width), coord(height), escape(title))
	b.WriteString(style)
	fmt.Fprintf(&b, `<rect class="bg" width="%s" height="%s"/>`+"\n", coord(width), coord(height))
	b.WriteString(c.body.String())
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// coord writes a coordinate to a tenth of a pixel, more than anyone can see.
// A number that is none has no place in a drawing: layouts leave it out before.
func coord(x float64) string {
	text := strconv.FormatFloat(x, 'f', 1, 64)
	text = strings.TrimSuffix(text, ".0")
	if text == "-0" {
		return "0"
	}
	return text
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// escape makes text safe in XML: characters that XML cannot hold at all are
// replaced as well.
func escape(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xfffe || r == 0xffff {
			return 0xfffd
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return escaper.Replace(text)
}
