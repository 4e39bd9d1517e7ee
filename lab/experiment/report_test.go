package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// tiny is a paper of one figure, counting how often it is measured.
func tiny(measured *int) Paper {
	return Paper{Name: "tiny", Title: "A <tiny> paper", Source: "nobody", Run: func(ctx context.Context, o Options) ([]Figure, []Claim, error) {
		figures, err := o.Figures("tiny-fig1", map[string]int{"seeds": o.Seeds}, func() ([]Figure, error) {
			*measured++
			return []Figure{{
				ID: "tiny-fig1", Number: "1", Title: "Figure 1. <b>", Measure: "A measure.", X: Axis{Name: "x"}, Y: Axis{Name: "y", Unit: "%"},
				Series: []Series{{Name: "a & b", Points: []Point{{1, Estimate{2, 1, 3, 5}}, {2, Estimate{math.NaN(), math.NaN(), math.NaN(), 0}}}}},
				Stated: []Stated{{"a & b", 1, 2.5}}, Interval: confidence,
			}}, ctx.Err()
		})
		if err != nil {
			return nil, nil, err
		}
		return figures, judgeAll("tiny", o.Trace, figures, []statement{
			{"1", "1", "it is <true>", "above 1", func(e evidence) verdict { return above("a", e.line("1", "a & b").at(1), "one", 1, 0) }},
			{"1", "1", "it is false", "above 9", func(e evidence) verdict { return above("a", e.line("1", "a & b").at(1), "nine", 9, 0) }},
		}), nil
	}}
}

func open(t *testing.T, dir string, fresh bool) *Store {
	t.Helper()
	store, err := OpenStore(dir, fresh)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"*", "*/*", ".*", "*/.*"} {
		paths, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, path := range paths {
			if text, err := os.ReadFile(path); err == nil {
				found[strings.TrimPrefix(path, dir+"/")] = string(text)
			}
		}
	}
	return found
}

func TestReportFiles(t *testing.T) {
	dir, measured := t.TempDir(), 0
	o := Options{Lab: &Lab{}, Store: open(t, dir, false), Version: "1 <2>"}
	if _, err := Reproduce(t.Context(), []Paper{tiny(&measured)}, o); err != nil {
		t.Fatal(err)
	}
	got := files(t, dir)
	for _, name := range []string{"report.html", "claims.json", "tiny-fig1.svg", "tiny-fig1.csv", "measured/tiny-fig1.json"} {
		if got[name] == "" {
			t.Errorf("no %s", name)
		}
	}
	if len(got) != 5 {
		t.Errorf("%d files", len(got))
	}
	if want := "figure,series,x,group,mean,low,high,seeds,paper\n1,a & b,1,,2,1,3,5,2.5\n1,a & b,2,,,,,0,\n"; got["tiny-fig1.csv"] != want {
		t.Errorf("CSV:\n%s", got["tiny-fig1.csv"])
	}
	var claims []map[string]any
	if err := json.Unmarshal([]byte(got["claims.json"]), &claims); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"paper": "tiny", "figure": "1", "claim": "1: “it is <true>”", "holds": true, "verdict": "holds", "kind": "evidence", "reading": "usual", "certainty": 1.0, "expected": "above 1", "measured": "a 2.0, one 1.0"}
	if len(claims) != 2 || !reflect.DeepEqual(claims[0], want) || claims[1]["holds"] != false || claims[1]["verdict"] != "fails" {
		t.Errorf("claims: %v", claims)
	}
	page := got["report.html"]
	for _, text := range []string{"A &lt;tiny&gt; paper", "✓ holds", "✗ does not hold", "1 of 2", "1 &lt;2&gt;", "<svg", "prefers-color-scheme:dark"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page has no %q", text)
		}
	}
	for _, text := range []string{"<tiny>", "<script", "http://", "https://", "ZgotmplZ"} {
		if strings.Contains(page, text) {
			t.Errorf("the page has %q", text)
		}
	}
	if err := xml.NewDecoder(strings.NewReader(got["tiny-fig1.svg"])).Decode(new(struct{})); err != nil {
		t.Errorf("SVG: %v", err)
	}
}

