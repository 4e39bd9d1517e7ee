package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

var nan = math.NaN()

// drawings are charts of all that data can be.
func drawings() map[string]*Lines {
	one := func(points ...Point) []Series { return []Series{{Name: "only", Points: points}} }
	all := map[string]*Lines{
		"sample":       sampleLines(),
		"nothing":      {},
		"no points":    {Title: "t", Series: []Series{{Name: "a"}, {Name: "b"}}},
		"one point":    {Series: one(Point{1, 2, 1, 3})},
		"constant":     {Series: one(Point{1, 5, 5, 5}, Point{2, 5, 5, 5})},
		"zero":         {Series: one(Point{0, 0, 0, 0})},
		"gaps":         {Series: one(Point{1, 1, 0, 2}, Point{2, nan, nan, nan}, Point{3, 2, nan, 3}, Point{4, 2, 1, 3})},
		"only gaps":    {Series: one(Point{1, nan, nan, nan}, Point{nan, 1, 1, 1})},
		"infinite":     {Series: one(Point{1, math.Inf(1), 0, math.Inf(1)}, Point{2, 3, math.Inf(-1), 4}, Point{math.Inf(1), 1, 1, 1})},
		"huge":         {Series: one(Point{1, math.MaxFloat64, 0, 1}, Point{2, -math.MaxFloat64, 0, 1}, Point{3, 1, 1, 1})},
		"tiny":         {Series: one(Point{1e-310, 1e-310, 0, 0}, Point{2e-310, 2e-310, 0, 0})},
		"large values": {Series: one(Point{1e9, 1.5e9, 1e9, 2e9}, Point{2e9, 1.7e9, 1e9, 2e9})},
		"negative":     {Series: one(Point{1, -20, -30, -10}, Point{2, 15, 10, 20})},
		"log":          {X: Axis{Log: true}, Series: one(Point{0.01, 1, 0, 2}, Point{0.1, 2, 1, 3}, Point{1, 1, 1, 1})},
		"log of zero":  {X: Axis{Log: true}, Y: Axis{Log: true}, Series: one(Point{0, 1, 0, 2}, Point{1, 0, 0, 3}, Point{10, 5, 0, 7})},
		"wide log":     {X: Axis{Log: true}, Series: one(Point{1e-20, 1, 0, 2}, Point{1e20, 2, 1, 3})},
		"nasty text": {
			Title: `<b>"&'` + "\x00\xff", Subtitle: "a\nb", Source: "]]>", X: Axis{Label: "<x>"},
			Series: []Series{{Name: `"><script>`, Points: []Point{{1, 1, 1, 1}}}}, Marks: []Mark{{1, 1, "<m>", 0}}, MarkKey: "&",
		},
		"long text": {
			Title: strings.Repeat("a long title ", 40), Subtitle: strings.Repeat("and a subtitle ", 80),
			Source: strings.Repeat("source ", 200), X: Axis{Label: strings.Repeat("x ", 300)}, Y: Axis{Label: strings.Repeat("y", 300)},
			Series: []Series{
				{Name: strings.Repeat("name", 60), Points: []Point{{1, 1, 1, 1}, {2, 2, 2, 2}}},
				{Name: strings.Repeat("many words ", 20), Points: []Point{{1, 1, 1, 1}, {2, 2, 2, 2}}},
			},
			Marks: []Mark{{1.5, 1.5, strings.Repeat("mark", 50), -1}}, MarkKey: strings.Repeat("key ", 100),
		},
		"strange marks": {Series: one(Point{1, 1, 1, 1}), Marks: []Mark{{nan, 1, "a", 0}, {1, nan, "b", 9}, {2, 2, "c", -3}, {2, 2, "", 0}}},
	}
	crowd := &Lines{Title: "crowd"}
	for i := range 14 {
		crowd.Series = append(crowd.Series, Series{Name: fmt.Sprintf("series %d", i), Points: []Point{{0, 1, 1, 1}, {1, 2 + float64(i)/1000, 2, 2}}})
	}
	all["crowd"] = crowd
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		l := &Lines{Title: "random", X: Axis{Label: "x"}, Y: Axis{Label: "y"}, MarkKey: "stated"}
		for i := range 1 + r.IntN(7) {
			s := Series{Name: strings.Repeat("n", 1+r.IntN(20)), Muted: r.IntN(4) == 0}
			for x := range r.IntN(12) {
				y := r.NormFloat64() * math.Pow(10, float64(r.IntN(6)))
				s.Points = append(s.Points, Point{float64(x), y, y - r.Float64(), y + r.Float64()})
			}
			l.Series = append(l.Series, s)
			l.Marks = append(l.Marks, Mark{r.Float64() * 10, r.NormFloat64(), "paper 12 %", i})
		}
		all[fmt.Sprintf("random %d", n)] = l
	}
	return all
}

