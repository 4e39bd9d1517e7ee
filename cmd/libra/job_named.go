package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// lastJob is the word for the newest job that the user handed in.
const lastJob = "last"

// mostNamed is as many jobs as a range may name: more is a slip of the finger.
const mostNamed = 1000

// jobName is which job an argument means, until the market is asked for its number.
type jobName struct {
	id    int64
	last  bool // the newest one
	batch bool // id is what Slurm calls it
}

// Words before a number that say whose it is.
const (
	slurmNumber = "slurm:"
	libraNumber = "libra:"
)

// jobsNamed reads which jobs an argument means: 12, 12-15, 12,14, last, slurm:4711, or
// several of them.
func jobsNamed(text string) ([]jobName, error) {
	var names []jobName
	for _, part := range strings.Split(text, ",") {
		if part == lastJob {
			names = append(names, jobName{last: true})
			continue
		}
		span, batch := strings.CutPrefix(part, slurmNumber)
		if !batch {
			span = strings.TrimPrefix(part, libraNumber)
		}
		from, to, ranged := strings.Cut(span, "-")
		first, err := jobNumber(from)
		if !ranged {
			to = from
		}
		last, wrong := jobNumber(to)
		if err != nil || wrong != nil || last < first || batch && first == 0 {
			return nil, usagef("%q is not the number of a job (libra jobs lists them; 12-15, 12,14, last and slurm:4711 are understood too)", text)
		}
		if last-first >= mostNamed || len(names) >= mostNamed {
			return nil, usagef("%q names more than %d jobs", text, mostNamed)
		}
		for id := first; id <= last; id++ {
			names = append(names, jobName{id: id, batch: batch})
		}
	}
	return names, nil
}

// oneJob reads an argument that means a single job.
func oneJob(text string) (jobName, error) {
	names, err := jobsNamed(text)
	if err == nil && len(names) != 1 {
		err = usagef("%q is %d jobs, and one is wanted", text, len(names))
	}
	if err != nil {
		return jobName{}, err
	}
	return names[0], nil
}

// jobNumber reads the number of a job.
func jobNumber(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 || text[0] == '+' {
		return 0, usagef("%q is not the number of a job (libra jobs lists them)", text)
	}
	return id, nil
}

// numberOf is the number of a job that an argument named.
func numberOf(ctx context.Context, market *client.Client, name jobName) (int64, error) {
	switch {
	case name.last:
		return newestJob(ctx, market)
	case name.batch:
		return jobInSlurm(ctx, market, name.id)
	}
	return name.id, nil
}

// newestJob is the one that was handed in last by who asks.
func newestJob(ctx context.Context, market *client.Client) (int64, error) {
	me, err := market.Whoami(ctx)
	if err != nil {
		return 0, err
	}
	page, err := market.Jobs(ctx, v1.JobQuery{Owner: me.User, Limit: 1})
	if err == nil && len(page.Jobs) == 0 {
		err = fmt.Errorf("you have no jobs yet, so there is no last one")
	}
	if err != nil {
		return 0, err
	}
	return page.Jobs[0].ID, nil
}

// jobInSlurm is the number of a job that Slurm knows under another.
func jobInSlurm(ctx context.Context, market *client.Client, number int64) (int64, error) {
	page, err := market.Jobs(ctx, v1.JobQuery{Batch: number})
	if err == nil && len(page.Jobs) == 0 {
		err = fmt.Errorf("%s%d is no job of yours that this market has sold", slurmNumber, number)
	}
	if err != nil {
		return 0, err
	}
	return page.Jobs[0].ID, nil
}
