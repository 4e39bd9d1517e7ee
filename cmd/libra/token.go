package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/directive"
	"github.com/libra-market/libra/live/passwd"
)

func newToken(con *console) *cobra.Command {
	var opts liveOptions
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke tokens",
		Long: `Make, list and revoke tokens: what commands and programs show to the market to say who
they are.`,
		Example: `  libra token create --name laptop
  libra token list
  libra token revoke 3f0c9a51d2b7e846`,
		RunE: showHelp,
	}
	opts.flags(cmd)
	cmd.AddCommand(newTokenCreate(con, &opts), newTokenList(con, &opts), newTokenRevoke(con, &opts))
	return cmd
}

func newTokenCreate(con *console, opts *liveOptions) *cobra.Command {
	var want v1.TokenRequest
	role, life := "", ""
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make a token and print its secret, this once",
		Long: `Make a token and print its secret, which is not kept and cannot be shown again. The
owner of the cluster can make tokens for others, and for nodes.

A token for root, for the user of a daemon or for nobody is made only with
--system-user: whoever has it may hand in jobs that run as that user, on nodes whose
agents allow it (libra agent --system-users).`,
		Example: `  (umask 077; libra token create --name ci --ttl 30d > token)
  libra token create --user bob
  libra token create --user node7 --role node`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			want.Role = v1.Role(role)
			if life != "" {
				ms, err := directive.Duration(life)
				if err != nil {
					return usagef("--ttl: %w", err)
				}
				want.TTLMS = ms
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				t, err := market.MakeToken(ctx, want)
				if err != nil {
					return err
				}
				if opts.json {
					return con.writeJSON(t)
				}
				printf(con.err, "token %s of %s (%s), good %s; its secret is shown this once:\n", t.ID, t.User, t.Role, tokenEnd(&t.Token))
				if t.Role != v1.RoleNode && passwd.IsSystem(t.User) {
					printf(con.err, "%s is a user of the system: where agents allow it, jobs handed in with this token run as %[1]s\n", t.User)
				}
				_, err = printline(con.out, t.Secret)
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&want.Name, "name", "", "`name` to tell it from others")
	f.StringVar(&want.User, "user", "", "`user` it is for (default: you)")
	f.StringVar(&role, "role", "", "`role`: user, owner, node (default user)")
	f.BoolVar(&want.SystemUser, "system-user", false, "the user is root, or another user of the system, and is meant to be")
	f.StringVar(&life, "ttl", "", "how `long` it is good: 12h, 30d (default 90d)")
	completeFlag(cmd, "role", string(v1.RoleUser), string(v1.RoleOwner), string(v1.RoleNode))
	return cmd
}

func newTokenList(con *console, opts *liveOptions) *cobra.Command {
	user, all := "", false
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tokens, without their secrets",
		Long:  "List your tokens, without their secrets; or for the owner of the cluster a user's, or all.",
		Example: `  libra token list
  libra token list --all --json`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all {
				user = "*"
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				list, err := market.Tokens(ctx, user)
				if err != nil {
					return err
				}
				if opts.json {
					return con.writeJSON(v1.TokenList{Tokens: list})
				}
				return printTokens(con.out, list)
			})
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "those of this `user` (owner of the cluster)")
	cmd.Flags().BoolVar(&all, "all", false, "everybody's (owner of the cluster)")
	return cmd
}

func newTokenRevoke(con *console, opts *liveOptions) *cobra.Command {
	children := false
	cmd := &cobra.Command{
		Use:   "revoke ID",
		Short: "End a token",
		Long: `End a token: from now on it opens nothing. Tokens that were made with it go on (libra
token list says which they are), unless --with-children ends them too, and those that
were made with these.`,
		Example: `  libra token revoke 3f0c9a51d2b7e846
  libra token revoke 3f0c9a51d2b7e846 --with-children`,
		Args: positional("ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				revoke, what := market.RevokeToken, "is void"
				if children {
					revoke, what = market.RevokeTokenTree, "is void, with all that was made with it"
				}
				if err := revoke(ctx, args[0]); err != nil || opts.json {
					return err
				}
				_, err := printf(con.out, "token %s %s\n", args[0], what)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&children, "with-children", false, "also the tokens that were made with it, and with those")
	return cmd
}

func printTokens(out io.Writer, list []v1.Token) error {
	if len(list) == 0 {
		_, err := printline(out, "no tokens")
		return err
	}
	g := &grid{left: 7, head: true}
	add := func(_ string, cells ...string) { g.add(cells...) }
	if slices.ContainsFunc(list, func(t v1.Token) bool { return t.Parent != "" }) {
		add = func(parent string, cells ...string) { g.add(append(cells, parent)...) }
	}
	add("made with", "token", "user", "role", "name", "made", "good")
	for i := range list {
		t := &list[i]
		add(t.Parent, t.ID, t.User, string(t.Role), t.Name, moment(t.MadeUS), tokenEnd(t))
	}
	return g.write(out, "")
}

func tokenEnd(t *v1.Token) string {
	switch {
	case t.RevokedUS != 0:
		return "revoked " + moment(t.RevokedUS)
	case t.ExpiresUS == 0:
		return "for ever"
	case fromNow(t.ExpiresUS) <= 0:
		return "expired " + moment(t.ExpiresUS)
	default:
		return "until " + moment(t.ExpiresUS)
	}
}
