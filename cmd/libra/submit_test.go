package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/directive"
	"github.com/libra-market/libra/live/wire"
)

// accept answers a submission with a job.
func accept(change func(*v1.Job)) func(trade.Command) (api.Outcome, error) {
	return func(c trade.Command) (api.Outcome, error) {
		if c.Submit == nil {
			return api.Outcome{}, errors.New("not a submission")
		}
		j := v1.Job{
			ID: 12, Owner: c.By.User, Name: c.Submit.Request.Name, State: v1.Running, Request: wire.Request(&c.Submit.Request), Price: 1_250_000,
			DueUS: micro(10 * time.Minute), PromisedUS: micro(10 * time.Minute), Firm: true, Width: 1,
		}
		change(&j)
		return api.Outcome{Job: &j}, nil
	}
}

func TestSubmitSaysWhatBecameOfIt(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*v1.Job)
	}{
		{"job 12 accepted: 1.25 cr for it, done by 12:10:00 (in 10m)\n", func(*v1.Job) {}},
		{
			"job 12 accepted: 1.25 cr for it, done by 2126-11-16 12:00:00 UTC (in 24h)\n",
			func(j *v1.Job) { j.PromisedUS = micro(24 * time.Hour) },
		},
		{"job 12 accepted: 1.25 cr for it, without a deadline\n", func(j *v1.Job) { j.DueUS, j.PromisedUS, j.Firm = 0, 0, false }},
		{
			"job 12 queued: 1.25 cr for it, wanted by 12:10:00 (in 10m), nothing promised before it starts\n",
			func(j *v1.Job) { j.State, j.Firm, j.PromisedUS = v1.Queued, false, 0 },
		},
		{
			"job 12 is held: it begins after jobs 3, 4 and 5\n",
			func(j *v1.Job) { j.State, j.Request.After = v1.Held, []int64{3, 4, 5} },
		},
		{
			"job 12 accepted: 1.25 cr for it and 0.05 cr a second for what it adds until then, done by 12:10:00 (in 10m)\n",
			func(j *v1.Job) { j.Request.Optional = &v1.Optional{WorkMS: 60_000, RateMicros: 50_000} },
		},
		{
			"job 12 (50 elements) accepted: 1.25 cr for it, done by 12:10:00 (in 10m)\n",
			func(j *v1.Job) { j.Request.Array = &v1.Array{First: 0, Last: 99, Step: 2} },
		},
	} {
		f := newFloor()
		f.answer = accept(c.change)
		open(t, f, v1.RoleUser)
		if got := mustLibra(t, "submit", "-e", "2m", "--", "./simulate"); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Three numbers are a length of time, of a deadline as of an estimate, and whoever may
// have meant a time of day is told.
func TestADeadlineThatLooksLikeATimeOfDay(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	r := libra(t, "submit", "-e", "0:30:00", "-d", "1:30:00", "--", "x")
	if got := f.last(t).Submit.Request; got.DeadlineMS != 5_400_000 || got.EstimateMS != 1_800_000 {
		t.Errorf("asked for %d within %d", got.EstimateMS, got.DeadlineMS)
	}
	if want := "libra: --deadline 1:30:00 from now (at 1:30:00 would be a time of day)\n"; r.code != exitOK || r.err != want {
		t.Errorf("exit code %d, said %q, want %q", r.code, r.err, want)
	}
	mustLibra(t, "submit", "-e", "2m", "-d", "at 13:30:00", "--", "x")
	if got := f.last(t).Submit.Request.DeadlineMS; got != 5_400_000 { // it is noon
		t.Errorf("asked for %d", got)
	}
	path := file(t, "job.yaml", "details: {command: [x], runtime_estimate: 5 min}\nqos: {deadline: tomorrow 9:00}\n")
	mustLibra(t, "submit", "-f", path)
	if got := f.last(t).Submit.Request; got.EstimateMS != 300_000 || got.DeadlineMS != 21*3_600_000 {
		t.Errorf("asked for %d within %d", got.EstimateMS, got.DeadlineMS)
	}
}

// What flags say reaches the market, with a place, a name and a small
// environment, under a key of its own.
func TestSubmitAProgram(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	t.Setenv("PATH", "/bin")
	t.Setenv("LANG", "C")
	t.Setenv("LC_ALL", "")
	t.Setenv("TZ", "UTC")
	t.Setenv("SECRET", "x")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	mustLibra(t, "submit", "--estimate", "2m", "-d", "14:30", "-b", "5", "--penalty", "0.1", "--soft", "-n", "2", "--memory", "1G",
		"--env", "A=b", "--env", "C=d,e", "--tags", "x,y", "--overrun", "late", "--no-restart", "--after", "1,2",
		"--", "bin/simulate", "-d", "9")
	five := int64(5_000_000)
	got, err := json.Marshal(f.last(t).Submit.Request)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(v1.Request{
		Name: "simulate", Argv: []string{"bin/simulate", "-d", "9"}, Dir: here,
		Env: []string{"A=b", "C=d,e", "LANG=C", "LC_ALL=", "PATH=/bin", "TZ=UTC"}, EstimateMS: 120_000, DeadlineMS: 9_000_000, Soft: true,
		Budget: &five, PenaltyMicros: 100_000, Processors: 2, MemoryMB: 1024, Overrun: v1.OverrunLate, NoRestart: true,
		After: []int64{1, 2}, Tags: []string{"x", "y"},
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, string(got), string(want))

	mustLibra(t, "submit", "-e", "2m", "--key", "mine", "--", "x")
	mustLibra(t, "submit", "-e", "2m", "--", "x")
	if len(f.keys) != 3 || f.keys[0] == "" || f.keys[1] != "mine" || f.keys[2] == "" || f.keys[0] == f.keys[2] {
		t.Errorf("keys %q, want one of its own for each, and the one that was named", f.keys)
	}
	// The same key twice is one job.
	first := mustLibra(t, "submit", "-e", "2m", "--key", "again", "--", "x")
	if second := mustLibra(t, "submit", "-e", "2m", "--key", "again", "--", "x"); second != first {
		t.Errorf("%q, then %q", first, second)
	}
}

// The token does not travel with the environment.
func TestExportAllKeepsTheToken(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	kept, err := readContext()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("LIBRA_TOKEN", kept.Token)
	t.Setenv("FOO", "bar")
	mustLibra(t, "submit", "-e", "2m", "--export", "all", "--", "x")
	env := f.last(t).Submit.Request.Env
	if !slices.Contains(env, "FOO=bar") || slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "LIBRA_TOKEN=") }) {
		t.Errorf("the job gets %q", env)
	}
}

