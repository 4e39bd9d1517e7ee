package main

import (
	"context"
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/wire"
)

// Job says what Slurm calls the job, too.
func (m onSlurm) Job(ctx context.Context, id int64) (v1.Job, error) {
	j, err := m.Market.Job(ctx, id)
	if err == nil && m.number(&j) {
		j.Elements = wire.Elements(&j) // their files may have the number in their names
	}
	return j, err
}

// Jobs lists jobs with their numbers in Slurm, or finds one by it.
func (m onSlurm) Jobs(ctx context.Context, q v1.JobQuery) ([]v1.Job, error) {
	if q.Batch != 0 {
		return m.numbered(ctx, q)
	}
	jobs, err := m.Market.Jobs(ctx, q)
	for i := range jobs {
		m.number(&jobs[i])
	}
	return jobs, err
}

// number fills in what Slurm says of a job under way. Of one that has ended it was said.
func (m onSlurm) number(j *v1.Job) bool {
	now := m.backend.Stands(j.ID, j.Attempt)
	if now.Number == "" {
		return false
	}
	if j.Batch = now.Number; !j.State.Final() {
		j.BegunUS, j.Suspended = now.BegunUS, now.Suspended
	}
	return true
}

// Explain says of a job that Slurm has suspended why it does not get on.
func (m onSlurm) Explain(ctx context.Context, id int64) (v1.Explanation, error) {
	e, err := m.Market.Explain(ctx, id)
	if err == nil && e.State == v1.Running && m.backend.Suspended(id) {
		e.Because = append(slices.Clone(e.Because), "Slurm has suspended it: it has no progress until it is resumed")
	}
	return e, err
}

// Follow delivers notices, which say of a job that Slurm has suspended that it has.
func (m onSlurm) Follow(ctx context.Context, owner string, after int64) (<-chan v1.Notice, error) {
	from, err := m.Market.Follow(ctx, owner, after)
	if err != nil {
		return nil, err
	}
	return m.backend.Tell(ctx, owner, after, from, m.Market.Job), nil
}

// numbered is the job that Slurm calls by a number, if the owner that is asked for has it.
func (m onSlurm) numbered(ctx context.Context, q v1.JobQuery) ([]v1.Job, error) {
	id, found, err := m.backend.JobOf(ctx, q.Batch)
	if err != nil || !found {
		return nil, err
	}
	j, err := m.Job(ctx, id)
	if err != nil || q.Owner != "" && j.Owner != q.Owner {
		return nil, err
	}
	j.Request.Script = ""
	return []v1.Job{j}, nil
}

// Prices says who runs the jobs, and for how long where nobody says so.
func (m onSlurm) Prices(ctx context.Context) (v1.Prices, error) {
	p, err := m.Market.Prices(ctx)
	p.Runs, p.UsualMS = slurm.Runs, m.backend.UsualTime(ctx, "").Milliseconds()
	if several := m.config.Slurm.Partitions(); len(several) > 1 {
		p.UsualIn = map[string]int64{}
		for _, name := range several {
			p.UsualIn[name] = m.backend.UsualTime(ctx, name).Milliseconds()
		}
	}
	return p, err
}

var _ api.Jobs = onSlurm{}
