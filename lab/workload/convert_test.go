package workload

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

const threeRecords = `; MaxProcs: 8
1 100 5 60 2 -1 -1 2 60 -1 1 7 7 3 1 1 -1 -1
2 50 0 30 1 -1 -1 1 30 -1 1 8 8 3 1 1 -1 -1
3 150 -1 -1 -1 -1 -1 -1 -1 -1 0 8 8 3 1 1 -1 -1
4 200 1 20 4 -1 -1 4 25 -1 1 9 9 3 1 1 -1 -1
`

// An excerpt keeps every field of what can be replayed, in order of submission.
func TestExcerptKeepsEveryField(t *testing.T) {
	for _, c := range []struct {
		last   int
		factor float64
		want   []string // how the records begin
		notes  int
	}{
		{0, 1, []string{"2 50 0 30", "1 100 5 60", "4 200 1 20"}, 0},
		{2, 1, []string{"2 50 0 30", "4 200 1 20"}, 1},
		{0, 2, []string{"2 50 0 30", "1 150 5 60", "4 350 1 20"}, 1},
	} {
		file, err := OpenReader(strings.NewReader(threeRecords), "log.swf")
		if err != nil {
			t.Fatal(err)
		}
		x, err := ReadExcerpt(t.Context(), file, "log.swf", c.last)
		if err != nil || x.Skipped != 1 || len(x.Records) != len(c.want) {
			t.Fatalf("%v: %+v", err, x)
		}
		x.Stretch(c.factor)
		var out bytes.Buffer
		if err := x.Write(&out); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "Note"); got != c.notes {
			t.Errorf("%d notes, want %d:\n%s", got, c.notes, out.String())
		}
		var records []string
		for line := range strings.Lines(out.String()) {
			if !strings.HasPrefix(line, ";") {
				records = append(records, strings.Join(strings.Fields(line), " "))
			}
		}
		for i, want := range c.want {
			if i >= len(records) || !strings.HasPrefix(records[i], want+" ") || !strings.HasSuffix(records[i], " 3 1 1 -1 -1") {
				t.Errorf("last %d, factor %v:\n%s", c.last, c.factor, out.String())
				break
			}
		}
	}
}

func TestWhatASegmentSaysIsReadAgain(t *testing.T) {
	for _, a := range []Arrival{
		{Actual: 10},
		{Job: market.Job{Submit: 7, Class: 3}, Actual: 25},
	} {
		a.Job.Width, a.Job.Estimate, a.Job.SLA = 1, 10, market.SLA{Deadline: market.Never, Budget: market.Unlimited}
		text, err := json.Marshal(a.Segment())
		if err != nil {
			t.Fatal(err)
		}
		back := Arrival{Job: market.Job{Width: 1, Estimate: 10, SLA: a.Job.SLA}, Actual: 10}
		if string(text) != "null" {
			var said map[string]any
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.UseNumber()
			if err := decoder.Decode(&said); err != nil {
				t.Fatal(err)
			}
			if err := back.ReadSegment(said); err != nil {
				t.Fatal(err)
			}
		}
		if back.Job.Submit != a.Job.Submit || back.Job.Class != a.Job.Class || back.Actual != a.Actual {
			t.Errorf("%s: %+v, want %+v", text, back, a)
		}
	}
	for text, segment := range map[string]any{
		"want submit":     7,
		"unknown field":   map[string]any{"colour": json.Number("1")},
		"not 0 or more":   map[string]any{"submit": json.Number("-1")},
		"not a whole":     map[string]any{"class": json.Number("1.5")},
		"runtime: x is":   map[string]any{"runtime": "x"},
		"optional_rate: ": map[string]any{"optional_rate": nil},
	} {
		var a Arrival
		err := a.ReadSegment(segment)
		if err == nil || !strings.HasPrefix(err.Error(), SimulationSegment) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestKnobs(t *testing.T) {
	m, b := NewLublin(), FirstBatch()
	if err := Turn(m.Knobs(), "lublin", "load", "0.5"); err != nil || m.Load != 0.5 {
		t.Errorf("%v: %v", err, m.Load)
	}
	if err := Turn(b.Knobs(), "batch", "step", "50"); err != nil || b.StepMI != 50 {
		t.Errorf("%v: %v", err, b.StepMI)
	}
	if err := Turn(m.Knobs(), "lublin", "step", "50"); err == nil || !strings.Contains(err.Error(), `model lublin has no setting "step" (it has load, `) {
		t.Error(err)
	}
	if err := Turn(b.Knobs(), "batch", "step", "0.5"); err == nil || !strings.Contains(err.Error(), "not a number that fits") {
		t.Error(err)
	}
}
