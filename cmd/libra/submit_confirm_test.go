package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
)

// typed runs a command on a terminal at which somebody types, and is what they see.
func typed(t *testing.T, keys string, args ...string) (code int, seen string) {
	t.Helper()
	inner, outer := terminal(t)
	said := make(chan string)
	go func() {
		text, _ := io.ReadAll(outer) // it ends with an error when the other side is closed
		said <- string(text)
	}()
	if _, err := outer.WriteString(keys); err != nil {
		t.Fatal(err)
	}
	code = run(t.Context(), args, inner, inner, inner)
	_ = inner.Close()
	return code, strings.ReplaceAll(<-said, "\r", "")
}

// On a terminal somebody is asked before much is spent, and a script never.
func TestSubmitAsksBeforeMuchIsSpent(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		args       []string
		taken      bool
		asked      bool
	}{
		{"yes", "y\n", nil, true, true},
		{"no", "n\n", nil, false, true},
		{"nothing", "\n", nil, false, true},
		{"told not to ask", "n\n", []string{"--yes"}, true, false},
		{"with a budget", "y\n", []string{"-b", "7"}, true, true},
		{"kept back", "y\n", []string{"--hold"}, true, true},
		{"less than the threshold", "n\n", []string{"--ask-above", "2"}, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFloor()
			f.answer = accept(func(*v1.Job) {})
			f.preview = func(r v1.Request) api.Outcome {
				return api.Outcome{Quote: &v1.Quote{Request: r, Price: 1_250_000, Firm: true, FinishUS: micro(600)}}
			}
			open(t, f, v1.RoleUser)
			args := append(append([]string{"submit"}, c.args...), "-e", "2m", "-d", "10m", "--", "./simulate")
			code, seen := typed(t, c.keys, args...)
			if held := strings.Contains(seen, "7.00 cr until it ends"); held != slices.Contains(c.args, "-b") {
				t.Errorf("what is held is said: %v\n%s", held, seen)
			}
			if later := strings.Contains(seen, "nothing promised before it can begin"); later != slices.Contains(c.args, "--hold") || later && strings.Contains(seen, ", promised") {
				t.Errorf("that nothing is promised is said: %v\n%s", later, seen)
			}
			asked := strings.Contains(seen, "hand it in? [y/N]") && strings.Contains(seen, "1.25 cr") && strings.Contains(seen, "free in")
			if taken := strings.Contains(seen, "job 12 accepted"); taken != c.taken || asked != c.asked || (code == exitOK) != c.taken {
				t.Errorf("exit code %d, taken %t, asked %t:\n%s", code, taken, asked, seen)
			}
		})
	}
	f := newFloor()
	f.answer = accept(func(*v1.Job) {})
	open(t, f, v1.RoleUser)
	if r := libra(t, "submit", "-e", "2m", "--", "./simulate"); r.code != exitOK || r.err != "" {
		t.Errorf("a script was asked: %+v", r)
	}
}

// Whoever waits sees what the job writes and what it cost; and the market's no is not
// an exit code that jobs have.
func TestWhoWaitsSeesTheJob(t *testing.T) {
	f := newFloor()
	f.answer = accept(func(j *v1.Job) {
		j.StartedUS, j.Places = micro(0), []v1.Place{{Node: "n1"}}
		f.Put(*j)
		f.Write(12, "hello\n")
		ended := *j
		ended.State, ended.EndedUS, ended.Charged = v1.Completed, micro(90*time.Second), 1_250_000
		ended.Receipt = &v1.Receipt{Job: 12, Lines: []v1.ReceiptLine{{What: "price as agreed", Amount: 1_250_000}}, Charged: 1_250_000}
		time.AfterFunc(10*time.Millisecond, func() {
			f.Write(12, "hello\nworld\n")
			f.Put(ended)
			f.Say(v1.Notice{Kind: "job", Owner: "alice", Job: &v1.JobNotice{ID: 12, State: ended.State}})
		})
	})
	open(t, f, v1.RoleUser)
	patience(t, 20*time.Millisecond)
	r := libra(t, "submit", "--wait", "-e", "2m", "--", "./simulate")
	if r.code != exitOK || !strings.Contains(r.out, "hello\nworld\njob 12 completed") || !strings.Contains(r.out, "  price as agreed  1.25 cr\n  charged          1.25 cr\n") {
		t.Errorf("%+v", r)
	}
	if strings.Contains(r.out+r.err, "\x1b") {
		t.Errorf("a file is not drawn on: %q %q", r.out, r.err)
	}
	f.answer = func(trade.Command) (api.Outcome, error) {
		return api.Outcome{Refusal: &v1.Refusal{Reason: "cannot_meet_budget", Detail: "it costs 2.00, and its budget is 1.00"}}, nil
	}
	if r = libra(t, "submit", "--wait", "-e", "2m", "--", "./simulate"); r.code != exitNotTaken {
		t.Errorf("with --wait: %+v", r)
	}
	if r = libra(t, "submit", "-e", "2m", "--", "./simulate"); r.code != exitRefused {
		t.Errorf("without: %+v", r)
	}
}
