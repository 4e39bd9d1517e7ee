package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/directive"
)

// sallocCommand are the flags of libra salloc and libra srun.
type sallocCommand struct {
	sbatchCommand
	step    bool // it is srun: what is run, runs on the nodes
	noShell bool
}

func newSalloc(con *console) *cobra.Command {
	o := &sallocCommand{}
	cmd := &cobra.Command{
		Use:   "salloc [options of sbatch] [COMMAND [ARGS...]]",
		Short: "Have processors of a Slurm cluster for a while, and a shell on them",
		Long: `Salloc buys processors for as long as -t says, by the hour, and opens a shell on the first
of their nodes; or it runs a command here that finds them as Slurm's salloc would let it
(SLURM_JOB_ID: srun starts its steps there). They are yours until then, whatever comes,
and are paid for by the time that you have them: leaving the shell, or the end of the
command, gives them back, and with them the rest of what was held (the market's terms say
what is owed of what was reserved and not used; libra quote says it before).

Options are those of libra sbatch. When the time is over, or the node is lost, what runs
there ends. A closed terminal gives the processors back like leaving; so does a libra salloc
that ends, however it does, before it has them.`,
		Example: `  # an hour of two processors of one node, and a shell there
  libra salloc -t 60 -N 1 -n 2

  # a command here, whose steps run there
  libra salloc -t 10 -n 4 --budget 5 make check

  # have them, and leave them: libra cancel gives them back
  libra salloc -t 60 --no-shell --json`,
		DisableFlagParsing: true,
		Annotations:        map[string]string{takesArguments: "yes"},
		RunE:               func(cmd *cobra.Command, args []string) error { return runSalloc(cmd, con, o, args) },
	}
	o.allFlags(cmd)
	cmd.Flags().BoolVar(&o.noShell, "no-shell", false, "begin nothing, and keep the processors until the time is over or the job is cancelled")
	return cmd
}

func newSrun(con *console) *cobra.Command {
	o := &sallocCommand{step: true}
	cmd := &cobra.Command{
		Use:   "srun [options of sbatch] COMMAND [ARGS...]",
		Short: "Run a command on processors of a Slurm cluster, with this terminal",
		Long: `Srun buys processors for as long as -t says, runs a command there, once for each task,
with this terminal as its own, and gives them back when it ends: libra salloc for one
command. It exits as the command does.`,
		Example: `  libra srun -t 5 hostname
  libra srun -t 30 -n 4 --budget 5 ./simulate input.dat`,
		DisableFlagParsing: true,
		Annotations:        map[string]string{takesArguments: "yes"},
		RunE:               func(cmd *cobra.Command, args []string) error { return runSalloc(cmd, con, o, args) },
	}
	o.allFlags(cmd)
	return cmd
}

func (o *sallocCommand) allFlags(cmd *cobra.Command) {
	o.flags(cmd)
	o.ownFlags(cmd)
	cmd.Flags().BoolP("help", "h", false, "help for "+cmd.Name())
}

func runSalloc(cmd *cobra.Command, con *console, o *sallocCommand, args []string) error {
	line, help, err := o.read(cmd, args)
	if err != nil || help {
		return err
	}
	flags := cmd.Flags()
	command := line.Args
	if o.step && len(command) == 0 {
		return usagef("what should be run? as in: libra srun -t 5 hostname")
	}
	request, err := o.holder(con, flags, line)
	if err != nil {
		return err
	}
	if err = checkRequest(cmd, &request); err != nil {
		return err
	}
	if request.BeginMS > 0 || request.Hold {
		return usagef("--begin and --hold are for libra sbatch: an allocation is had now")
	}
	return o.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
		prices, err := market.Prices(ctx)
		if err != nil {
			return err
		}
		if prices.Runs == "" {
			return errors.New("this market runs jobs by its own agents, which have no terminal to give: libra submit runs a program there, and libra salloc needs a market on Slurm")
		}
		nodes, err := market.Nodes(ctx)
		if err != nil {
			return err
		}
		a := allocation{con: con, market: market, json: o.json, quiet: o.quiet, lasts: time.Duration(request.EstimateMS) * time.Millisecond, patience: 30 * time.Second}
		if err = a.grant(ctx, request, ratingsOf(nodes, request.Reservation)); err != nil {
			return err
		}
		if o.noShell {
			return a.left()
		}
		return a.use(ctx, command, o.step)
	})
}

// holder is the request of a job that does nothing but be there, for as long as -t says.
func (o *sallocCommand) holder(con *console, flags *pflag.FlagSet, line directive.Command) (v1.Request, error) {
	name := "interactive"
	if len(line.Args) > 0 {
		name = line.Args[0]
	}
	line.Args = nil
	o.wrap, o.wraps, o.holds = "exec sleep infinity", true, true
	request, head, err := o.request(con, flags, line)
	o.tell(con, true)
	switch {
	case err != nil:
		return request, err
	case request.EstimateMS == 0:
		return request, usagef("-t is missing: for how long, as in: libra salloc -t 60")
	case request.DeadlineMS != 0:
		return request, usagef("--deadline: it is had at once, and for as long as -t says")
	case request.Array != nil || head.Singleton || !head.Printed.None() || request.Follows():
		return request, usagef("neither an array nor a dependency can be had with a terminal: libra sbatch takes both")
	}
	if head.Whole() {
		return request, usagef("--exclusive and --mem=0 are for libra sbatch: say how many processors and how much memory (-n, -c, --mem)")
	}
	if n := len(head.Spreads); n > 0 {
		head.Spread(&request, head.Spreads[n-1]) // the easiest to be had
	}
	if request.Name == "wrap" {
		request.Name = name
	}
	request.Script = holding((request.EstimateMS+999)/1000, canCome())
	request.Once, request.NoRestart, request.Output, request.Error = true, true, "/dev/null", ""
	return request, nil
}

// begins is how long it may take until somebody has what was promised at once.
const begins = 30 * time.Second

// ratingsOf are those of the nodes that take jobs, the fastest first; those that are hardly
// slower than another are left out. Which nodes a reservation has Slurm is asked when it is
// named: of one any may be.
func ratingsOf(nodes []v1.NodeView, reservation string) []float64 {
	const hardly = 0.95
	var all, some []float64
	for i := range nodes {
		if n := &nodes[i]; n.Up && n.Rating > 0 && (reservation != "" || !n.Closed && n.Reserved == "") {
			all = append(all, n.Rating)
		}
	}
	slices.Sort(all)
	for _, rating := range slices.Backward(all) {
		if len(some) == 0 || rating < hardly*some[len(some)-1] {
			some = append(some, rating)
		}
	}
	return some
}

// ends is how much longer than for its time somebody may have it, until what holds it has
// begun and is gone again: it is paid for like the rest, and part of what is paid at most.
const ends = 2 * time.Second

// lasts makes a request one for whole processors for a time: work is what nodes of a rating
// do in it, and it is to be done in that time.
func lasts(r v1.Request, rating float64) v1.Request {
	r.EstimateMS += ends.Milliseconds()
	r.DeadlineMS = r.EstimateMS + begins.Milliseconds()
	r.EstimateMS = max(1, int64(float64(r.EstimateMS)*rating))
	return r
}