func barDrawings() map[string]*Bars {
	return map[string]*Bars{
		"sample":   sampleBars(),
		"nothing":  {},
		"no bars":  {Groups: []string{"a", "b"}, Series: []BarSeries{{Name: "s"}}},
		"odd bars": {Groups: []string{"a", "b"}, Series: []BarSeries{{"s", []Bar{{nan, nan, nan, nan}, {-5, -6, math.Inf(-1), 2}}}}},
		"one":      {Groups: []string{"<a>"}, Series: []BarSeries{{"<s>", []Bar{{3, 2, 4, nan}}}}},
		"zero":     {Groups: []string{"a"}, Series: []BarSeries{{"s", []Bar{{0, 0, 0, 0}}}}},
		"many": {
			Groups: strings.Split(strings.Repeat("group of words,", 12), ","), MarkKey: strings.Repeat("paper ", 50),
			Series: []BarSeries{{strings.Repeat("long name ", 9), []Bar{{1, 0, 2, 1}}}, {strings.Repeat("long name ", 9), nil}, {"c", nil}, {strings.Repeat("d", 99), nil}},
		},
	}
}

func wellFormed(t *testing.T, name string, svg []byte) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	decoder.Strict = true
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: not XML: %v", name, err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range element.Attr {
			if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
				t.Errorf("%s: %s=%q", name, a.Name.Local, a.Value)
			}
		}
	}
}

// checkTexts looks for text outside the drawing and for text over text.
func checkTexts(t *testing.T, name string, c *canvas, height float64) {
	t.Helper()
	page := box{0, 0, width, height}
	for i, a := range c.texts {
		if !a.inside(page) {
			t.Errorf("%s: %q at %v is outside of %v", name, a.text, a.box, page)
		}
		for _, b := range c.texts[:i] {
			if a.overlaps(b.box) && !crowdedMarks(a, b) {
				t.Errorf("%s: %q at %v lies over %q at %v", name, a.text, a.box, b.text, b.box)
			}
		}
	}
}

// crowdedMarks: where there is no room for all marks their texts may touch
// grid numbers of another text, but never the names of series.
func crowdedMarks(a, b placed) bool {
	return strings.HasPrefix(a.class, "mark") && strings.HasPrefix(b.class, "mark")
}

func TestLines(t *testing.T) {
	for name, l := range drawings() {
		svg := l.SVG()
		wellFormed(t, name, svg)
		wellFormed(t, name, l.Fragment())
		if !bytes.Equal(svg, l.SVG()) {
			t.Errorf("%s: two drawings of the same data differ", name)
		}
		c, height := l.draw()
		if strings.HasPrefix(name, "random") || name == "long text" {
			continue // marks anywhere may leave no free place: checked for names below
		}
		checkTexts(t, name, c, height)
	}
}

func TestNamesDoNotOverlap(t *testing.T) {
	for name, l := range drawings() {
		c, height := l.draw()
		var names []placed
		for _, text := range c.texts {
			if text.class == "name" {
				names = append(names, text)
			}
		}
		checkTexts(t, name, &canvas{texts: names}, height)
	}
}

