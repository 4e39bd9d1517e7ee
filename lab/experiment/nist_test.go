package experiment

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/lab/revenue"
)

func points(xy ...float64) curve {
	var c curve
	for i := 0; i < len(xy); i += 2 {
		c = append(c, computed(xy[i], xy[i+1]))
	}
	return c
}

func TestNISTCurves(t *testing.T) {
	c := points(0, 1, 10, 1, 20, 0, 40, 2)
	for name, got := range map[string][2]float64{
		"along a point": {c.along(10), 1}, "along": {c.along(15), 0.5}, "along the end": {c.along(40), 2},
		"below": {c.below(0.25), 17.5}, "mean": {c.mean(0, 20), 0.75}, "mean of all": {c.mean(0, 40), 0.875},
		"meets": {points(0, 1, 10, 1, 20, 3).meets(points(0, 1, 10, 2, 20, 2)), 15},
	} {
		if math.Abs(got[0]-got[1]) > 1e-12 {
			t.Errorf("%s: %v, not %v", name, got[0], got[1])
		}
	}
	for name, got := range map[string]float64{
		"beyond the end": c.along(41), "never below": c.below(-1), "mean beyond the end": c.mean(0, 50),
		"never ahead": points(0, 1, 10, 1).meets(points(0, 2, 10, 2)), "nothing": curve(nil).below(1),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if fall, from, to := c.drop(); fall != 1 || from != 0 || to != 20 {
		t.Errorf("drop of %v from %v to %v", fall, from, to)
	}
	if x, y := c.lowest(); x != 20 || y != 0 {
		t.Errorf("lowest %v at %v", y, x)
	}
}

// A line with fewer points is the same line.
func TestSlim(t *testing.T) {
	for _, log := range []bool{false, true} {
		var line curve
		for i := range 200 {
			x := float64(i) / 100
			line = append(line, computed(x, min(1, 1/(0.1+x*x))))
		}
		got := slim(line, 0.001, log)
		if len(got) > 60 || got[0] != line[0] || got[len(got)-1] != line[len(line)-1] {
			t.Fatalf("%d points: %v", len(got), got)
		}
		for _, p := range line {
			if off := math.Abs(got.along(p.X) - p.Mean); off > 0.03 || !log && off > 0.001+1e-12 {
				t.Errorf("off by %v at %v", off, p.X)
			}
		}
	}
	if short := points(1, 2, 3, 4); !reflect.DeepEqual(slim(short, 0, false), short) {
		t.Error("two points must stay")
	}
}

// Sections IV and V need no simulation: all that they say holds, but for one
// number and for four regions that are eight.
func TestNISTModel(t *testing.T) {
	r := nistRun{o: Options{Lab: &Lab{}}}
	figures, err := r.model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	statements := append(append(nistOneClass(), nistTwoClasses()...), nistFourClasses()...)
	for _, c := range judgeAll(nameNIST, nil, figures, statements) {
		fails := strings.Contains(c.Claim, "70%") || strings.Contains(c.Claim, "four distinct")
		if c.Holds == fails || strings.Contains(c.Measured, "NaN") {
			t.Errorf("%s: %v, %s", c.Claim, c.Holds, c.Measured)
		}
	}
	for i := range figures {
		for _, s := range figures[i].Series {
			if n := len(s.Points); n < 2 || n > 80 {
				t.Errorf("%s, %s: %d points", figures[i].ID, s.Name, n)
			}
		}
	}
}

// Periods in blocks are the same periods.
func TestNISTBlocks(t *testing.T) {
	r := nistRun{o: Options{Lab: &Lab{Workers: 3}}, system: revenue.PaperSystem()}
	r.system.Period = 86400
	rules, err := r.paperRules(&r.system, 200)
	if err != nil {
		t.Fatal(err)
	}
	for _, periods := range []int{1, 7, 207} { // 207 are blocks of 2, and one of 1
		got, err := r.simulate(t.Context(), "test", revenueTrial{r.system, 200, rules, periods})
		if err != nil {
			t.Fatal(err)
		}
		study := revenue.Study{System: r.system, Load: 2, Rules: rules, Periods: periods, Seed: nistSeed}
		want, err := study.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !reflect.DeepEqual(got[i].Periods, want[i].Periods) {
				t.Errorf("%d periods, %s: not the same", periods, rules[i].Name)
			}
			for c := range want[i].ByClass { // sums, in another order
				if a, b := got[i].ByClass[c], want[i].ByClass[c]; a.Ran != b.Ran || math.Abs(a.Revenue-b.Revenue) > 1e-9*math.Abs(b.Revenue) {
					t.Errorf("%d periods, %s: %+v, not %+v", periods, rules[i].Name, a, b)
				}
			}
		}
	}
}

// An interrupted run goes on at the load where it was.
func TestNISTResume(t *testing.T) {
	dir := t.TempDir()
	var asked []float64
	run := func(stop float64) ([]Figure, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := nistRun{nistSetting: nistSetting{Periods: 2}, o: Options{Lab: &Lab{}, Store: open(t, dir, false)}}
		asked = nil
		return r.overLoads(ctx, "test", []float64{50, 100, 150}, func(ctx context.Context, load float64) ([]Figure, error) {
			asked = append(asked, load)
			if load == stop {
				cancel()
			}
			f := r.simFigure("16", "", perSecond, "", load, []nistResult{{Rule: revenue.Rule{Name: "a"}, Periods: make([]revenue.Tally, 2)}}, r.delay)
			return []Figure{f, jobsCounted(load, 1000)}, ctx.Err()
		})
	}
	if _, err := run(100); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	figures, err := run(0)
	if err != nil || !reflect.DeepEqual(asked, []float64{100, 150}) {
		t.Fatalf("error %v, measured again %v", err, asked)
	}
	if len(figures) != 1 || len(figures[0].Series[0].Points) != 3 || !strings.Contains(figures[0].Source, "took 3,000 jobs") {
		t.Errorf("figures %+v", figures)
	}
	if drawn, _ := filepath.Glob(filepath.Join(dir, "*.svg")); len(drawn) > 0 {
		t.Errorf("steps are not to be drawn: %v", drawn)
	}
}
