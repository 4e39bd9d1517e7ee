package workload

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// plainJobs makes n jobs with different runtimes.
func plainJobs(n int) []Arrival {
	arrivals := make([]Arrival, n)
	for i := range arrivals {
		arrivals[i] = Arrival{Job: market.Job{Width: 1, Submit: market.Time(i)}, Actual: market.Work(1 + i%1000), Number: int64(i) + 1}
	}
	return arrivals
}

func apply(t *testing.T, m Model, n int, seed uint64, settings ...string) []Arrival {
	t.Helper()
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if err := m.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	arrivals := plainJobs(n)
	if err := m.Apply(arrivals, seed); err != nil {
		t.Fatal(err)
	}
	return arrivals
}

// moments are the mean and the standard deviation.
func moments(values []float64) (mean, deviation float64) {
	for _, x := range values {
		mean += x / float64(len(values))
	}
	for _, x := range values {
		deviation += (x - mean) * (x - mean) / float64(len(values))
	}
	return mean, math.Sqrt(deviation)
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v, want %v (within %v)", what, got, want, tolerance)
	}
}

func TestLibraPlusModelMatchesThePaper(t *testing.T) {
	arrivals := apply(t, NewLibraPlusModel(), 50_000, 1)
	var deadlines, budgets [2][]float64
	for i := range arrivals {
		a := &arrivals[i]
		class := a.Job.Class
		deadlines[class] = append(deadlines[class], float64(a.Job.SLA.Deadline)/float64(a.Actual))
		budgets[class] = append(budgets[class], float64(a.Job.SLA.Budget)/float64(a.Actual))
		if a.Job.SLA.Soft || a.Job.SLA.Penalty != 0 || a.Job.Estimate != a.Actual {
			t.Fatalf("job %d: %+v", i, a.Job)
		}
		if a.Job.SLA.Deadline < market.Time(a.Actual)*(1-1e-12) || float64(a.Job.SLA.Budget) < float64(a.Actual)*(1-1e-12) {
			t.Fatalf("job %d is below 1: %+v", i, a.Job.SLA)
		}
	}
	if n := len(deadlines[HighUrgency]); n != 10_000 {
		t.Errorf("%d jobs of high urgency, want 10000", n)
	}
	for _, c := range []struct {
		what            string
		values          []float64
		mean, deviation float64
	}{
		{"D/R of high urgency", deadlines[HighUrgency], 2, 0.4},
		{"D/R of low urgency", deadlines[LowUrgency], 8, 1.6},
		{"B/R of high urgency", budgets[HighUrgency], 8, 1.6},
		{"B/R of low urgency", budgets[LowUrgency], 2, 0.4},
	} {
		mean, deviation := moments(c.values)
		near(t, "mean "+c.what, mean, c.mean, 0.02*c.mean)
		near(t, "deviation of "+c.what, deviation, c.deviation, 0.04*c.deviation)
	}
}

func TestLibraSLAModelMatchesThePaper(t *testing.T) {
	arrivals := apply(t, NewLibraSLAModel(), 50_000, 2)
	var deadlines, budgets, penalties [2][]float64
	for i := range arrivals {
		a := &arrivals[i]
		class := a.Job.Class
		deadlines[class] = append(deadlines[class], float64(a.Job.SLA.Deadline)/float64(a.Actual))
		budgets[class] = append(budgets[class], float64(a.Job.SLA.Budget)/float64(a.Actual))
		penalties[class] = append(penalties[class], float64(a.Job.SLA.Penalty))
		if a.Job.SLA.Soft != (class == LowUrgency) {
			t.Fatalf("job %d: %+v", i, a.Job)
		}
	}
	for _, c := range []struct {
		what   string
		values []float64
		mean   float64
	}{
		{"D/R of high urgency", deadlines[HighUrgency], 2},
		{"D/R of low urgency", deadlines[LowUrgency], 14},
		{"B/R of high urgency", budgets[HighUrgency], 7},
		{"B/R of low urgency", budgets[LowUrgency], 1},
		{"penalty of high urgency", penalties[HighUrgency], 2},
		{"penalty of low urgency", penalties[LowUrgency], 0.5},
	} {
		mean, deviation := moments(c.values)
		// D/R around 2 is cut at 1, two deviations below.
		near(t, "mean "+c.what, mean, c.mean, 0.02*c.mean)
		near(t, "deviation of "+c.what, deviation, c.mean/4, 0.08*c.mean/4)
	}
}

func TestUrgentJobsAreAnExactCount(t *testing.T) {
	for _, c := range []struct {
		n     int
		share string
		want  int
	}{{0, "0.5", 0}, {1, "0.5", 1}, {10, "0", 0}, {10, "1", 10}, {5000, "0.2", 1000}, {7, "0.3", 2}} {
		count := 0
		for _, a := range apply(t, NewLibraPlusModel(), c.n, 3, "high-urgency="+c.share) {
			count += int(a.Job.Class)
		}
		if count != c.want {
			t.Errorf("%d of %d are urgent at %s, want %d", count, c.n, c.share, c.want)
		}
	}
}

