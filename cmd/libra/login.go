package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
)

func newLogin(con *console) *cobra.Command {
	var opts liveOptions
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Print a link that signs a browser in",
		Long: `Print a link to the page that signs whoever opens it in as you: once, and within ten
minutes. The token itself stays where it is.`,
		Example: `  libra login
  xdg-open "$(libra login)"`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				link, err := market.LoginLink(ctx)
				if err != nil {
					return err
				}
				if opts.json {
					return con.writeJSON(map[string]string{"url": link})
				}
				_, err = printline(con.out, link)
				return err
			})
		},
	}
	opts.flags(cmd)
	return cmd
}
