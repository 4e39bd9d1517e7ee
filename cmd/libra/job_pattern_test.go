package main

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

func TestNamesOfJobs(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{"", []string{"", "fold"}, nil},
		{"fold", []string{"fold"}, []string{"", "fold1", "unfold", "unfolding"}},
		{"fold*", []string{"fold", "fold1", "fold/a b"}, []string{"unfold", "Fold"}},
		{"*fold", []string{"fold", "unfold", "foldfold"}, []string{"fold1"}},
		{"*fold*", []string{"fold", "unfolding"}, []string{"flood"}},
		{"a*a", []string{"aa", "aba"}, []string{"a", "ab"}},
		{"a*bc*bc", []string{"abcbc", "axbcbcbc"}, []string{"abc", "abcb"}},
		{"*", []string{"", "fold"}, nil},
		{"[a", []string{"[a"}, []string{"a"}},
		{"a?", []string{"a?"}, []string{"ab"}},
	} {
		p := jobPattern(c.pattern)
		for _, name := range append(append([]string{}, c.yes...), c.no...) {
			want := strings.Contains("\n"+strings.Join(c.yes, "\n")+"\n", "\n"+name+"\n")
			if p.fits(name) != want {
				t.Errorf("%q: %q is meant: %v", c.pattern, name, !want)
			}
			if want && !strings.Contains(name, p.within()) {
				t.Errorf("%q: a server that looks for %q does not find %q", c.pattern, p.within(), name)
			}
		}
	}
}

// The help's own line cancels the jobs of that name, and no others.
func TestJobsOfANameAreNoOthers(t *testing.T) {
	f := newFloor()
	for i, name := range []string{"fold", "fold1", "fold2", "unfolding", "fold", "other"} {
		f.Put(v1.Job{ID: int64(i + 1), Owner: "alice", Name: name, State: v1.Running})
	}
	open(t, f, v1.RoleUser)
	for _, c := range []struct {
		name, limit, want string
	}{
		{"fold", "20", "5\n1\n"},
		{"fold*", "20", "5\n3\n2\n1\n"},
		{"*fold*", "20", "5\n4\n3\n2\n1\n"},
		{"fol", "20", ""},
		{"fold", "1", "5\n"},
		{"*", "2", "6\n5\n"},
	} {
		if got := mustLibra(t, "jobs", "--name", c.name, "--state", "live", "--limit", c.limit, "-o", "name"); got != c.want {
			t.Errorf("--name %s: %q, want %q", c.name, got, c.want)
		}
	}
	page := parse[v1.JobPage](t, mustLibra(t, "jobs", "--name", "fold", "--limit", "1", "--json"))
	if len(page.Jobs) != 1 || page.Next != 5 {
		t.Errorf("a page of %d jobs, the next before %d, want 1 and 5", len(page.Jobs), page.Next)
	}
	for i := range 6 {
		f.Put(v1.Job{ID: int64(i + 7), Owner: "alice", Name: "fold9", State: v1.Running})
	}
	if got := mustLibra(t, "cancel", "--all", "--name", "fold", "--yes"); strings.Count(got, "\n") != 2 {
		t.Errorf("cancel --all --name fold: %s", got)
	}
}
