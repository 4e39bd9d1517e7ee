package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

func someJobs() v1.JobPage {
	return v1.JobPage{Jobs: []v1.Job{
		{ID: 3, Owner: "ada", Name: "fold", State: v1.Completed, Price: 2_000_000, Charged: 1_500_000, Width: 2, SubmittedUS: 3e6, EndedUS: 9e6},
		{
			ID: 2, Owner: "bob", Name: `=HYPERLINK("x")`, State: v1.Running, Price: 5_000_001, CostNow: 250_000, Width: 1, SubmittedUS: 2e6, StartedUS: 4e6, Share: 0.25,
			Places: []v1.Place{{Node: "n1"}, {Node: "n1", Processor: 1}, {Node: "n2"}},
		},
		{ID: 1, Owner: "ada", Name: "zip", State: v1.Rejected, Reason: "cannot_meet_budget", Price: 900_000, Width: 4, SubmittedUS: 1e6},
	}}
}

func printed(t *testing.T, look jobsLook, owners bool) string {
	t.Helper()
	var out bytes.Buffer
	if err := look.print(&out, false, someJobs(), owners); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAListOfJobsInEveryForm(t *testing.T) {
	if got := printed(t, jobsLook{look{form: asNames, sortBy: "price"}}, false); got != "1\n3\n2\n" {
		t.Errorf("by price: %q", got)
	}
	if got := printed(t, jobsLook{look{form: asNames, sortBy: "-procs"}}, false); got != "1\n3\n2\n" {
		t.Errorf("most processors first: %q", got)
	}
	if got := printed(t, jobsLook{look{form: asNames, sortBy: "user"}}, false); got != "3\n1\n2\n" {
		t.Errorf("by user, newest first where that is the same: %q", got)
	}
	// Amounts are exact, times have a zone, and no cell is a formula to a spreadsheet.
	got := printed(t, jobsLook{look{form: asCSV, format: []string{"job", "name", "price", "cost", "started", "nodes", "why"}}}, false)
	want := "job,name,price,cost,started,nodes,why\n3,fold,2,1.5,,,\n2,\"'=HYPERLINK(\"\"x\"\")\",5.000001,0.25,1970-01-01T00:00:04Z,\"n1,n2\",\n1,zip,0.9,0,,,cannot_meet_budget\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if head, _, _ := strings.Cut(printed(t, jobsLook{look{form: asTable}}, false), "\n"); strings.Contains(head, "user") || !strings.Contains(head, "due in") {
		t.Errorf("one's own list: %q", head)
	}
	if head, _, _ := strings.Cut(printed(t, jobsLook{look{form: asTable}}, true), "\n"); !strings.Contains(head, "user") {
		t.Errorf("the owner's list does not say whose: %q", head)
	}
	// Names are to the left, wherever they stand, and amounts to the right.
	if got := printed(t, jobsLook{look{form: asTable, format: []string{"job", "name", "cost"}}}, false); !strings.HasPrefix(got, "job  name  ") || !strings.Contains(got, "\n3    fold  ") || !strings.Contains(got, " 0.25\n1    zip  ") {
		t.Errorf("named columns:\n%s", got)
	}
	for _, look := range []jobsLook{{look{form: "xml"}}, {look{form: asTable, format: []string{"prize"}}}, {look{form: asTable, sortBy: "-prize"}}} {
		if err := look.print(&bytes.Buffer{}, false, someJobs(), false); exitCode(err) != exitUsage {
			t.Errorf("%+v: %v", look, err)
		}
	}
}

// A job of which no node has said that it runs is not shown as running; to programs
// its state is what it was.
func TestAJobThatIsStartingIsShownSo(t *testing.T) {
	jobs := v1.JobPage{Jobs: []v1.Job{{ID: 1, State: v1.Running, Starting: true}, {ID: 2, State: v1.Running}}}
	for form, want := range map[string][2]string{asTable: {"starting", "running"}, asCSV: {"running", "running"}} {
		var out bytes.Buffer
		if err := (&jobsLook{look{form: form, format: []string{"job", "state"}}}).print(&out, false, jobs, false); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		if len(lines) < 3 || !strings.HasSuffix(strings.TrimSpace(lines[1]), want[0]) || !strings.HasSuffix(strings.TrimSpace(lines[2]), want[1]) {
			t.Errorf("as %s:\n%s", form, out.String())
		}
	}
	var out bytes.Buffer
	if err := printJob(&out, &jobs.Jobs[0]); err != nil || !strings.Contains(out.String(), "starting") || strings.Contains(out.String(), "running") {
		t.Errorf("by itself: %v\n%s", err, out.String())
	}
}

func TestWhichJobsAreMeant(t *testing.T) {
	slurms, last := func(id int64) jobName { return jobName{id: id, batch: true} }, jobName{last: true}
	for text, want := range map[string][]jobName{
		"12": {{id: 12}}, "12-14": {{id: 12}, {id: 13}, {id: 14}}, "3,5-6": {{id: 3}, {id: 5}, {id: 6}}, "last": {last}, "last,2": {last, {id: 2}},
		"slurm:4711": {slurms(4711)}, "slurm:3-4,7": {slurms(3), slurms(4), {id: 7}}, "libra:12": {{id: 12}},
	} {
		if got, err := jobsNamed(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"slurm:", "slurm:0", "slurm:last", "slurm:libra:3", "libra:", "", "x", "-1", "5-3", "1-", "+4", "1-2-3", "0-1000", "1,,2", "1-9223372036854775807"} {
		if got, err := jobsNamed(text); exitCode(err) != exitUsage {
			t.Errorf("%q is taken for %v (%v)", text, got, err)
		}
	}
	if _, err := oneJob("1-2"); exitCode(err) != exitUsage {
		t.Errorf("two jobs where one is wanted: %v", err)
	}
}