// What has been measured is used again as long as nothing differs.
func TestResume(t *testing.T) {
	dir, measured := t.TempDir(), 0
	paper := tiny(&measured)
	run := func(o Options, want int) {
		t.Helper()
		o.Lab = &Lab{}
		if _, err := Reproduce(t.Context(), []Paper{paper}, o); err != nil {
			t.Fatal(err)
		}
		if measured != want {
			t.Errorf("measured %d times, want %d", measured, want)
		}
	}
	run(Options{Store: open(t, dir, false)}, 1)
	before := files(t, dir)
	run(Options{Store: open(t, dir, false)}, 1)
	if !reflect.DeepEqual(before, files(t, dir)) {
		t.Error("the second report differs")
	}
	run(Options{Store: open(t, dir, true)}, 2)
	run(Options{Store: open(t, dir, false), Seeds: 3}, 3)
	run(Options{Store: open(t, dir, false), Seeds: 3, Build: "other"}, 4)
	run(Options{Store: open(t, dir, false), Seeds: 3, Build: "other", Trace: smallTrace(t, 50)}, 5)
	if err := os.WriteFile(filepath.Join(dir, "measured", "tiny-fig1.json"), []byte(`{"key":`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(Options{Store: open(t, dir, false)}, 6)
}

// An interrupted run leaves whole files only, and no report.
func TestInterrupted(t *testing.T) {
	dir, measured := t.TempDir(), 0
	ctx, cancel := context.WithCancel(t.Context())
	stop := Paper{Name: "stop", Run: func(context.Context, Options) ([]Figure, []Claim, error) {
		cancel()
		return nil, nil, ctx.Err()
	}}
	_, err := Reproduce(ctx, []Paper{tiny(&measured), stop}, Options{Lab: &Lab{}, Store: open(t, dir, false)})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	got := files(t, dir)
	if got["tiny-fig1.csv"] == "" || got["report.html"] != "" {
		t.Errorf("files: %d", len(got))
	}
	for name := range got {
		if strings.HasSuffix(name, ".tmp") {
			t.Errorf("left behind: %s", name)
		}
	}
}

// The papers themselves, as small as they get, twice: same bytes.
func TestPapersRepeat(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole papers")
	}
	trace := smallTrace(t, 60)
	var before map[string]string
	for range 2 {
		dir := t.TempDir()
		o := Options{Trace: trace, Seeds: 2, Quick: true, Bound: true, Lab: &Lab{}, Store: open(t, dir, false)}
		report, err := Reproduce(t.Context(), Papers(), o)
		if err != nil {
			t.Fatal(err)
		}
		got := files(t, dir)
		if before != nil && !reflect.DeepEqual(before, got) {
			t.Error("a second run writes other files")
		}
		before = got
		for _, part := range report.Parts {
			for i := range part.Figures {
				f := &part.Figures[i]
				if last := len(f.Series) - 1; f.Series != nil && f.Series[last].Name == upperBound {
					for _, s := range f.Series[:last] {
						if l := curve(f.Series[last].Points).over(s.Points); l.least < -1e-9 {
							t.Errorf("%s: %s is above the bound by %v at %v", f.ID, s.Name, -l.least, l.leastAt)
						}
					}
				}
				if !bytes.HasPrefix(f.Draw().SVG(), []byte("<svg")) || f.Interval != noIntervals && f.runs() < 2 { // what is computed has no seeds
					t.Errorf("%s: %d seeds", f.ID, f.runs())
				}
			}
			for _, c := range part.Claims {
				if c.Measured == "not measured" || strings.Contains(c.Measured, "NaN") {
					t.Errorf("%s %s: %s: %s", c.Paper, c.Figure, c.Claim, c.Measured)
				}
				if !saysItsPoints(c) && !strings.HasPrefix(c.Measured, "EDF-BF over FCFS-BF") { // that one says where it is above
					t.Errorf("%s %s: counted %q, said %q", c.Paper, c.Figure, c.Points, c.Measured)
				}
			}
		}
	}
}
