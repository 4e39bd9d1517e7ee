package main

import (
	"path/filepath"
	"strings"
	"testing"
)

const twoClasses = `{"capacity":30,"tau_min":13200,"phi":1,"offset":"scaled","load":0.8,"classes":[
{"name":"high","p0":30000,"v1":0.1,"share":0.3,"b1":4400,"b2":21610000},
{"name":"low","p0":6000,"v1":0.01,"share":0.7,"b1":4400,"b2":21610000}]}`

type optimum struct {
	Revenue float64            `json:"revenue_per_s"`
	Rho     float64            `json:"rho"`
	Q       map[string]float64 `json:"q"`
	Delay   map[string]float64 `json:"delay"`
	PerJob  float64            `json:"revenue_per_admitted_job"`
}

func within(a, b, slack float64) bool { return a >= b-slack && a <= b+slack }

func TestRevenueOptimize(t *testing.T) {
	path := file(t, "classes.json", twoClasses)
	o := parse[optimum](t, mustLibra(t, "revenue", "optimize", path, "--json"))
	if !within(o.Q["high"], 1, 1e-9) || !within(o.Q["low"], 0.40820331/0.56, 1e-6) || !within(o.Revenue, 53.2702378, 1e-6) {
		t.Errorf("%+v", o)
	}
	in := libraIn(t, twoClasses, "revenue", "optimize", "-", "--json")
	if in.code != exitOK || parse[optimum](t, in.out).Revenue != o.Revenue {
		t.Errorf("standard input: %+v", in)
	}
	none := parse[optimum](t, mustLibra(t, "revenue", "optimize", path, "--json", "--offset", "none"))
	if none.Revenue >= o.Revenue {
		t.Errorf("no offset: %+v", none)
	}
	out := mustLibra(t, "revenue", "optimize", "--preset", "section-vi", "--load", "3", "--phi", "0.556")
	if !strings.Contains(out, "HvHu") || !strings.Contains(out, "3.4394") {
		t.Errorf("for people:\n%s", out)
	}
}

func TestRevenueMistakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"optimize"}, 2, []string{"CLASSES.json"}},
		{[]string{"optimize", "a", "b"}, 2, []string{`"b"`}},
		{[]string{"optimize", "--preset", "none"}, 2, []string{"--preset", "section-vi"}},
		{[]string{"optimize", "--preset", "section-vi", "--phi", "-1"}, 2, []string{"--phi"}},
		{[]string{"optimize", "--preset", "section-vi", "--tau-min", "-1"}, 2, []string{"--tau-min"}},
		{[]string{"optimize", "--preset", "section-vi", "--offset", "odd"}, 2, []string{"--offset", "literal"}},
		{[]string{"optimize", file(t, "x.json", `{"capacity":1,"load":1,"classes":[{"name":"a"}]}`)}, 1, []string{"x.json", "classes[0].p0"}},
		{[]string{"optimize", filepath.Join(t.TempDir(), "nowhere")}, 1, []string{"nowhere"}},
		{[]string{"curve", "--figure", "9"}, 2, []string{"--figure", "13"}},
		{[]string{"curve", "--figure", "13", "--over", "phi"}, 2, []string{"--over"}},
		{[]string{"curve", "--preset", "one-class", "--over", "capacity"}, 2, []string{"--values"}},
		{[]string{"curve", "--preset", "one-class", "--over", "share:x", "--values", "1"}, 2, []string{`"x"`}},
		{[]string{"curve", "--preset", "one-class", "--values", "1:2"}, 2, []string{"--values"}},
		{[]string{"simulate", "--rule", "best"}, 2, []string{"--rule", "optimal"}},
		{[]string{"simulate", "--q", "LvLu=2"}, 2, []string{"--q", "LvLu"}},
		{[]string{"simulate", "--q", "Best=1"}, 2, []string{"--q", "Best"}},
		{[]string{"simulate", "--width", "some"}, 2, []string{"--width"}},
		{[]string{"simulate", "--processors", "0"}, 2, []string{"processors"}},
		{[]string{"simulate", "--load", "-1"}, 2, []string{"load"}},
		{[]string{"simulate", "--periods", "0"}, 2, []string{"periods"}},
		{[]string{"simulate", "--jobs", "x.csv", "--load", "2"}, 2, []string{"--load"}},
		{[]string{"simulate", "--jobs", file(t, "j.csv", "id,arrival,class,length,width\na,0,Lv,1,1\n")}, 1, []string{"j.csv line 2", "class"}},
		{[]string{"tune", "--load", "0"}, 2, []string{"--load"}},
		{[]string{"tune", "--periods", "1"}, 2, []string{"--periods"}},
	} {
		r := libra(t, append([]string{"revenue"}, c.args...)...)
		if r.code != c.code {
			t.Errorf("%v: exit code %d, want %d (%s)", c.args, r.code, c.code, r.err)
		}
		for _, want := range c.want {
			if !strings.Contains(r.err, want) {
				t.Errorf("%v: %q does not name %q", c.args, r.err, want)
			}
		}
	}
}

