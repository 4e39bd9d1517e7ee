package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	twoSites = "site,processors,mips\nS,1,1\nR,1,2\n"
	fourApps = `id,arrival,p,m,o,deadline,bm,optional_rate
a,0,1,2,16,10,2,1
b,0,1,6,7,10,3,1
c,20,1,2,0,10,1,1
d,20,1,99,0,10,1,1
`
)

func TestGridTable(t *testing.T) {
	sites, apps := file(t, "sites.csv", twoSites), file(t, "apps.csv", fourApps)
	table := filepath.Join(t.TempDir(), "table.csv")
	out := mustLibra(t, "simulate-grid", "--policy", "mf-edf", "--sites", sites, "--workload", apps, "--apps", table, "--json")
	want := `id,accepted,site,gain,mandatory_finish,end,optional_mi,budget
a,true,R,18,1,9,16,18
b,true,S,7,6,10,4,7
c,true,S,1,22,22,0,1
d,false,,,,,,
`
	if got := read(t, table); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s := parse[map[string]any](t, out)
	for field, want := range map[string]any{
		"policy": "mf-edf", "applications": 4.0, "accepted": 3.0, "acceptance": 0.75, "profit": 26.0, "infeasible": 1.0, "no_gain": 0.0,
		"refuse": "no-gain", "optional_mi": 20.0, "end": 22.0,
	} {
		if s[field] != want {
			t.Errorf("%s is %v, want %v", field, s[field], want)
		}
	}
	if out := mustLibra(t, "simulate-grid", "-p", "mf-edf", "--sites", sites, "-w", apps); !strings.Contains(out, "75.0 %") {
		t.Errorf("for people:\n%s", out)
	}
}

// At R a pays all that it can, 16 for its optional part. At S b's mandatory part takes until 6, and
// until its deadline 4 of its optional 7 are done: no order would make more of it.
func TestGridBound(t *testing.T) {
	sites, apps := file(t, "sites.csv", twoSites), file(t, "apps.csv", fourApps)
	args := []string{"simulate-grid", "--sites", sites, "--workload", apps, "--bound", "--policy"}
	type summary struct {
		Profit float64
		Bound  struct {
			Profit   float64
			Optional *struct {
				Paid           float64
				MandatoryFirst float64 `json:"mandatory_first"`
				MandatoryKept  float64 `json:"mandatory_kept"`
			}
		}
	}
	list := parse[[]summary](t, mustLibra(t, append(args, "mf-rate,hard-m", "--json")...))
	got := list[0]
	if o := got.Bound.Optional; o == nil || o.Paid != 20 || math.Abs(o.MandatoryFirst-20) > 1e-4 || math.Abs(o.MandatoryKept-20) > 1e-4 {
		t.Errorf("optional parts: %+v", o)
	}
	if got.Profit > got.Bound.Profit || got.Bound.Profit > 1.1*got.Profit || list[1].Bound.Optional != nil {
		t.Errorf("got %+v", list)
	}
	for _, policies := range []string{"mf-rate", "mf-rate,hard-m"} {
		if out := mustLibra(t, append(args, policies)...); !strings.Contains(out, "of the best order") || !strings.Contains(out, "knows the future\n") {
			t.Errorf("for people:\n%s", out)
		}
	}
}

// Of what c and b offer, S gains all and 7 of 10.
func TestGridHurdle(t *testing.T) {
	sites, apps := file(t, "sites.csv", twoSites), file(t, "apps.csv", fourApps)
	for hurdle, want := range map[string]float64{"0": 3, "0.7": 3, "0.71": 2, "1": 2} {
		out := mustLibra(t, "simulate-grid", "--sites", sites, "--workload", apps, "--policy", "mf-edf", "--set", "hurdle="+hurdle, "--json")
		if got := parse[map[string]any](t, out)["accepted"]; got != want {
			t.Errorf("hurdle %s: %v accepted, want %v", hurdle, got, want)
		}
	}
}

// What generate makes, simulate-grid reads; company changes nothing, and the
// order of the lines only breaks ties.
func TestGridPolicies(t *testing.T) {
	dir := t.TempDir()
	apps := filepath.Join(dir, "apps.csv.gz")
	out := mustLibra(t, "simulate-grid", "generate", "--applications", "60", "--laxity", "0.1..0.5", "--k", "0.1", "--seed", "0", "--out", apps)
	if !strings.HasPrefix(out, "60 applications written to ") {
		t.Errorf("said %q", out)
	}
	table := filepath.Join(dir, "table.csv")
	args := []string{"simulate-grid", "--policy", strings.Join(gridPolicyNames(), ","), "--workload", apps}
	lines := strings.Split(strings.TrimSpace(mustLibra(t, append(args, "--apps", table)...)), "\n")
	if len(lines) != 3+len(gridPolicyNames()) || !strings.Contains(lines[0], "six sites of the paper") {
		t.Errorf("got\n%s", strings.Join(lines, "\n"))
	}
	list := parse[[]map[string]any](t, mustLibra(t, append(args, "--json", "--set", "refuse=infeasible")...))
	for i, name := range gridPolicyNames() {
		if _, err := os.Stat(filepath.Join(dir, "table-"+name+".csv")); err != nil {
			t.Error(err)
		}
		alone := parse[map[string]any](t, mustLibra(t, "simulate-grid", "--policy", name, "--workload", apps, "--json", "--set", "refuse=infeasible"))
		if list[i]["policy"] != name || list[i]["profit"] != alone["profit"] {
			t.Errorf("%s earns %v alone, %v in company", name, alone["profit"], list[i])
		}
	}
	piped := libraIn(t, mustLibra(t, "simulate-grid", "generate", "--applications", "3"), "simulate-grid", "-p", "hard-m", "-w", "-")
	if piped.code != exitOK || !strings.HasPrefix(piped.out, "standard input, 3 applications") {
		t.Errorf("got %+v", piped)
	}
}

