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

// jobsNamed reads which jobs an argument means: 12, 12-15, 12,14, last, or several of
// them. The word last stands as -1, until the market is asked.
func jobsNamed(text string) ([]int64, error) {
	var ids []int64
	for _, part := range strings.Split(text, ",") {
		if part == lastJob {
			ids = append(ids, -1)
			continue
		}
		from, to, ranged := strings.Cut(part, "-")
		first, err := jobNumber(from)
		if !ranged {
			to = from
		}
		last, wrong := jobNumber(to)
		if err != nil || wrong != nil || last < first {
			return nil, usagef("%q is not the number of a job (libra jobs lists them; 12-15, 12,14 and last are understood too)", text)
		}
		if last-first >= mostNamed || len(ids) >= mostNamed {
			return nil, usagef("%q names more than %d jobs", text, mostNamed)
		}
		for id := first; id <= last; id++ {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// oneJob reads an argument that means a single job.
func oneJob(text string) (int64, error) {
	ids, err := jobsNamed(text)
	if err == nil && len(ids) != 1 {
		err = usagef("%q is %d jobs, and one is wanted", text, len(ids))
	}
	if err != nil {
		return 0, err
	}
	return ids[0], nil
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
func numberOf(ctx context.Context, market *client.Client, id int64) (int64, error) {
	if id >= 0 {
		return id, nil
	}
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