const slurmScript = `#!/bin/sh
#SBATCH -J theirs -t 60 --mem=2G -p short
#LIBRA estimate=5m budget=3
#SBATCH --comment=budget=9
echo "$@"
`

// Who says --array makes what the script says of its size that of an element.
func TestSubmitAScriptAsAnArray(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	path := file(t, "job.sh", "#!/bin/sh\n#SBATCH -n 4 -t 1\ntrue\n")
	if r := libra(t, "submit", "--array", "1-3", path); r.code != exitOK {
		t.Fatalf("%+v", r)
	}
	if got := f.last(t).Submit.Request; got.Processors != 4 || got.Threads != 4 || got.Array == nil || got.Array.Last != 3 {
		t.Errorf("got %+v", got)
	}
}

// Flags beat #LIBRA lines, and those beat the others.
func TestSubmitAScript(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	path := file(t, "job.sh", slurmScript)
	r := libra(t, "submit", "--estimate", "30s", path, "--estimate", "is the script's")
	if r.code != exitOK || r.err != "" {
		t.Errorf("%+v", r)
	}
	got := f.last(t).Submit.Request
	if got.EstimateMS != 30_000 || got.Budget == nil || *got.Budget != 3_000_000 || got.Name != "theirs" || got.MemoryMB != 2048 || got.Partition != "short" {
		t.Errorf("got %+v", got)
	}
	if got.Script != slurmScript || !slices.Equal(got.Argv, []string{"--estimate", "is the script's"}) {
		t.Errorf("script %q, arguments %q", got.Script, got.Argv)
	}
	if r := libraIn(t, slurmScript, "submit", "-"); r.code != exitOK || f.last(t).Submit.Request.EstimateMS != 300_000 {
		t.Errorf("from standard input: %+v", r)
	}
	if r := libra(t, "submit", "--name", "mine", "--dir", "below", path); r.code != exitOK {
		t.Errorf("%+v", r)
	}
	if got := f.last(t).Submit.Request; got.Name != "mine" || !filepath.IsAbs(got.Dir) || filepath.Base(got.Dir) != "below" {
		t.Errorf("got %+v", got)
	}
}