func TestGridMistakes(t *testing.T) {
	apps := file(t, "apps.csv", fourApps)
	simulate := func(args ...string) []string {
		return append([]string{"simulate-grid", "--policy", "mf-edf", "--workload"}, args...)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"no policy", []string{"simulate-grid", "--workload", apps}, 2, []string{"--policy", "mf-timeshare"}},
		{"no workload", []string{"simulate-grid", "--policy", "mf-edf"}, 2, []string{"--workload"}},
		{"unknown policy", []string{"simulate-grid", "--policy", "edf", "--workload", apps}, 2, []string{`"edf"`, "mf-hbf"}},
		{"policy twice", []string{"simulate-grid", "--policy", "mf-edf,mf-edf", "--workload", apps}, 2, []string{"twice"}},
		{"unknown command", []string{"simulate-grid", apps}, 2, []string{"apps.csv"}},
		{"both from standard input", simulate("-", "--sites", "-"), 2, []string{"standard input"}},
		{"table to standard output", simulate(apps, "--apps", "-"), 2, []string{"--apps"}},
		{"unknown setting", simulate(apps, "--set", "gain=1"), 2, []string{`"gain"`, "refuse"}},
		{"bad setting", simulate(apps, "--set", "refuse=all"), 2, []string{"refuse", `"all"`, "infeasible"}},
		{"no such file", simulate("nowhere.csv"), 1, []string{"nowhere.csv"}},
		{"no such sites", simulate(apps, "--sites", "nowhere.csv"), 1, []string{"nowhere.csv"}},
		{"empty file", simulate(file(t, "x.csv", "")), 1, []string{"x.csv", "header"}},
		{"not a number", simulate(file(t, "x.csv", fourApps+"e,0,1,1,1,soon,1,1\n")), 1, []string{"x.csv line 6", "deadline", `"soon"`}},
		{"bad sites", simulate(apps, "--sites", file(t, "s.csv", "site,processors,mips\nS,0,1\n")), 1, []string{"s.csv line 2", "processors"}},
		{"broken gzip", simulate(file(t, "x.csv.gz", "\x1f\x8bnot really")), 1, []string{"x.csv.gz"}},
		{"table in no directory", simulate(apps, "--apps", filepath.Join("no", "such", "t.csv")), 1, []string{filepath.Join("no", "such", "t.csv")}},
		{"hurdle", simulate(apps, "--set", "hurdle=1.1"), 2, []string{"hurdle", `"1.1"`}},
		{"laxity", []string{"simulate-grid", "generate", "--laxity", "loose"}, 2, []string{"--laxity", `"loose"`}},
		{"laxity the wrong way round", []string{"simulate-grid", "generate", "--laxity", "0.5..0.1"}, 2, []string{"laxity"}},
		{"rate", []string{"simulate-grid", "generate", "--k", "-1"}, 2, []string{"k: -1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := libra(t, c.args...)
			if r.code != c.code || r.out != "" || !strings.HasPrefix(r.err, "libra: ") || strings.Count(r.err, "\n") != 1 {
				t.Errorf("exit code %d, said %q, wrote %q", r.code, r.err, r.out)
			}
			for _, part := range c.want {
				if !strings.Contains(r.err, part) {
					t.Errorf("said %q, want %q in it", r.err, part)
				}
			}
		})
	}
}

func TestGridHelpAndCompletion(t *testing.T) {
	for _, command := range []string{"simulate-grid", "simulate-grid generate"} {
		out := mustLibra(t, append(strings.Fields(command), "--help")...)
		if !strings.Contains(out, "Examples:\n  ") || !strings.Contains(out, "Usage:\n  libra") {
			t.Errorf("libra %s --help has no example or no usage:\n%s", command, out)
		}
	}
	for typed, want := range map[string]string{
		"simulate-grid --policy mf-edf,hard-m": "mf-edf,hard-mo",
		"simulate-grid --set r":                "refuse=infeasible",
		"simulate-grid --set h":                "hurdle=0.4",
		"simulate-grid --sites ":               "csv",
		"simulate-g":                           "simulate-grid",
	} {
		r := libra(t, append([]string{"__complete"}, strings.Split(typed, " ")...)...)
		if r.code != exitOK || !strings.Contains(r.out, want) {
			t.Errorf("completing %q: exit code %d, got %q, want %q in it", typed, r.code, r.out, want)
		}
	}
}

// An interrupted run says so, fails, and leaves no half of a table behind;
// waiting for standard input can be interrupted too.
func TestGridInterrupt(t *testing.T) {
	apps := file(t, "apps.csv", fourApps)
	dir := t.TempDir()
	for _, from := range []string{apps, "-"} {
		ctx, cancel := context.WithCancel(t.Context())
		never := blocked{entered: make(chan struct{}), release: make(chan struct{})}
		if from == "-" {
			go func() {
				<-never.entered
				cancel()
			}()
		} else {
			cancel()
		}
		var out, said bytes.Buffer
		args := []string{"simulate-grid", "--policy", "mf-edf", "--workload", from, "--apps", filepath.Join(dir, "table.csv")}
		if code := run(ctx, args, never, &out, &said); code != exitFailure || said.String() != "libra: interrupted\n" || out.Len() > 0 {
			t.Errorf("from %s: exit code %d, said %q, wrote %q", from, code, said.String(), out.String())
		}
		cancel()
		close(never.release)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v behind (%v)", left, err)
	}
}
