package main

import (
	"bufio"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// confirmation asks before money is spent: on a terminal, above an amount. A script is
// never asked.
type confirmation struct {
	yes   bool
	above string
}

// askAbove is the price from which on somebody is asked, if nothing else is said.
const askAbove = "1"

func (c *confirmation) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&c.yes, "yes", "y", false, "do not ask, whatever it costs")
	f.StringVar(&c.above, "ask-above", askAbove, "on a terminal, ask before a job is handed in that costs more than this `amount`")
}

func (c *confirmation) threshold() (market.Money, error) {
	least, err := market.ParseMoney(c.above)
	if err != nil {
		return 0, usagef("--ask-above: %w", err)
	}
	return least, nil
}

// errUnwanted is the answer no, of the user.
var errUnwanted = errors.New("nothing was handed in")

// confirm shows what a job would cost and asks whether that is wanted. What the market
// refuses it is not asked about: handing it in says why, and what would be taken.
func (c *confirmation) confirm(ctx context.Context, con *console, floor *client.Client, r *v1.Request) error {
	least, err := c.threshold()
	if err != nil || c.yes || !con.interactive() {
		return err
	}
	q, err := floor.Preview(ctx, *r)
	if p, is := errors.AsType[*client.Problem](err); is && p.ExitCode() == exitRefused || err == nil && q.Price+q.OptionalMost <= int64(least) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.question(ctx, con, floor, &q, beginsLater(r))
}

// beginsLater reports whether a job may have to wait before the market takes it.
func beginsLater(r *v1.Request) bool {
	return r.Hold || r.BeginMS > 0 || r.Follows()
}

// question puts it.
func (c *confirmation) question(ctx context.Context, con *console, floor *client.Client, q *v1.Quote, later bool) error {
	g := &grid{left: 2}
	g.add("price", cash(q.Price))
	if q.Worked != "" {
		g.add("because", q.Worked)
	}
	if q.OptionalMost > 0 {
		g.add("optional", cash(q.OptionalMost)+" more if all of it is executed")
	}
	switch {
	case later:
		g.add("done by", "nothing promised before it can begin, and the price is that of now")
	case q.Firm && q.FinishUS != 0:
		g.add("done by", momentAnd(q.FinishUS)+", promised")
	default:
		g.add("done by", "nothing promised before it starts")
	}
	if me, err := floor.Whoami(ctx); err == nil {
		path := q.Request.Account
		if path == "" {
			path = me.Account
		}
		if a, err := floor.Account(ctx, path); err == nil {
			g.add("balance", cash(a.Free)+" free in "+a.Path+", "+cash(a.Free-q.Price-q.OptionalMost)+" once it has cost that")
			if b := q.Request.Budget; b != nil && *b > q.Price+q.OptionalMost {
				g.add("held", cash(*b)+" until it ends: what it may cost at the most")
			}
		}
	}
	if err := g.write(con.err, ""); err != nil {
		return err
	}
	printf(con.err, "hand it in? [y/N] ")
	answer, err := bufio.NewReader(con.in).ReadString('\n')
	if word := strings.ToLower(strings.TrimSpace(answer)); err != nil || word != "y" && word != "yes" {
		return errUnwanted
	}
	return nil
}