func TestSubmitMistakes(t *testing.T) {
	noContext(t)
	still(t)
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"submit"}, exitUsage, []string{"nothing to run", "libra submit --estimate 2m"}},
		{[]string{"submit", "--", "ls"}, exitUsage, []string{"--estimate is missing", "libra submit --estimate 2m", "#LIBRA estimate=2m"}},
		{[]string{"submit", "-e", "x", "--", "ls"}, exitUsage, []string{"--estimate", `"x"`, "90s"}},
		{[]string{"submit", "-e", "1m", "-d", "11:59:61", "--", "ls"}, exitUsage, []string{"--deadline", "14:30"}},
		{[]string{"submit", "-e", "1m", "--soft", "--", "ls"}, exitUsage, []string{"--soft: want a --deadline"}},
		{[]string{"submit", "-e", "1m", "--env", "A", "--", "ls"}, exitUsage, []string{"--env", "NAME=value"}},
		{[]string{"submit", "-e", "1m", "--array", "1-3", "-n", "2", "--", "ls"}, exitUsage, []string{"--procs", "each element"}},
		{[]string{"submit", "-e", "1m", "nowhere.sh"}, exitFailure, []string{"nowhere.sh"}},
		{[]string{"submit", "-e", "1m", file(t, "a.out", "\x7fELF\x00")}, exitUsage, []string{"a.out is not a script", "-- "}},
		{[]string{"submit", "-e", "1m", file(t, "bare", "echo\n")}, exitFailure, []string{"bare", "#!/bin/sh"}},
		{
			[]string{"submit", file(t, "x.sh", "#!/bin/sh\n#LIBRA dedline=5m\n")},
			exitFailure,
			[]string{"x.sh:2", "dedline", "did you mean deadline?"},
		},
		{[]string{"quote", "--preview", "--ttl", "5m", "-e", "1m"}, exitUsage, []string{"--ttl"}},
		{[]string{"quote"}, exitUsage, []string{"--estimate is missing"}},
	} {
		r := libra(t, c.args...)
		if r.code != c.code || r.out != "" || strings.Count(r.err, "\n") != 1 {
			t.Errorf("libra %v: %+v, want exit code %d and one line", c.args, r, c.code)
		}
		for _, part := range c.want {
			if !strings.Contains(r.err, part) {
				t.Errorf("libra %v said %q, want %q in it", c.args, r.err, part)
			}
		}
	}
}

func no(withProgram bool) *v1.Refusal {
	cheap, five := int64(3_200_000), int64(5_000_000)
	r := v1.Request{EstimateMS: 240_000, DeadlineMS: 720_000, Budget: &five}
	if withProgram {
		r.Argv = []string{"./simulate"}
	}
	dear := r
	dear.DeadlineMS, dear.Budget = 300_000, &cheap
	return &v1.Refusal{
		Reason: "cannot_meet_deadline", Detail: "no processor is free enough by then", Job: 12,
		Offers: []v1.Offer{
			{Change: "deadline", Detail: "deadline 12m instead of 5m, for 3.20", Quote: v1.Quote{ID: "q12a", Request: r, ExpiresUS: micro(time.Minute)}},
			{Change: "budget", Detail: "budget 3.20 instead of 1", Quote: v1.Quote{Request: dear}},
		},
	}
}

// A no comes with what would be taken, and how to take it.
func TestARefusalSaysHowToGoOn(t *testing.T) {
	f := newFloor()
	f.answer = func(trade.Command) (api.Outcome, error) { return api.Outcome{Refusal: no(true)}, nil }
	server := open(t, f, v1.RoleUser)
	r := libra(t, "submit", "-e", "4m", "-d", "5m", "--", "./simulate")
	if r.code != exitRefused || r.out != "" {
		t.Errorf("exit code %d, wrote %q", r.code, r.out)
	}
	same(t, r.err, `
libra: the market said no (cannot_meet_deadline): no processor is free enough by then [job 12]
libra: it would take instead:
libra:   deadline 12m instead of 5m, for 3.20
libra:     libra submit --quote q12a   # until 12:01:00
libra:   budget 3.20 instead of 1
libra:     with --estimate 4m --deadline 5m --budget 3.2
`)
	r = libra(t, "submit", "--server", server.URL, "--json", "-e", "4m", "-d", "5m", "--", "./simulate")
	var problem v1.Problem
	if err := json.Unmarshal([]byte(r.out), &problem); err != nil || r.code != exitRefused {
		t.Fatalf("%v: %+v", err, r)
	}
	if problem.Reason != "cannot_meet_deadline" || len(problem.Offers) != 2 || problem.Offers[0].Quote.ID != "q12a" {
		t.Errorf("got %+v", problem)
	}
	if want := "libra submit --server " + server.URL + " --quote q12a "; !strings.Contains(r.err, want) {
		t.Errorf("said %q, want %q in it", r.err, want)
	}
	// A quote without a program leaves that to be named.
	f.answer = func(trade.Command) (api.Outcome, error) { return api.Outcome{Refusal: no(false)}, nil }
	if r := libra(t, "quote", "-e", "4m", "-d", "5m"); r.code != exitRefused || !strings.Contains(r.err, "libra submit --quote q12a -- PROGRAM ARGS...") {
		t.Errorf("%+v", r)
	}
}

