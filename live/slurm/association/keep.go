package association

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// Market is where the accounts are: a client that is the owner's, or a market itself.
type Market interface {
	Accounts(ctx context.Context, prefix string) ([]v1.Account, error)
	ChangeAccount(ctx context.Context, change v1.AccountChange) (v1.Account, error)
}

// Step is one comparison of a market's accounts with Slurm's, and what came of it.
type Step struct {
	Plan
	Made []Change `json:"made"`
}

// Compare says what is to be done.
func Compare(ctx context.Context, m Market, t *Tree, under, partition string) (Plan, error) {
	have, err := m.Accounts(ctx, under)
	if err != nil {
		return Plan{}, err
	}
	return t.Plan(under, partition, have), nil
}

// Make makes changes. One that fails keeps no other from being made: who is done twice
// finds it in the plan again.
func Make(ctx context.Context, m Market, p Plan) (Step, error) {
	s := Step{Plan: p, Made: []Change{}}
	var wrong []error
	for _, c := range p.Changes {
		_, err := m.ChangeAccount(ctx, v1.AccountChange{Op: c.Op, Account: c.Account, User: c.User, First: c.First, Memo: "as in Slurm"})
		switch {
		case err == nil:
			s.Made = append(s.Made, c)
		case ctx.Err() != nil:
			return s, ctx.Err()
		case len(wrong) < mostWrong:
			wrong = append(wrong, fmt.Errorf("%s: %w", c, err))
		}
	}
	return s, errors.Join(wrong...)
}

// mostWrong is how many failures are told of one step.
const mostWrong = 5

// Keeper keeps accounts in step, again and again.
type Keeper struct {
	Read      func(context.Context) (*Tree, error) // asks Slurm
	Market    Market
	Under     string
	Partition string
	Every     time.Duration
	Now       func() time.Time
	Log       *slog.Logger

	turn   sync.Mutex           // held while it looks
	began  time.Time            // when it did last
	looked map[string]time.Time // when it did for somebody who was unknown
	said   []string             // of notes, the last time
	wrong  string
	known  atomic.Pointer[map[string]bool] // users, as of when it succeeded last
}

// Knows reports whether somebody was in Slurm's accounts, and so in the market's, when they were
// looked at last. It waits for nobody.
func (k *Keeper) Knows(user string) bool {
	users := k.known.Load()
	return users != nil && (*users)[user]
}

// Run keeps them until ctx is done.
func (k *Keeper) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		k.turn.Lock()
		k.step(ctx)
		k.turn.Unlock()
		timer.Reset(k.Every)
	}
}

// How long after a look another is had for somebody who is unknown: strangers cannot have slurmdbd
// asked as often as they like, neither one of them nor many.
const (
	soonest    = 2 * time.Second
	soonestFor = 10 * time.Second // of the same
)

// Newcomer looks at Slurm's accounts for somebody who is in none of the market's, unless that was done a
// moment ago: they may have been added since. Whoever comes meanwhile waits for the same look.
func (k *Keeper) Newcomer(ctx context.Context, user string) {
	k.turn.Lock()
	defer k.turn.Unlock()
	now := k.Now()
	maps.DeleteFunc(k.looked, func(_ string, at time.Time) bool { return now.Sub(at) >= soonestFor })
	if _, lately := k.looked[user]; lately || now.Sub(k.began) < soonest {
		return
	}
	if k.looked == nil {
		k.looked = map[string]time.Time{}
	}
	k.looked[user] = now
	k.step(context.WithoutCancel(ctx)) // it is for others too, and has a time limit of its own
}

// step does it once. What is said is said when it is news. The turn is held.
func (k *Keeper) step(ctx context.Context) {
	k.began = k.Now()
	var s Step
	tree, err := k.Read(ctx)
	if err == nil {
		var p Plan
		if p, err = Compare(ctx, k.Market, tree, k.Under, k.Partition); err == nil {
			s, err = Make(ctx, k.Market, p)
		}
	}
	if ctx.Err() != nil {
		return
	}
	for _, c := range s.Made {
		k.Log.Info("accounts follow Slurm's", "change", c.String())
	}
	for _, note := range s.Notes {
		if !slices.Contains(k.said, note) {
			k.Log.Warn("accounts cannot follow Slurm's", "why", note)
		}
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != k.wrong && err != nil {
		k.Log.Warn("accounts are not in step with Slurm's", "error", err)
	}
	if k.wrong = text; err == nil {
		users := map[string]bool{}
		for _, m := range tree.members {
			users[m.user] = true
		}
		k.said = s.Notes
		k.known.Store(&users)
	}
}