func TestRevenueCurve(t *testing.T) {
	out := mustLibra(t, "revenue", "curve", "--preset", "two-classes", "--over", "share:high", "--values", "0:1:0.5")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 4 || lines[0] != "share:high,revenue_per_s,rho,revenue_per_admitted_job,q_high,q_low,delay_high,delay_low" {
		t.Errorf("%s", out)
	}
	for _, number := range []string{"5", "6", "10"} {
		if out := mustLibra(t, "revenue", "curve", "--figure", number); !strings.HasPrefix(out, "series,x,y\n") {
			t.Errorf("figure %s: %s", number, out)
		}
	}
	path := filepath.Join(t.TempDir(), "c.json")
	mustLibra(t, "revenue", "curve", file(t, "classes.json", twoClasses), "--values", "0.5,1", "--json", "--out", path)
	if got := parse[struct{ Points []optimum }](t, read(t, path)); len(got.Points) != 2 || got.Points[1].Revenue <= 0 {
		t.Errorf("%+v", got)
	}
}

func TestRevenueJobs(t *testing.T) {
	jobs := file(t, "jobs.csv", "width,id,arrival,class,length\n500,a,0,LvLu,7200\n500,b,10,HvHu,3600\n9000,c,20,HvHu,600\n500,d,30,LvHu,300\n")
	type answer struct {
		Jobs []struct {
			ID, Outcome          string
			Time, Delay, Revenue float64
		}
		Revenue, Span, Utilisation float64
	}
	a := parse[answer](t, mustLibra(t, "revenue", "simulate", "--jobs", jobs, "--processors", "500", "--json"))
	want := []string{"run", "run", "rejected", "expired"}
	for i, j := range a.Jobs {
		if j.Outcome != want[i] {
			t.Errorf("%s: %s, not %s", j.ID, j.Outcome, want[i])
		}
	}
	d := a.Jobs[3]
	value := 300.0 / 3600 * 500
	if !within(d.Delay, 900+value, 1e-9) || !within(d.Time, 930+value, 1e-9) || !within(d.Revenue, -0.05*value, 1e-9) {
		t.Errorf("%+v", d)
	}
	if !within(a.Revenue, 3500-0.05*value, 1e-9) || a.Span != 10800 || !within(a.Utilisation, 1, 1e-12) {
		t.Errorf("%+v", a)
	}
	out := mustLibra(t, "revenue", "simulate", "--jobs", jobs, "--processors", "500", "--out", "-")
	if !strings.HasPrefix(out, "id,outcome,time,delay,revenue\na,run,0,0,1000\n") {
		t.Errorf("%s", out)
	}
	mustLibra(t, "revenue", "simulate", "--jobs", jobs, "--q", "LvLu=0.5")
}

// What is printed hangs on the seed and on nothing else.
func TestRevenueSimulateIsDeterministic(t *testing.T) {
	args := []string{"revenue", "simulate", "--load", "0.9,2", "--days", "10", "--periods", "5", "--rule", "admit-all,optimal,one-in-five", "--json", "--workers"}
	one := wallTime.ReplaceAllString(mustLibra(t, append(args, "1")...), "")
	four := wallTime.ReplaceAllString(mustLibra(t, append(args, "4")...), "")
	if one != four {
		t.Errorf("one worker:\n%s\nfour:\n%s", one, four)
	}
}

func TestRevenueTune(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tuned.csv")
	out := mustLibra(t, "revenue", "tune", "--load", "2", "--days", "20", "--search-periods", "2", "--periods", "4", "--out", path)
	for _, rule := range []string{"admit-all", "q*", "one-in-five", "multi-server", "tuned"} {
		if !strings.Contains(out, rule) || !strings.Contains(read(t, path), rule) {
			t.Errorf("no rule %s:\n%s", rule, out)
		}
	}
}
