package web

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/client/v1"
)

// drawable fails if a drawing is not well-formed or has a number that is none.
func drawable(t *rapid.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "--"} {
		if strings.Contains(svg, bad) {
			t.Fatalf("%s in %s", bad, svg)
		}
	}
}

func TestCurvesCanBeDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := &curve{MinMS: rapid.Int64Range(1, 1e9).Draw(t, "min")}
		k.MaxMS = k.MinMS + rapid.Int64Range(1, 1e10).Draw(t, "span")
		if rapid.Bool().Draw(t, "asked") {
			k.AtMS = rapid.Int64Range(k.MinMS, k.MaxMS).Draw(t, "at")
		}
		if rapid.Bool().Draw(t, "budgeted") {
			budget := rapid.Int64Range(0, 1e12).Draw(t, "budget")
			k.Budget = &budget
		}
		for _, d := range k.deadlines() {
			p := curvePoint{DeadlineMS: d, Price: rapid.Int64Range(0, 1e12).Draw(t, "price")}
			if rapid.IntRange(0, 3).Draw(t, "refused") == 0 {
				p = curvePoint{DeadlineMS: d, Refused: `cannot_meet_<"deadline">`}
			}
			if k.Points = append(k.Points, p); d == k.AtMS {
				k.Price, k.Taken = p.Price, p.Refused == ""
			}
		}
		drawable(t, string(k.SVG()))
		if text := k.Saving(); strings.Contains(text, "\u2212") {
			t.Fatalf("waiting saves less than nothing: %s", text)
		}
	})
}

func TestLivesCanBeDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const start = int64(1_700_000_000_000_000)
		moment := func(name string) int64 { return start + rapid.Int64Range(0, 1e12).Draw(t, name) }
		v := &rowView{Job: v1.Job{ID: 1, Name: `<"&`, State: rapid.SampledFrom(v1.States()).Draw(t, "state"), SubmittedUS: start}, NowUS: moment("now")}
		if rapid.Bool().Draw(t, "started") {
			v.StartedUS = moment("start")
		}
		if v.State.Final() {
			v.EndedUS = moment("end")
		}
		if rapid.Bool().Draw(t, "due") {
			v.DueUS = moment("due")
		}
		for range rapid.IntRange(0, 5).Draw(t, "points") {
			v.Timeline = append(v.Timeline, v1.Point{AtUS: moment("point"), Share: rapid.Float64Range(0, 2).Draw(t, "share")})
		}
		drawable(t, string(drawTimeline(v, moment("predicted"))))
	})
}

func TestPastsCanBeDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const start = int64(1_700_000_000_000_000)
		var list []sample
		at := start
		for range rapid.IntRange(0, 300).Draw(t, "samples") {
			at += rapid.Int64Range(1e6, 1e9).Draw(t, "gap")
			price := rapid.Int64Range(-1, 1e9)
			list = append(list, sample{
				at: at, urgent: price.Draw(t, "u"), usual: price.Draw(t, "m"), patient: price.Draw(t, "p"),
				used: rapid.Float64Range(0, 1.1).Draw(t, "used"), kept: rapid.Float64Range(0, 1.1).Draw(t, "kept"),
			})
		}
		drawable(t, string(drawPast(list, start, max(at, start+1e6), "cr")))
	})
}

// What is promised runs out with the deadlines, and is never more than there is.
func TestFreeWhen(t *testing.T) {
	now := int64(1_700_000_000_000_000)
	minute := int64(60e6)
	nodes := []v1.NodeView{
		{Up: true, Loads: []v1.ProcessorView{
			{Kept: 0.8, Share: 1, Jobs: []v1.Tenant{{Share: 0.5, DueUS: now + 60*minute}, {Share: 0.5, DueUS: now + 240*minute}}},
			{},
		}},
		{Up: false, Loads: []v1.ProcessorView{{Kept: 1, Jobs: []v1.Tenant{{Share: 1, DueUS: now + 30*minute}}}}},
	}
	v := freeWhen(nodes, 0.5, now)
	if len(v.Strips) != 3 || v.ToUS != now+240*minute {
		t.Fatalf("%d strips to %d", len(v.Strips), v.ToUS-now)
	}
	all, one, down := v.Strips[0], v.Strips[1], v.Strips[2]
	if math.Abs(all.Kept[0]-0.4) > 1e-9 || math.Abs(one.Kept[0]-0.4) > 1e-9 || math.Abs(one.Kept[freeColumns/2]-0.2) > 1e-9 {
		t.Errorf("all %v, one %v", all.Kept, one.Kept)
	}
	if all.Now() != "0.7 of 2 free now" || one.Now() != "at most 1.2 of 2 free now" {
		t.Errorf("half a processor is kept by quotes: %s, %s", all.Now(), one.Now())
	}
	if alone := freeWhen(nodes[:1], 0.5, now).Strips[0].Now(); alone != all.Now() {
		t.Errorf("the only node: %s", alone)
	}
	if down.Kept[0] != 0 || down.Now() != "down" {
		t.Errorf("down: %v %s", down.Kept, down.Now())
	}
	for c := 1; c < freeColumns; c++ {
		if all.Kept[c] > all.Kept[c-1] {
			t.Errorf("more is promised later: %v", all.Kept)
		}
	}
}