// Taking a quote sends no terms of its own, so that none can differ.
func TestTakingAQuote(t *testing.T) {
	f := newFloor()
	f.answer = accept(func(*v1.Job) {})
	open(t, f, v1.RoleUser)
	mustLibra(t, "submit", "--quote", "q12a")
	if s := f.last(t).Submit; s.Quote != "q12a" || s.Request.HasProgram() || s.Request.Dir != "" || s.Request.EstimateMS != 0 {
		t.Errorf("got %+v", s)
	}
	mustLibra(t, "submit", "--quote", "q12", "--", "./simulate", "x")
	if s := f.last(t).Submit; s.Quote != "q12" || !slices.Equal(s.Request.Argv, []string{"./simulate", "x"}) || s.Request.EstimateMS != 0 {
		t.Errorf("got %+v", s)
	}
}

// With --wait a command ends as its job does.
func TestSubmitAndWait(t *testing.T) {
	for _, c := range []struct {
		name   string
		code   int
		out    string
		err    string
		change func(*v1.Job)
	}{
		{
			"success", 0, "job 12 completed after 1m30s: 1.25 cr charged, 0.03 cr paid back for being late\n", "",
			func(j *v1.Job) { j.State, j.Penalty = v1.Completed, 30_000 },
		},
		{"exit code", 4, "", "libra: job 12 failed: exit status 4\n", func(j *v1.Job) {
			j.State, j.Tasks = v1.Failed, []v1.TaskStatus{{State: v1.TaskEnded}, {State: v1.TaskEnded, Exit: 4}}
		}},
		{"an exit code that is ours too", 2, "", "libra: job 12 failed: exit status 2\n", func(j *v1.Job) {
			j.State, j.Tasks = v1.Failed, []v1.TaskStatus{{State: v1.TaskEnded, Exit: 2}}
		}},
		{"signal", 137, "", "libra: job 12 failed: out of memory\n", func(j *v1.Job) {
			j.State, j.Detail, j.Tasks = v1.Failed, "out of memory", []v1.TaskStatus{{State: v1.TaskEnded, Signal: "SIGKILL"}}
		}},
		{"element", 5, "", "libra: job 12 failed: exit status 5\n", func(j *v1.Job) {
			j.State, j.Tasks = v1.Failed, []v1.TaskStatus{{State: v1.TaskEnded, Elements: []v1.TaskElement{{Index: 1}, {Index: 2, Exit: 5}}}}
		}},
		{"cancelled", 1, "", "libra: job 12 cancelled\n", func(j *v1.Job) { j.State = v1.Cancelled }},
		{"refused in the end", exitNotTaken, "", "libra: job 12 refused: too late\n", func(j *v1.Job) { j.State, j.Detail = v1.Rejected, "too late" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFloor()
			f.answer = accept(func(j *v1.Job) {
				f.Put(*j) // it runs
				ended := *j
				ended.StartedUS, ended.EndedUS, ended.Charged = micro(0), micro(90*time.Second), 1_250_000
				c.change(&ended)
				time.AfterFunc(10*time.Millisecond, func() {
					f.Put(ended)
					f.Say(v1.Notice{Kind: "job", Owner: "alice", Job: &v1.JobNotice{ID: 12, State: ended.State}})
				})
			})
			open(t, f, v1.RoleUser)
			patience(t, 20*time.Millisecond)
			r := libra(t, "submit", "--wait", "-e", "2m", "--", "./simulate")
			want := "job 12 accepted: 1.25 cr for it, done by 12:10:00 (in 10m)\n" + c.out
			if r.code != c.code || r.out != want || r.err != c.err {
				t.Errorf("%+v\nwant %d, %q, %q", r, c.code, want, c.err)
			}
		})
	}
}

