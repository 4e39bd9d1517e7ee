package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

func newTop(con *console) *cobra.Command {
	var opts liveOptions
	all, once := false, false
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch nodes, jobs, prices and revenue on a terminal",
		Long: `Watch the market on a terminal: the nodes with what is given of them, the jobs with
when they are due and what they cost by now, the price, and for an owner what came in
today. It works over ssh, in 80 columns and 24 lines, and without colours (NO_COLOR).

Keys: up, down and page keys move; s sorts by another column, r turns the order; / filters
by name, user or state; enter looks into a job, l follows what it writes, c cancels it
(and asks); a shows everybody's jobs (owner), ? says all keys, esc goes back,
q ends.`,
		Example: `  libra top
  libra top --all
  libra top --once > snapshot.txt`,
		Args: positional(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				me, err := market.Whoami(ctx)
				if err != nil {
					return err
				}
				b := newTopBoard(market, &me, all)
				if once || opts.json {
					return b.snapshot(ctx, con, opts.json)
				}
				return b.watch(ctx, con)
			})
		},
	}
	opts.flags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "everybody's jobs (owner of the cluster)")
	cmd.Flags().BoolVar(&once, "once", false, "print it once and end")
	return cmd
}

// snapshot prints what there is to see, once.
func (b *topBoard) snapshot(ctx context.Context, con *console, asJSON bool) error {
	state := b.fetch(ctx, b.all)
	if state.err != nil {
		return state.err
	}
	if asJSON {
		return con.writeJSON(state.topState)
	}
	b.take(state)
	b.width, b.height = 80, len(b.nodes)+len(b.jobs)+8
	_, err := io.WriteString(con.out, b.screen()+"\n")
	return err
}

// watch draws it until somebody has seen enough.
func (b *topBoard) watch(ctx context.Context, con *console) error {
	in, is := con.in.(*os.File)
	out := con.out
	if s, made := out.(*screen); made {
		out = s.to // what is in a cell was made plain, and the rest is ours
	}
	if !is || !onTerminal(con.out) {
		return errors.New("top needs a terminal; libra top --once prints it")
	}
	b.ctx, b.colours = ctx, con.colours()
	_, err := tea.NewProgram(b, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithAltScreen()).Run()
	if errors.Is(err, tea.ErrProgramKilled) || errors.Is(err, tea.ErrInterrupted) {
		return nil
	}
	return err
}

// topState is what the market says of itself, all at about the same time.
type topState struct {
	AtUS   int64         `json:"at_us"`
	Nodes  []v1.NodeView `json:"nodes"`
	Jobs   []v1.Job      `json:"jobs"`
	Prices v1.Prices     `json:"prices"`
	Today  *v1.Tally     `json:"today,omitempty"` // for an owner
}

// topMessage is that, or why there is none.
type topMessage struct {
	topState
	err    error
	beside bool // no other look follows it
}

// topJobs is how many jobs are looked at: those under way first of all.
const topJobs = 500

// fetch asks the market.
func (b *topBoard) fetch(ctx context.Context, all bool) topMessage {
	m := topMessage{topState: topState{AtUS: wallClock().UnixMicro()}}
	query := v1.JobQuery{Owner: b.me.User}
	if all {
		query.Owner = ""
	}
	live, recent := query, query
	live.States = statesOf(false)
	page, err := listJobs(ctx, b.market, live, topJobs)
	if err == nil {
		m.Jobs = page.Jobs
		recent.States = statesOf(true)
		page, err = listJobs(ctx, b.market, recent, topEnded)
		m.Jobs = append(m.Jobs, page.Jobs...)
	}
	if err == nil {
		m.Nodes, err = b.market.Nodes(ctx)
	}
	if err == nil {
		m.Prices, err = b.market.Prices(ctx)
	}
	if err == nil && b.me.Role == v1.RoleOwner {
		day := wallClock().UTC().Truncate(24 * time.Hour)
		today, bad := b.market.Tally(ctx, day.UnixMicro(), wallClock().UnixMicro())
		m.Today, err = &today, bad
	}
	m.err = err
	return m
}

// topEnded is how many that have ended are shown beside those under way.
const topEnded = 50
