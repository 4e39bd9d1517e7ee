package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/directive"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
	"github.com/libra-market/libra/live/wire"
)

// slurmDesk is where a market deals with jobs of plain sbatch.
type slurmDesk struct{ market onSlurm }

var _ slurm.Desk = (*slurmDesk)(nil)

// Ask reads what a job is worth from the #LIBRA lines of its script, and from its comment,
// which beats them; what it needs is what Slurm has understood of it.
func (d *slurmDesk) Ask(user string, g client.Guest, comment string) (trade.Request, bool, error) {
	place := directive.Place{Now: wallClock(), User: user}
	options := slices.Clone(g.Options)
	if g.Nodelist != "" {
		options = append(options, "--nodelist="+g.Nodelist)
	}
	needs := directive.New(place)
	if err := needs.ReadSbatch("job", ownLines(""), options); err != nil {
		return trade.Request{}, false, fmt.Errorf("what it asks for: %w", err)
	}
	if comment != "" {
		options = append(options, "--comment="+comment)
	}
	if in := g.Begin - wallClock().Unix(); in > 0 {
		options = append(options, fmt.Sprintf("--begin=now+%d", in))
	}
	head := directive.New(place)
	if err := head.ReadSbatch("job", ownLines(g.Script), options); err != nil {
		return trade.Request{}, false, fmt.Errorf("what it says of its terms: %w", err)
	}
	said, has := head.Finish("", nil), needs.Finish("", nil)
	said.Env = append(only(has.Env, task.Licenses), only(said.Env, task.Comment)...) // it has its own
	said.Nodelist, said.Exclude, said.Constraint, said.Reservation = has.Nodelist, has.Exclude, has.Constraint, has.Reservation
	said.GPUs, said.GPUKind = has.GPUs, has.GPUKind // what Slurm will give it, whatever its terms say
	r := wire.ToRequest(&said)
	if g.Limit <= 0 && r.EstimateMS == 0 {
		return r, false, errors.New("how long does it run? sbatch -t says so")
	}
	if r.EstimateMS == 0 {
		r.EstimateMS = g.Limit.Milliseconds()
	}
	r.Argv, r.Dir, r.Output, r.Name = []string{"slurm"}, g.Dir, g.Output, fmt.Sprintf("slurm-%d", g.ID)
	r.Processors, r.Threads, r.MemoryMB = g.Processors, g.Processors, (g.MemoryMB+int64(g.Processors)-1)/int64(g.Processors)
	r.Spread = false
	r.Partition = g.Partition // which it is in, whatever it says
	r.QOS = g.QOS             // alike
	r.NoRestart = true        // what it runs is known to Slurm alone
	return r, r.Budget != nil, nil
}

// only is a variable of an environment, and nothing else.
func only(env []string, name string) []string {
	return slices.DeleteFunc(env, func(e string) bool { return !strings.HasPrefix(e, name+"=") })
}

// ownLines are those of a script that are the market's.
func ownLines(script string) string {
	text := "#!/bin/sh\n"
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "#LIBRA") {
			text += line
		}
	}
	return text
}

// Price says what a job would cost.
func (d *slurmDesk) Price(ctx context.Context, user string, id int64, r trade.Request) string {
	o, err := d.market.Preview(ctx, trade.Identity{User: user, Role: trade.RoleUser}, r)
	switch {
	case err != nil:
		return "no price: " + err.Error()
	case o.Refusal != nil:
		return "refused: " + o.Refusal.Detail
	case o.Quote == nil:
		return "no price"
	}
	price := market.Money(o.Quote.Price)
	const cent = market.Unit / 100
	budget := (price + cent - 1) / cent * cent // rounded down it would not do
	return fmt.Sprintf("%s; take it by: scontrol update jobid=%d comment=libra:budget=%s", d.amount(price), id, budget)
}

// Buy hands a job in.
func (d *slurmDesk) Buy(ctx context.Context, user, key string, r trade.Request) (said string, waits int64, err error) {
	by := trade.Identity{User: user, Role: trade.RoleUser}
	o, _, err := d.market.sell(ctx, trade.Command{By: by, Submit: &trade.Submit{Request: r}}, api.Key{Owner: user, Key: key, Digest: []byte(key)})
	switch no, is := errors.AsType[*trade.FieldError](err); {
	case is && no.Field == limit.NamesQOS:
		return "refused: " + err.Error(), 0, nil
	case err != nil:
		return "", 0, err
	case o.Refusal != nil:
		return "refused: " + o.Refusal.Detail, 0, nil
	case o.Job == nil:
		return "not bought", 0, nil
	case o.Job.State == v1.Held:
		return takenLater(o.Job.ID, o.Job.BeginUS), o.Job.ID, nil
	}
	said = fmt.Sprintf("bought as job %d for %s", o.Job.ID, d.amount(market.Money(o.Job.Price)))
	if o.Job.PromisedUS > 0 {
		said += ", done by " + time.UnixMicro(o.Job.PromisedUS).Format("2006-01-02 15:04:05")
	}
	return said, 0, nil
}

// takenLater says of a job that waits from when on it may begin; 0: when it is let go, or others
// have ended (hold and after of its terms).
func takenLater(job, beginUS int64) string {
	if beginUS == 0 {
		return fmt.Sprintf("taken as job %d, which is on hold or waits for others (libra release %d lets one on hold begin): what it costs is said then", job, job)
	}
	return fmt.Sprintf("taken as job %d, which begins no sooner than %s: what it costs is said then", job, time.UnixMicro(beginUS).Format("2006-01-02 15:04:05"))
}

// Fate says what has come of a job that waited and will not run.
func (d *slurmDesk) Fate(ctx context.Context, job int64) string {
	j, err := d.market.Job(ctx, job)
	switch {
	case err != nil || !j.State.Final() || j.StartedUS != 0: // or Slurm says it
		return ""
	case j.State == v1.Rejected:
		return "refused: " + j.Detail
	}
	return fmt.Sprintf("job %d is %s", job, j.State.Word())
}

// amount is an amount in the market's unit.
func (d *slurmDesk) amount(m market.Money) string { return m.Text() + " " + d.market.Unit }