// patience sets how long commands wait before they look again.
func patience(t *testing.T, d time.Duration) {
	t.Helper()
	wait, watch := waitEvery, watchEvery
	waitEvery, watchEvery = d, d
	t.Cleanup(func() { waitEvery, watchEvery = wait, watch })
}

// Every word of #LIBRA lines is a flag, and the other way round.
func TestFlagsAreTheWordsOfScripts(t *testing.T) {
	con := &console{}
	for _, cmd := range jobCommands(con) {
		if cmd.Name() != "submit" && cmd.Name() != "quote" {
			continue
		}
		for _, term := range directive.Terms() {
			if cmd.Flags().Lookup(term) == nil {
				t.Errorf("libra %s has no --%s", cmd.Name(), term)
			}
		}
	}
	for _, term := range termHelp {
		if !isTerm(term.name) {
			t.Errorf("#LIBRA lines have no %s", term.name)
		}
	}
}

// With --json there is one result, the end; and who stops waiting is told that
// the job goes on.
func TestWaitingForPrograms(t *testing.T) {
	f := newFloor()
	f.answer = accept(func(j *v1.Job) {
		ended := *j
		ended.State, ended.Tasks = v1.Failed, []v1.TaskStatus{{State: v1.TaskEnded, Exit: 4}}
		f.Put(ended)
	})
	open(t, f, v1.RoleUser)
	r := libra(t, "submit", "--wait", "--json", "-e", "2m", "--", "./simulate")
	var job v1.Job
	if err := json.Unmarshal([]byte(r.out), &job); err != nil || job.State != v1.Failed || r.code != 4 {
		t.Errorf("%v: %+v", err, r)
	}

	ctx, cancel := context.WithCancel(t.Context())
	f.answer = accept(func(j *v1.Job) { f.Put(*j) })
	out, said := &turning{turns: []func(){cancel}}, bytes.Buffer{}
	code := run(ctx, []string{"submit", "--wait", "-e", "2m", "--", "./simulate"}, strings.NewReader(""), out, &said)
	if code != exitFailure || !strings.Contains(said.String(), "job 12 goes on") || !strings.HasSuffix(said.String(), "libra: interrupted\n") {
		t.Errorf("exit code %d, said %q", code, said.String())
	}
}

// An optional part is one more thing that flags say.
func TestSubmitAnImpreciseJob(t *testing.T) {
	f := newFloor()
	open(t, f, v1.RoleUser)
	mustLibra(t, "submit", "--estimate", "20s", "--deadline", "2m", "--budget", "5", "--optional", "60s", "--optional-rate", "0.05",
		"--optional-command", "refine --more", "--", "./solve")
	o := f.last(t).Submit.Request.Optional
	if o == nil || o.WorkMS != 60_000 || o.RateMicros != 50_000 || !slices.Equal(o.Argv, []string{"refine", "--more"}) {
		t.Errorf("%+v", o)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-e", "20s", "-b", "5", "--optional", "60s"}, "--optional: want a --deadline"},
		{[]string{"-e", "20s", "-d", "2m", "--optional", "60s"}, "--optional: want a --budget"},
		{[]string{"-e", "20s", "-d", "2m", "-b", "5", "--optional-rate", "1"}, "--optional: want more than 0"},
		{[]string{"-e", "20s", "-d", "2m", "-b", "5", "--optional", "1m", "--optional-command", "'x"}, "--optional-command: a quote is not closed"},
	} {
		r := libra(t, append(append([]string{"submit"}, c.args...), "--", "./solve")...)
		if r.code != exitUsage || !strings.Contains(r.err, c.want) {
			t.Errorf("%v: exit code %d, %q", c.args, r.code, r.err)
		}
	}
}

// A budget is the last word where nodes stop a job by themselves, and its help says
// what is so where they do not.
func TestTheHelpOfBudgetIsTrue(t *testing.T) {
	for _, command := range []string{"submit", "quote"} {
		if out := mustLibra(t, command, "--help"); !strings.Contains(strings.Join(strings.Fields(out), " "), "where a node cannot stop it by itself") {
			t.Errorf("%s --help says\n%s", command, out)
		}
	}
}
