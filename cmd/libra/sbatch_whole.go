package main

import (
	"context"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/directive"
)

// whole settles how much a job asks for that is to have all processors of its nodes
// (--exclusive), or all their memory (--mem=0), and says it.
func (o *sbatchCommand) whole(ctx context.Context, con *console, market *client.Client, prices *v1.Prices, head *directive.Head, r *v1.Request) error {
	if !head.Whole() {
		return nil
	}
	nodes, err := market.Nodes(ctx)
	if err != nil {
		return err
	}
	among, in, rates := *r, trade.Request{Partition: r.Partition}, trade.Rates(prices.Rates)
	if err = rates.Settle(&in); err != nil { // else no node would be found, and nobody knew why
		return &usageError{flagFor("partition", err)}
	}
	among.Partition = in.Partition // where it will be, of those that there are
	said, err := head.OnWhole(&among, nodes)
	if err != nil {
		return err
	}
	among.Partition = r.Partition
	*r = among
	if !o.quiet {
		con.warn("%s", said)
	}
	return nil
}
