package main

import (
	"bufio"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// cancelMany are the flags that name jobs by what they are.
type cancelMany struct {
	all    bool
	name   string
	states []string
	yes    bool
}

func (m *cancelMany) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&m.all, "all", false, "all of your jobs that have not ended, or those that --name and --state leave of them")
	f.StringVar(&m.name, "name", "", "with --all: jobs of this `name`, * being whatever is there (fold*)")
	f.StringSliceVar(&m.states, "state", nil, "with --all: jobs in these `states`: "+strings.Join(unendedWords(), ", "))
	f.BoolVar(&m.yes, "yes", false, "do not ask first")
	completeFlag(cmd, "state", unendedWords()...)
}

// check finds what does not go together.
func (m *cancelMany) check(args []string) error {
	switch {
	case m.all && len(args) > 0:
		return usagef("--all and %q: name jobs by number, or by --all, --name and --state", args[0])
	case !m.all && (m.name != "" || len(m.states) > 0):
		return usagef("--name and --state go with --all")
	case !m.all && len(args) == 0:
		return usagef("ID is missing (or --all)")
	}
	_, err := m.wanted()
	return err
}

// wanted are the states of the jobs that are meant.
func (m *cancelMany) wanted() ([]v1.State, error) {
	if len(m.states) == 0 {
		return statesOf(false), nil
	}
	var states []v1.State
	for _, word := range m.states {
		n := len(states)
		for _, s := range statesOf(false) {
			if word == string(s) || word == waitingStates && waits(s) {
				states = append(states, s)
			}
		}
		if len(states) == n {
			return nil, notOneOf("state", word, unendedWords())
		}
	}
	return states, nil
}

// unendedWords are the states of jobs that have not ended, and the word for those that wait.
func unendedWords() []string {
	words := []string{waitingStates}
	for _, s := range statesOf(false) {
		words = append(words, string(s))
	}
	return words
}

// find lists the user's own jobs that are meant.
func (m *cancelMany) find(ctx context.Context, market *client.Client) ([]v1.Job, error) {
	states, err := m.wanted()
	if err != nil {
		return nil, err
	}
	me, err := market.Whoami(ctx)
	if err != nil {
		return nil, err
	}
	page, err := jobPattern(m.name).list(ctx, market, v1.JobQuery{Owner: me.User, States: states}, 1<<30)
	return page.Jobs, err
}

// confirm asks before many jobs end. Where nobody can answer, it wants --yes.
func (m *cancelMany) confirm(con *console, jobs []v1.Job) error {
	if m.yes {
		return nil
	}
	if !con.interactive() {
		return usagef("this would cancel %s; say --yes", number(int64(len(jobs)), "job"))
	}
	look := jobsLook{look{form: asTable}}
	if err := look.print(con.err, false, v1.JobPage{Jobs: jobs[:min(len(jobs), 20)]}, false); err != nil {
		return err
	}
	if more := len(jobs) - 20; more > 0 {
		printf(con.err, "... and %s more\n", count(int64(more)))
	}
	printf(con.err, "cancel %s? [y/N] ", number(int64(len(jobs)), "job"))
	answer, err := bufio.NewReader(con.in).ReadString('\n')
	if word := strings.ToLower(strings.TrimSpace(answer)); err != nil || word != "y" && word != "yes" {
		return errors.New("nothing was cancelled")
	}
	return nil
}

// cancelAll takes back the jobs that the flags name.
func cancelAll(ctx context.Context, con *console, opts *liveOptions, many *cancelMany) error {
	var ids []string
	err := opts.ask(ctx, con, func(ctx context.Context, market *client.Client) error {
		jobs, err := many.find(ctx, market)
		for i := range jobs {
			ids = append(ids, strconv.FormatInt(jobs[i].ID, 10))
		}
		switch {
		case err != nil:
			return err
		case len(jobs) == 0 && !opts.json:
			_, err = printline(con.out, "no jobs to cancel")
			return err
		case len(jobs) == 0:
			return nil
		}
		return many.confirm(con, jobs)
	})
	if err != nil || len(ids) == 0 && !opts.json {
		return err
	}
	return runCancel(ctx, con, opts, ids)
}
