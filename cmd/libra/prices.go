package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

func newPrices(con *console) *cobra.Command {
	var opts liveOptions
	var form look
	watch := false
	cmd := &cobra.Command{
		Use:   "prices",
		Short: "Show what the market asks now",
		Long: `Show the policy and its settings, the base prices, how much is taken, and what a
standard job (a minute on one processor) costs by its deadline; -o, --format and
--sort-by are for the latter alone, and csv has seconds.`,
		Example: `  libra prices
  libra prices --watch
  libra prices -o csv
  libra prices --json`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := priceColumns.check(&form); err != nil {
				return err
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				show := func(ctx context.Context, out io.Writer) error {
					p, err := market.Prices(ctx)
					if err != nil {
						return err
					}
					switch {
					case opts.json || form.form == asJSON:
						if err := priceColumns.sort(&form, p.Samples); err != nil {
							return err
						}
						return (&console{out: out}).writeJSON(p)
					case !form.usual():
						return priceColumns.print(&form, out, p.Samples)
					}
					return printPrices(out, con.colours(), &p)
				}
				if watch {
					return con.watch(ctx, market, show)
				}
				return show(ctx, con.out)
			})
		},
	}
	opts.flags(cmd)
	form.flags(cmd, priceColumns.names())
	cmd.Flags().BoolVar(&watch, "watch", false, "show it again and again")
	return cmd
}

// hourly is rates by the hour, also of a market that knows none.
func hourly(r v1.Rates) v1.Rates {
	if r.ProcessorHour == 0 {
		r.ProcessorHour = r.Processor * 3600
	}
	return r
}

// storage is the rate of memory or disk: a GB for an hour, or a MB whatever the
// time, where a market sells it like that.
func storage(hour, mb int64) string {
	if hour == 0 && mb != 0 {
		return market.Money(mb).Exact() + unitWord() + " a MB"
	}
	return cash(hour) + " a GB and hour"
}

func printPrices(out io.Writer, colours bool, p *v1.Prices) error {
	g := &grid{left: 2}
	g.add("policy", p.Policy)
	for _, s := range p.Settings {
		g.add("  "+s.Name, s.Value)
	}
	r := hourly(p.Rates)
	g.add("processor", cash(r.ProcessorHour)+" an hour")
	g.add("memory", storage(r.MemoryHour, r.Memory))
	g.add("disk", storage(r.DiskHour, r.Disk))
	if r.GPUHour != 0 {
		g.add("GPU", cash(r.GPUHour)+" an hour")
	}
	for _, kind := range slices.Sorted(maps.Keys(r.GPUKinds)) {
		g.add(kind+" GPU", cash(r.GPUKinds[kind])+" an hour")
	}
	for _, p := range partitionRates(&r) {
		g.add("partition "+p.name, p.rate)
	}
	g.add("processors", fmt.Sprintf("%d of %d up", p.Up, p.Processors))
	g.add("in use", fmt.Sprintf("%s %s", meter(p.Utilization, loadBar), percent(p.Utilization)))
	g.add("promised", fmt.Sprintf("%s %s", meter(p.Kept, loadBar), percent(p.Kept)))
	g.add("kept", fmt.Sprintf("%s %s by %s", meter(p.Quoted, loadBar), percent(p.Quoted), number(int64(p.Quotes), "quote")))
	if err := g.write(out, ""); err != nil || len(p.Samples) == 0 {
		return err
	}
	if _, err := printf(out, "\na minute on one processor:\n"); err != nil {
		return err
	}
	return priceBoard(p.Samples, 1, 0).paint(out, colours)
}
