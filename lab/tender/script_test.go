package tender_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/*.txt; review the diff by hand")

// Every play in testdata tells some rules of docs/semantics.md, section 4:
// comments say what must happen and why, worked out by hand; commands set the stage.
//
//	stage                                     an empty grid
//	site S processors=2 mips=1                one more site
//	app a arrival=0 p=1 m=4 o=10 deadline=20 bm=4 rate=0.5 [budget=0:0;4:2 in place of rate]
//	run mf-edf [refuse=infeasible]            plays it, and tells what became of each
//
// An answer ends at the first empty line.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := perform(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(text) {
				t.Errorf("the play went differently:\n%s", got)
			}
		})
	}
}

// stage is what a script has set up.
type stage struct {
	sites []grid.Resource
	apps  []grid.Application
}

// perform plays a script and returns it with the answers it got.
func perform(t *testing.T, script string) string {
	t.Helper()
	var out strings.Builder
	var s stage
	answer := false
	for line := range strings.SplitSeq(strings.TrimRight(script, "\n"), "\n") {
		words := strings.Fields(line)
		if answer = answer && len(words) > 0; answer {
			continue
		}
		out.WriteString(line + "\n")
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		switch words[0] {
		case "stage":
			s = stage{}
		case "site":
			v := values(t, words[2:])
			s.sites = append(s.sites, grid.Resource{Name: words[1], Processors: int(v.number("processors")), MIPS: v.number("mips")})
		case "app":
			s.apps = append(s.apps, application(t, words[1], values(t, words[2:])))
		case "run":
			out.WriteString("----\n" + s.run(t, words[1], values(t, words[2:])))
			answer = true
		default:
			t.Fatalf("no such command: %s", line)
		}
	}
	return out.String()
}

type arguments struct {
	t    *testing.T
	text map[string]string
}

func values(t *testing.T, words []string) arguments {
	t.Helper()
	v := arguments{t, map[string]string{}}
	for _, word := range words {
		name, value, found := strings.Cut(word, "=")
		if !found {
			t.Fatalf("%q is not name=value", word)
		}
		v.text[name] = value
	}
	return v
}

func (v arguments) number(name string) float64 {
	v.t.Helper()
	if v.text[name] == "" {
		return 0
	}
	x, err := strconv.ParseFloat(v.text[name], 64)
	if err != nil {
		v.t.Fatal(err)
	}
	return x
}

func application(t *testing.T, id string, v arguments) grid.Application {
	t.Helper()
	a := grid.Application{
		ID: id, Arrival: market.Time(v.number("arrival")), Jobs: int(v.number("p")),
		Mandatory: market.Work(v.number("m")), Optional: market.Work(v.number("o")),
		Deadline: market.Time(v.number("deadline")), Worth: market.Price(v.number("bm")),
	}
	err := a.Validate()
	if err != nil {
		t.Fatal(err)
	}
	if text := v.text["budget"]; text != "" {
		a.Budget, err = grid.ParseBudget(text)
	} else {
		a.Budget, err = grid.Linear(market.Price(v.number("rate")))
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (s *stage) run(t *testing.T, policy string, v arguments) string {
	t.Helper()
	p, err := grid.FindPolicy(policy)
	if err != nil {
		t.Fatal(err)
	}
	refuse := tender.NoGain
	if text := v.text["refuse"]; text != "" {
		if refuse, err = tender.ParseRefuse(text); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "id\tsite\tgain\tmandatory_finish\tend\toptional_mi\tbudget")
	for _, o := range runGrid(t, s.sites, p, refuse, 0, s.apps) {
		if !o.Accepted {
			fmt.Fprintf(table, "%s\trefused: %s\n", o.ID, o.Reason)
			continue
		}
		r := &o.Receipt
		fmt.Fprintf(table, "%s\t%s\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n", o.ID, o.Site, o.Gain, r.Mandatory, r.End, r.Optional, r.Paid)
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
