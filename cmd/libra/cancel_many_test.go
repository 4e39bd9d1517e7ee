package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

func TestManyJobsAreNamedWithCare(t *testing.T) {
	for _, c := range []struct {
		many cancelMany
		args []string
		ok   bool
	}{
		{cancelMany{all: true}, nil, true},
		{cancelMany{all: true, name: "fold*", states: []string{"waiting", "running"}}, nil, true},
		{cancelMany{}, []string{"12"}, true},
		{cancelMany{}, nil, false},
		{cancelMany{all: true}, []string{"12"}, false},
		{cancelMany{name: "fold*"}, []string{"12"}, false},
		{cancelMany{all: true, name: "[a"}, nil, true},
		{cancelMany{all: true, states: []string{"completed"}}, nil, false},
	} {
		if err := c.many.check(c.args); (err == nil) != c.ok {
			t.Errorf("%+v %v: %v", c.many, c.args, err)
		}
	}
	waiting := cancelMany{all: true, states: []string{"waiting"}}
	if got, err := waiting.wanted(); err != nil || len(got) != 2 || got[0].Final() || got[1].Final() {
		t.Errorf("waiting is %v, %v", got, err)
	}
}

// Where nobody can be asked, nothing is cancelled without a word.
func TestManyJobsEndOnlyIfSomebodySaysSo(t *testing.T) {
	jobs := []v1.Job{{ID: 1}, {ID: 2}}
	con := newConsole(strings.NewReader("y\n"), &bytes.Buffer{}, &bytes.Buffer{})
	if err := (&cancelMany{all: true}).confirm(con, jobs); exitCode(err) != exitUsage {
		t.Errorf("without a terminal: %v", err)
	}
	if err := (&cancelMany{all: true, yes: true}).confirm(con, jobs); err != nil {
		t.Errorf("with --yes: %v", err)
	}
}