func TestTextStaysInside(t *testing.T) {
	for name, l := range drawings() {
		c, height := l.draw()
		for _, text := range c.texts {
			if !text.inside(box{0, 0, width, height}) && !strings.HasPrefix(text.class, "mark") {
				t.Errorf("%s: %q at %v is outside", name, text.text, text.box)
			}
		}
	}
}

// In a sensible chart no text of a mark covers a marker or a name.
func TestMarksKeepClear(t *testing.T) {
	c, height := sampleLines().draw()
	checkTexts(t, "sample", c, height)
	shown := 0
	for i, a := range c.texts {
		if a.class != "mark said-text halo" {
			continue
		}
		shown++
		for _, b := range c.texts[:i] {
			if a.overlaps(b.box) {
				t.Errorf("%q lies over %q", a.text, b.text)
			}
		}
	}
	if shown != 6 {
		t.Errorf("%d of 6 marks have a text", shown)
	}
}

func TestBars(t *testing.T) {
	for name, b := range barDrawings() {
		svg := b.SVG()
		wellFormed(t, name, svg)
		wellFormed(t, name, b.Fragment())
		if !bytes.Equal(svg, b.SVG()) {
			t.Errorf("%s: two drawings of the same data differ", name)
		}
		if name != "many" {
			c, height := b.draw()
			checkTexts(t, name, c, height)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		log       bool
		want      string
	}{
		{0, 1, false, "0 0.2 0.4 0.6 0.8 1"},
		{0.1, 1, false, "0.2 0.4 0.6 0.8 1"},
		{-20, 60, false, "−20 0 20 40 60"},
		{0, 35000, false, "0 10,000 20,000 30,000"},
		{0.005, 0.04, false, "0.01 0.02 0.03 0.04"},
		{0, 4e7, false, "0 10M 20M 30M 40M"},
		{-3e9, 1e9, false, "−3B −2B −1B 0 1B"},
		{0.01, 1, true, "0.01 0.02 0.05 0.1 0.2 0.5 1"},
		{0.1, 20, true, "0.1 0.2 0.5 1 2 5 10 20"},
	} {
		ticks := linearTicks(c.low, c.high, 5)
		if c.log {
			ticks = logTicks(c.low, c.high)
		}
		if got := strings.Join(tickText(ticks), " "); got != c.want {
			t.Errorf("%v to %v: ticks %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestTextWidth(t *testing.T) {
	if w := textWidth("Libra+$", 10); w < 35 || w > 55 {
		t.Errorf("Libra+$ at 10 px: %v", w)
	}
	for _, line := range wrap(strings.Repeat("word ", 100), 12, 200, 3) {
		if textWidth(line, 12) > 200 {
			t.Errorf("%q is wider than 200", line)
		}
	}
}

// A table has all its words, inside of its frame and none over another.
func TestTable(t *testing.T) {
	table := &Table{
		Title: "A table", Subtitle: "of words", Source: "made up", Heads: []string{"Parameter", "Paper", "Here"},
		Rows: [][]string{{"a < b", "1.0", "1"}, {"a long name of something that is given", "not stated", "0.2"}},
	}
	c, height := table.draw()
	for i, a := range c.texts {
		if !a.inside(box{0, 0, width, height}) {
			t.Errorf("%q is outside", a.text)
		}
		for _, b := range c.texts[:i] {
			if a.overlaps(b.box) {
				t.Errorf("%q is over %q", a.text, b.text)
			}
		}
	}
	if len(c.texts) != 3+3+2*3 {
		t.Errorf("%d texts", len(c.texts))
	}
	if text := string(table.SVG()); !strings.Contains(text, "a &lt; b") || strings.Contains(string(table.Fragment()), "xmlns=\"\"") {
		t.Error("not escaped")
	}
}
