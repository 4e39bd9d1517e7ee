package client

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// Submit hands a job in, in the name of its user.
func (r *rest) Submit(ctx context.Context, s Submission) (int64, error) {
	if s.MailType+s.MailUser+s.Signal+s.Licenses+s.Reservation+s.Array != "" || s.Requeue {
		// By sbatch: a slurmrestd of 22.05 takes no signal, though its schema has one, and
		// each generation has other words for these.
		if r.killer == nil {
			return 0, fmt.Errorf("%w: mail, signals, licences, reservations, arrays and requeueing are asked for with sbatch, which is not on the market's host", ErrRefused)
		}
		return r.killer.Submit(ctx, s)
	}
	_, err := r.owners.find(ctx, s.User)
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return 0, err
	}
	r.sizes.fit(ctx, &s)
	env := slices.Clone(s.Env)
	if r.seal != nil {
		env = append(env, r.seal(s))
	}
	if len(env) == 0 {
		env = []string{"PATH=/usr/local/bin:/usr/bin:/bin"} // slurmrestd refuses a job without any
	}
	var answer submitAnswer
	err = r.call(ctx, s.User, http.MethodPost, "/job/submit", r.shape.submission(&s, env), &answer)
	id := answer.id()
	switch {
	case id > 0:
		// Notes beside a number, such as that the job is held, look like errors,
		// and some versions choose the status by them.
		return id, nil
	case err != nil:
		return 0, fmt.Errorf("submit: %w", err)
	case answer.faults().refusal():
		return 0, fmt.Errorf("submit: %w: %s", ErrRefused, answer.faults().said())
	default:
		return 0, fmt.Errorf("submit: %w: no number of a job: %s", ErrAway, answer.faults().said())
	}
}

// Release lets a held job start on its nodes.
func (r *rest) Release(ctx context.Context, id int64, nodes []string) error {
	var answer plainAnswer
	err := r.call(ctx, r.as, http.MethodPost, "/job/"+strconv.FormatInt(id, 10), r.shape.release(nodes), &answer)
	if err == nil {
		err = answer.faults().error()
	}
	if err != nil {
		return fmt.Errorf("release job %d: %w", id, err)
	}
	return nil
}

// Cancel ends a job. See [commands.Cancel] for haste.
func (r *rest) Cancel(ctx context.Context, id int64, urgent bool) error {
	if urgent && r.killer != nil {
		r.killer.kill(ctx, strconv.FormatInt(id, 10))
	}
	var answer plainAnswer
	err := r.call(ctx, r.as, http.MethodDelete, "/job/"+strconv.FormatInt(id, 10), nil, &answer)
	if answer.faults().over() {
		return nil
	}
	if err == nil {
		err = answer.faults().error()
	}
	if err != nil {
		return fmt.Errorf("cancel job %d: %w", id, err)
	}
	return nil
}

// Ping says whether slurmctld answers, through slurmrestd.
func (r *rest) Ping(ctx context.Context) error {
	var answer pingAnswer
	if err := r.call(ctx, r.as, http.MethodGet, "/ping", nil, &answer); err != nil {
		return err
	}
	if !answer.up() {
		return fmt.Errorf("%w: slurmctld is down: %s", ErrAway, answer.faults().said())
	}
	return nil
}

// Began is when slurmctld was started: slurmrestd has no word for it.
func (r *rest) Began(ctx context.Context) (int64, error) {
	if r.killer == nil {
		return 0, nil
	}
	return r.killer.Began(ctx)
}

// Jobs lists the jobs of a partition.
func (r *rest) Jobs(ctx context.Context, partition string) ([]Job, error) {
	if r.listing != nil {
		return r.listing.Jobs(ctx, partition)
	}
	var answer jobsAnswer
	err := r.call(ctx, r.as, http.MethodGet, "/jobs", nil, &answer)
	var jobs []Job
	if err == nil {
		jobs, err = answer.read(partition, r.sizes.now().Unix())
	}
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	return jobs, nil
}

// Nodes lists the nodes of a partition.
func (r *rest) Nodes(ctx context.Context, partition string) ([]Node, error) {
	if r.listing != nil {
		return r.listing.Nodes(ctx, partition)
	}
	var answer nodesAnswer
	err := r.call(ctx, r.as, http.MethodGet, "/nodes", nil, &answer)
	var nodes []Node
	if err == nil {
		nodes, err = answer.read(partition)
	}
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	return nodes, nil
}

// error is what is wrong with an answer that carries faults, or nothing.
func (f faultList) error() error {
	switch {
	case !f.serious():
		return nil
	case f.refusal():
		return fmt.Errorf("%w: %s", ErrRefused, f.said())
	default:
		return fmt.Errorf("%w: %s", ErrAway, f.said())
	}
}
