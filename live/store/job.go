package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const jobColumns = "j.id, j.owner, j.account, j.name, j.state, j.submitted, j.ended, j.body"

// Job is one job with its spec.
func (d *database) Job(ctx context.Context, id int64) (Job, bool, error) {
	var j Job
	found, err := d.row(ctx, "SELECT "+jobColumns+", s.spec FROM jobs j LEFT JOIN job_specs s ON s.id = j.id WHERE j.id = ?",
		[]any{id}, append(j.columns(), &j.Spec))
	if err == nil {
		err = j.settle()
	}
	if err != nil {
		return Job{}, false, fmt.Errorf("job %d: %w", id, err)
	}
	return j, found, nil
}

// settle makes what was read what was written.
func (j *Job) settle() (err error) {
	j.Body, err = unpack(j.Body)
	j.Spec, j.Body = none(j.Spec), none(j.Body)
	return err
}

func (j *Job) columns() []any {
	return []any{&j.ID, &j.Owner, &j.Account, &j.Name, &j.State, &j.Submitted, &j.Ended, &j.Body}
}

// Jobs finds the IDs of the page in the indexes, then reads these jobs.
func (d *database) Jobs(ctx context.Context, q Query) ([]Job, error) {
	if err := q.check(); err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = PageSize
	}
	var page []Job
	err := d.view(ctx, func(tx *sql.Tx) error {
		in, err := d.jobSpan(ctx, tx, q)
		if err != nil {
			return err
		}
		legs, err := d.jobLegs(ctx, tx, q, in, limit)
		if err != nil {
			return err
		}
		ids, err := d.ids(ctx, tx, "jobs", "id", legs, in, newestFirst, limit)
		if err != nil || len(ids) == 0 {
			return err
		}
		page, err = d.jobs(ctx, tx, ids, q.WithSpec)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	return page, nil
}

// jobs reads jobs by ID, newest first.
func (d *database) jobs(ctx context.Context, on querier, ids []int64, withSpec bool) ([]Job, error) {
	spec, from := "", "jobs j"
	if withSpec {
		spec, from = ", s.spec", "jobs j LEFT JOIN job_specs s ON s.id = j.id"
	}
	jobs := make([]Job, 0, len(ids))
	err := d.each(ctx, on,
		"SELECT "+jobColumns+spec+" FROM "+from+" WHERE "+fmt.Sprintf(d.among, "j.id")+" ORDER BY j.id DESC",
		[]any{d.list(ids)},
		func(rows *sql.Rows) error {
			var j Job
			into := j.columns()
			if withSpec {
				into = append(into, &j.Spec)
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			if err := j.settle(); err != nil {
				return fmt.Errorf("job %d: %w", j.ID, err)
			}
			jobs = append(jobs, j)
			return nil
		})
	return jobs, err
}

// CountJobs takes the counts that are kept, or counts along the legs.
func (d *database) CountJobs(ctx context.Context, q Query) (map[string]int64, error) {
	if err := q.check(); err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	counts := make(map[string]int64)
	add := func(rows *sql.Rows) error {
		var state string
		var n int64
		err := rows.Scan(&state, &n)
		if n > 0 && q.wants(state) {
			counts[state] += n
		}
		return err
	}
	err := d.view(ctx, func(tx *sql.Tx) error {
		if q.Name != "" || q.From != 0 || q.To != 0 {
			return d.countAlong(ctx, tx, q, counts)
		}
		if q.Owner == "" && q.Account == "" {
			return d.each(ctx, tx, "SELECT state, n FROM job_totals", nil, add)
		}
		where, args := q.place()
		return d.each(ctx, tx, "SELECT state, n FROM job_counts WHERE "+where, args, add)
	})
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	return counts, nil
}

func (d *database) countAlong(ctx context.Context, on querier, q Query, counts map[string]int64) error {
	q.Before, q.After = 0, 0
	in, err := d.jobSpan(ctx, on, q)
	if err != nil {
		return err
	}
	legs, err := d.jobLegs(ctx, on, q, in, math.MaxInt32)
	if err != nil {
		return err
	}
	for _, l := range legs {
		err := d.each(ctx, on, "SELECT state, count(*) FROM jobs WHERE "+l.where+" AND id > ? AND id < ? GROUP BY state",
			append(slices.Clone(l.args), in.after, in.before),
			func(rows *sql.Rows) error {
				var state string
				var n int64
				err := rows.Scan(&state, &n)
				counts[state] += n
				return err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// jobSpan is between which IDs the jobs asked for are.
func (d *database) jobSpan(ctx context.Context, on querier, q Query) (span, error) {
	in, err := d.within(ctx, on, "jobs", "id", "submitted", q.From, q.To)
	if q.Before != 0 {
		in.before = min(in.before, q.Before)
	}
	if q.After != 0 {
		in.after = max(in.after, q.After)
	}
	return in, err
}

// jobLegs are where the jobs asked for stand in the indexes.
func (d *database) jobLegs(ctx context.Context, on querier, q Query, in span, limit int) ([]leg, error) {
	var legs []leg
	var err error
	switch {
	case q.Owner != "" || q.Account != "":
		legs, err = d.placeLegs(ctx, on, q, in, limit)
	case len(q.States) > 0:
		for _, state := range slices.Compact(slices.Sorted(slices.Values(q.States))) {
			legs = append(legs, leg{where: "state = ?", args: []any{state}})
		}
	default:
		legs = []leg{{where: "TRUE"}}
	}
	if q.Name != "" {
		for i := range legs {
			legs[i].where += " AND " + fmt.Sprintf(d.contains, "name")
			legs[i].args = append(legs[i].args, q.Name)
		}
	}
	return legs, err
}

// placeLegs are the legs of an owner or an account, which may be thousands. The
// one with the newest job comes first, and as a page of n jobs is found in the n
// legs with the newest ones, no more are needed unless jobs are left out by name.
func (d *database) placeLegs(ctx context.Context, on querier, q Query, in span, limit int) ([]leg, error) {
	if q.Name != "" {
		limit = math.MaxInt32
	}
	where, args := q.place()
	if len(q.States) > 0 {
		where += " AND state IN (?" + strings.Repeat(", ?", len(q.States)-1) + ")"
		for _, state := range q.States {
			args = append(args, state)
		}
	}
	var legs []leg
	err := d.each(ctx, on, "SELECT owner, account, state,"+
		" (SELECT max(j.id) FROM jobs j WHERE j.owner = c.owner AND j.account = c.account AND j.state = c.state"+
		" AND j.id < ?) AS newest FROM job_counts c WHERE n > 0 AND "+where+" ORDER BY newest DESC NULLS LAST"+
		" LIMIT "+strconv.Itoa(limit),
		append([]any{in.before}, args...),
		func(rows *sql.Rows) error {
			var owner, account, state string
			var newest sql.NullInt64 // NULL: only newer ones than those asked for
			err := rows.Scan(&owner, &account, &state, &newest)
			if newest.Valid && newest.Int64 > in.after {
				legs = append(legs, leg{"owner = ? AND account = ? AND state = ?", []any{owner, account, state}, newest.Int64})
			}
			return err
		})
	return legs, err
}

// check refuses texts that one of the databases cannot even compare.
func (q *Query) check() error {
	return cmp.Or(checkTexts(q.Owner, q.Account, q.Name), checkTexts(q.States...))
}

func (q *Query) wants(state string) bool {
	return len(q.States) == 0 || slices.Contains(q.States, state)
}

// place restricts owner and account; one of them must be given.
func (q *Query) place() (string, []any) {
	var where []string
	var args []any
	if q.Owner != "" {
		where, args = append(where, "owner = ?"), append(args, q.Owner)
	}
	if q.Account != "" {
		below := subtree("account", q.Account)
		where, args = append(where, below.where), append(args, below.args...)
	}
	return strings.Join(where, " AND "), args
}
