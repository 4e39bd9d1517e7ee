package main

import (
	"context"
	"strings"

	"github.com/libra-market/libra/lab/workload"
	"github.com/libra-market/libra/live/slurm/client"
)

// sacctWorkload begins the name of a workload that is no file: sacct:FROM..TO is what the
// sacct of this machine says of the jobs between two times.
const sacctWorkload = "sacct:"

// openSacct asks sacct. What it is asked for, and in which time zone it answers, is not
// left to whoever asks.
func openSacct(ctx context.Context, name, span string) (*workload.File, error) {
	from, to, _ := strings.Cut(span, "..")
	if from == "" {
		return nil, usagef("%s: since when? as in %s2026-10-01..2026-11-01, or %[2]snow-30days", name, sacctWorkload)
	}
	said, err := client.History(ctx, client.Options{}, from, to)
	if err != nil {
		return nil, err
	}
	file, err := workload.OpenReader(said, name)
	if err != nil {
		_ = said.Close() // it was not what was wanted, which is said
		return nil, err
	}
	return file, nil
}
