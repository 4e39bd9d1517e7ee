package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

func newAccount(con *console) *cobra.Command {
	var opts liveOptions
	var form look
	cmd := &cobra.Command{
		Use:     "account [PATH]",
		Aliases: []string{"accounts"},
		Short:   "Show accounts, and move money between them",
		Long: `Show an account and those below it: what is free, what is held for jobs and quotes, what
was spent this month and what was sent to others, how much of the limit of the month all
that has used, how far it may
go below zero, and who is bound to it. Without a path it is all that you are bound to, or
for the owner of the cluster all.`,
		Example: `  libra account
  libra account lab/alice
  libra account -o csv --sort-by=-spent
  libra account open lab/alice --user alice
  libra account grant lab/alice 100
  libra account allow lab/alice 100 --every 24h
  libra account limit lab 500`,
		Annotations: map[string]string{takesArguments: "PATH"},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%q is one argument too many", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := accountColumns.check(&form); err != nil {
				return err
			}
			path := ""
			if len(args) > 0 {
				path = args[0]
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				list, err := market.Accounts(ctx, path)
				if err != nil {
					return err
				}
				if path != "" && len(list) == 0 {
					return noAccount(ctx, market, path, opts.words())
				}
				switch {
				case opts.json || form.form == asJSON:
					if err := accountColumns.sort(&form, list); err != nil {
						return err
					}
					return con.writeJSON(v1.AccountList{Accounts: list})
				case !form.usual():
					return accountColumns.print(&form, con.out, list)
				}
				return printAccounts(con.out, list)
			})
		},
	}
	opts.flags(cmd)
	form.flags(cmd, accountColumns.names())
	cmd.AddCommand(accountChanges(con, &opts)...)
	return cmd
}

// takesArguments marks a group of commands that does something with a word
// that is none of them.
const takesArguments = "takes-arguments"

func printAccounts(out io.Writer, list []v1.Account) error {
	if len(list) == 0 {
		_, err := printline(out, "no accounts")
		return err
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b v1.Account) int {
		// Below comes after: a/b before a-b.
		return slices.Compare(strings.Split(a.Path, "/"), strings.Split(b.Path, "/"))
	})
	shown := map[string]bool{}
	// Narrow terminals go without what is seldom set; the tree stays.
	g := &grid{left: 1, head: true, spare: []int{7, 5, 6, 8}}
	sent := slices.ContainsFunc(list, func(a v1.Account) bool { return a.Sent != 0 })
	add := func(cells ...string) {
		const at = 4
		if !sent {
			cells = slices.Delete(cells, at, at+1)
		}
		g.add(cells...)
	}
	if !sent {
		g.spare = []int{6, 4, 5, 7}
	}
	add("account", inUnit("free"), "held", "spent", "sent", "of limit", "limit", "credit", "bound", allowances(list))
	for i := range list {
		a := &list[i]
		shown[a.Path] = true
		used, limit, credit, bound, note := "-", "-", "-", "-", ""
		if a.Limit != nil {
			used, limit = bare(a.Used), bare(*a.Limit)
		}
		if len(a.Users) > 0 {
			bound = strings.Join(a.Users, ",")
		}
		if a.Credit != 0 {
			credit = bare(a.Credit)
		}
		if note = incomeOf(a); a.Closed {
			note = "closed"
		}
		add(treeName(a.Path, shown), bare(a.Free), bare(a.Held), bare(a.Spent), bare(a.Sent), used, limit, credit, bound, note)
	}
	return g.write(out, "")
}

// allowances is the head of the last column, which says what comes by itself.
func allowances(list []v1.Account) string {
	if slices.ContainsFunc(list, func(a v1.Account) bool { return a.Allowance != 0 }) {
		return "allowance"
	}
	return ""
}

// treeName is the name of an account under those above it that are shown.
func treeName(path string, shown map[string]bool) string {
	depth, rest := 0, path
	for i, c := range path {
		if c == '/' && shown[path[:i]] {
			depth++
			rest = path[i+1:]
		}
	}
	return strings.Repeat("  ", depth) + rest
}
