package slurm

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
)

// guestSlurm is a Slurm with one job of plain sbatch, which its user changes while it is
// bought.
type guestSlurm struct {
	client.Slurm

	job     client.Job
	asks    client.Guest
	silent  bool // nobody says what it asks for
	adopted bool
}

func (g *guestSlurm) Jobs(context.Context, string) ([]client.Job, error) {
	return []client.Job{g.job}, nil
}

func (g *guestSlurm) Guest(context.Context, int64) (client.Guest, error) {
	if g.silent {
		return client.Guest{}, errors.New("no answer")
	}
	said := g.asks
	said.Special = slices.Clone(said.Special)
	return said, nil
}

func (g *guestSlurm) Adopt(_ context.Context, _ int64, s client.Submission) error {
	g.adopted, g.job.Comment = true, s.Comment
	return nil
}

func (g *guestSlurm) Remark(context.Context, int64, string) error { return nil }

// A job of plain sbatch is bought as it was when it got its price. When it has the
// market's comment, and its user can change it no more, it is looked at again.
func TestAGuestIsWhatWasSold(t *testing.T) {
	sold := task.Spec{Threads: 2, Memory: 512 << 20, User: "ann", Env: []string{GuestVariable + "=7"}}
	same := client.Guest{ID: 7, Nodes: "1", Processors: 2, MemoryMB: 512, Special: []string{client.NodesByName}}
	with := func(change func(*client.Guest)) client.Guest {
		g := same
		change(&g)
		return g
	}
	waits := client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:budget=5"}
	for name, c := range map[string]struct {
		slurm guestSlurm
		taken bool
	}{
		"as it was":             {guestSlurm{job: waits, asks: same}, true},
		"more processors":       {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Processors = 3 })}, false},
		"more memory":           {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.MemoryMB = 513 })}, false},
		"devices":               {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Special = []string{client.NodesByName, "devices"} })}, false},
		"two nodes":             {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Nodes = "2" })}, false},
		"nobody knows":          {guestSlurm{job: waits, silent: true}, false},
		"another's":             {guestSlurm{job: client.Job{ID: 7, User: "bob", State: client.Pending, Held: true}, asks: same}, false},
		"it runs":               {guestSlurm{job: client.Job{ID: 7, User: "ann", State: client.Running}, asks: same}, false},
		"not there any more":    {guestSlurm{job: client.Job{ID: 8, User: "ann", State: client.Pending, Held: true}, asks: same}, false},
		"bought, answer lost":   {guestSlurm{job: client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:m:12.0:n"}, asks: same}, true},
		"bought, and changed":   {guestSlurm{job: client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:m:12.0:n"}, asks: with(func(g *client.Guest) { g.Processors = 9 })}, false},
		"bought by another job": {guestSlurm{job: client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:m:13.0:n"}, asks: same}, false},
	} {
		b := &Backend{slurm: &c.slurm, cfg: Config{Partition: "libra", Now: func() time.Time { return noon }}}
		b.Mark = "m"
		id, err := b.handIn(t.Context(), &sold, client.Submission{User: "ann", Comment: "libra:m:12.0:n"})
		if taken := err == nil && id == 7; taken != c.taken || !taken && !errors.Is(err, client.ErrRefused) {
			t.Errorf("%s: %d %v", name, id, err)
		}
	}
}
