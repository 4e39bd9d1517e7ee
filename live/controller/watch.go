package controller

import (
	"context"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/trade"
)

// Where jobs run that somebody else has limits for, who has waited is let in by those who know of these: they
// are told that somebody is there (Knocks), ask who it is (Due), and say what they found as commands.

// Watch has those who have waited be let in from now on, or begin as soon as they may.
func (c *Controller) Watch(ctx context.Context, on bool) error {
	is := false
	if err := c.query(ctx, func(x *exchange.Exchange) { is = x.Watch().On() }); err != nil || is == on {
		return err
	}
	_, _, err := c.Do(ctx, trade.Command{By: trade.Identity{Role: trade.RoleOwner}, Watch: &trade.Watch{On: &on}}, trade.Key{})
	return err
}

// Knocks says when somebody has come who wants to be let in; who that is, is asked for.
func (c *Controller) Knocks() <-chan struct{} { return c.knocks }

// hearKnocks passes on that somebody has come.
func (c *Controller) hearKnocks() {
	came := c.x.Watch().Came()
	if came == c.came {
		return
	}
	c.came = came
	select {
	case c.knocks <- struct{}{}:
	default:
	}
}

// Due are the jobs that want to be let in, the oldest first, and of those that are not known already all there is
// to know. What known reads is not written meanwhile.
func (c *Controller) Due(ctx context.Context, known func(int64) bool) (ids []int64, news []trade.Job, err error) {
	err = c.query(ctx, func(x *exchange.Exchange) {
		ids = x.Watch().Due()
		for _, id := range ids {
			if !known(id) {
				j, _ := x.Job(id)
				news = append(news, j)
			}
		}
	})
	return ids, news, err
}
