package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// jobCommands are for those who have jobs done.
func jobCommands(con *console) []*cobra.Command {
	return []*cobra.Command{
		newSubmit(con), newSbatch(con), newSalloc(con), newSrun(con), newQuote(con), newEstimate(con), newJobs(con), newJob(con), newExplain(con), newLogs(con), newCancel(con), newRelease(con),
	}
}

// marketCommands show the market and what one has there.
func marketCommands(con *console) []*cobra.Command {
	return []*cobra.Command{newTop(con), newPrices(con), newNodes(con), newAccount(con), newStatement(con), newLogin(con), newToken(con)}
}

// liveOptions are the flags that all of them have.
type liveOptions struct {
	connection
	json  bool
	exact bool
}

func (o *liveOptions) flags(cmd *cobra.Command) {
	o.connection.flags(cmd)
	f := cmd.PersistentFlags()
	f.BoolVar(&o.json, "json", false, "print as JSON")
	f.BoolVar(&o.exact, "exact", false, "print amounts to the last of six decimals")
}

// ask does something with the market. What the market said no to is a result
// too, for programs that read one.
func (o *liveOptions) ask(ctx context.Context, con *console, do func(context.Context, *client.Client) error) error {
	exact.Store(o.exact)
	err := o.with(ctx, do)
	if no, ok := errors.AsType[*refusal](err); ok && o.json {
		if bad := con.writeJSON(no.Problem); bad != nil {
			return bad
		}
	}
	return err
}

// completeJobs offers the numbers of jobs to the shell. It is quick or says
// nothing.
func (o *liveOptions) completeJobs(states ...v1.State) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		market, _, err := o.dial(-1)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionPatience)
		defer cancel()
		page, err := market.Jobs(ctx, v1.JobQuery{States: states, Limit: 50})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var offers []cobra.Completion
		for i := range page.Jobs {
			j := &page.Jobs[i]
			offers = append(offers, cobra.CompletionWithDesc(strconv.FormatInt(j.ID, 10), fmt.Sprintf("%s, %s", j.Name, j.Shown())))
		}
		return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

const completionPatience = time.Second

// statesOf lists the states that have not ended, or those that have.
func statesOf(final bool) []v1.State {
	var out []v1.State
	for _, s := range v1.States() {
		if s.Final() == final {
			out = append(out, s)
		}
	}
	return out
}