// Changing one parameter leaves what is drawn for the others as it was.
func TestParametersAreDrawnApart(t *testing.T) {
	base := apply(t, NewLibraSLAModel(), 2000, 4)
	again := apply(t, NewLibraSLAModel(), 2000, 4)
	other := apply(t, NewLibraSLAModel(), 2000, 5)
	richer := apply(t, NewLibraSLAModel(), 2000, 4, "budget-factor=3")
	urgent := apply(t, NewLibraSLAModel(), 2000, 4, "high-urgency=0.5")
	same := 0
	for i := range base {
		b := &base[i].Job
		if again[i] != base[i] {
			t.Fatalf("job %d is not the same again", i)
		}
		if other[i].Job.SLA == b.SLA {
			same++
		}
		r := richer[i].Job.SLA
		if r.Deadline != b.SLA.Deadline || r.Penalty != b.SLA.Penalty || r.Soft != b.SLA.Soft {
			t.Fatalf("job %d: a larger budget changed %+v to %+v", i, b.SLA, r)
		}
		near(t, "budget", float64(r.Budget), 3*float64(b.SLA.Budget), 1e-6*float64(b.SLA.Budget))
		if b.Class == HighUrgency && urgent[i].Job != *b {
			t.Fatalf("job %d: more urgent jobs changed %+v to %+v", i, b, urgent[i].Job)
		}
	}
	if same > 0 {
		t.Errorf("%d jobs do not depend on the seed", same)
	}
}

func TestInaccuracyShortensEstimates(t *testing.T) {
	for _, a := range apply(t, NewLibraPlusModel(), 100, 1, "inaccuracy=0.25") {
		if a.Job.Estimate != a.Actual*0.75 {
			t.Fatalf("estimate %v of %v", a.Job.Estimate, a.Actual)
		}
	}
}

// Hopeless limits end at the limit, not in a loop.
func TestRedrawsEnd(t *testing.T) {
	for _, a := range apply(t, NewLibraPlusModel(), 10, 1, "deadline-factor=0", "deviation=0") {
		if a.Job.SLA.Deadline != market.Time(a.Actual) {
			t.Fatalf("deadline %v of %v", a.Job.SLA.Deadline, a.Actual)
		}
	}
}

func TestModelsBySetting(t *testing.T) {
	for _, name := range Models() {
		m, err := NewModel(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range m.Params() {
			if p.Meaning == "" {
				t.Errorf("%s: %s has no meaning", name, p.Name)
			}
			if err := m.Set(p.Name, p.Default); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := m.Set(p.Name, "NaN"); err == nil {
				t.Errorf("%s: %s takes anything", name, p.Name)
			}
		}
		if err := m.Set("colour", "1"); !errors.Is(err, ErrUnknownParameter) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := NewModel("nist"); err == nil {
		t.Error("a model that is not there")
	}
	m := NewLibraPlusModel()
	for setting, want := range map[string]string{
		"high-urgency=1.5": "high-urgency: 1.5 makes no sense (want 0 to 1)",
		"deviation=wide":   `deviation: "wide": not a number`,
		"alpha=1": `unknown parameter "alpha" (want one of high-urgency, deadline-urgent, deadline-relaxed, budget-urgent, ` +
			`budget-relaxed, deadline-factor, budget-factor, deviation, deadline-deviation, budget-deviation, inaccuracy)`,
	} {
		name, value, _ := strings.Cut(setting, "=")
		if got := errorText(m.Set(name, value)); got != want {
			t.Errorf("%s: %s, want %s", setting, got, want)
		}
	}
	m.Deviation = math.NaN()
	if err := m.Apply(plainJobs(1), 1); err == nil {
		t.Error("a deviation that is not a number")
	}
}

// Deadlines and budgets may spread differently, and one leaves the other alone.
func TestDeviationsApart(t *testing.T) {
	apply := func(name string) []Arrival {
		jobs := make([]Arrival, 500)
		for i := range jobs {
			jobs[i] = Arrival{Actual: 100, Job: market.Job{Width: 1, Estimate: 100}}
		}
		m := NewLibraPlusModel()
		if name != "" {
			if err := m.Set(name, "0"); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Apply(jobs, 1); err != nil {
			t.Fatal(err)
		}
		return jobs
	}
	usual, deadlines, budgets := apply(""), apply("deadline-deviation"), apply("budget-deviation")
	for i := range usual {
		if deadlines[i].Job.SLA.Budget != usual[i].Job.SLA.Budget || budgets[i].Job.SLA.Deadline != usual[i].Job.SLA.Deadline {
			t.Fatal("one deviation changes what the other spreads")
		}
		if d, b := deadlines[i].Job.SLA.Deadline, budgets[i].Job.SLA.Budget; d != 200 && d != 800 || b != 200 && b != 800 {
			t.Fatalf("job %d: deadline %v, budget %v without any deviation", i, d, b)
		}
	}
}
