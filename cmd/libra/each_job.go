package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
)

// namedJobs are jobs that a command line names, in the order in which it does.
type namedJobs []jobName

// readNames reads which jobs arguments mean: 12, 12-15, 12,14, last, slurm:4711.
func readNames(args []string) (namedJobs, error) {
	var all namedJobs
	for _, text := range args {
		some, err := jobsNamed(text)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// someIDs wants arguments that name jobs, one or more.
func someIDs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("ID is missing")
	}
	_, err := readNames(args)
	return err
}

// eachJob does something with each job that is named. One that there is not keeps no
// other from it.
func eachJob(ctx context.Context, market *client.Client, names namedJobs, do func(i int, id int64) error) error {
	var failed []error
	done := 0
	for _, name := range names {
		id, err := numberOf(ctx, market, name)
		if err == nil {
			err = do(done, id)
		}
		switch {
		case err == nil:
			done++
		case ctx.Err() != nil:
			return err
		default:
			failed = append(failed, err)
		}
	}
	if len(failed) == 1 {
		return failed[0]
	}
	return errors.Join(failed...)
}

// showEach asks for each job that is named and shows it: one by itself, several apart, and
// for programs one as it is and several as a list.
func showEach[T any](ctx context.Context, con *console, market *client.Client, names namedJobs, asJSON bool,
	ask func(context.Context, int64) (T, error), show func(*T) error,
) error {
	list := []T{}
	err := eachJob(ctx, market, names, func(i int, id int64) error {
		one, err := ask(ctx, id)
		if err != nil {
			return err
		}
		if asJSON {
			list = append(list, one)
			return nil
		}
		if i > 0 {
			if _, err := printline(con.out); err != nil {
				return err
			}
		}
		return show(&one)
	})
	switch {
	case !asJSON || len(names) == 1 && err != nil:
		return err
	case len(names) == 1:
		return con.writeJSON(list[0])
	}
	return errors.Join(con.writeJSON(list), err)
}
