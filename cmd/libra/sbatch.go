package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/estimate"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/directive"
)

// sbatchCommand are the flags of libra sbatch that are not options of a job in
// Slurm.
type sbatchCommand struct {
	liveOptions
	wrap     string
	wraps    bool // it was said, if nothing more
	parsable bool
	quiet    bool
	wait     bool
	testOnly bool
	usage    bool
	version  bool
	holds    bool // what is handed in only holds its processors
	notes    []directive.Note
}

// marketTerms are terms of a job that sbatch has no word for; on the command line
// they are flags like its own.
var marketTerms = []string{"estimate", "budget", "penalty", "soft", "overrun", "wish", "class", "grace", "tags"}

func newSbatch(con *console) *cobra.Command {
	var o sbatchCommand
	cmd := &cobra.Command{
		Use:   "sbatch [options of sbatch] [SCRIPT [ARGS...]]",
		Short: "Hand in a job script as sbatch would, for a price",
		Long: `Sbatch takes a job script as Slurm's sbatch does: with #SBATCH lines and the same
options (-J -n -N -c -t -o -e -D -a --mem --export --dependency=afterok:12 and so on;
-t is the estimate of its runtime). Its #LIBRA lines, or --budget, --penalty and the
like, say what it is worth; --deadline when it must be done. Options beat what the
script says. Without a script it is read from standard input, or made by --wrap.

Where Slurm runs the jobs, the number it prints is Slurm's, that of squeue and scancel
(slurm:4711 to the other commands of libra), and so are those in --dependency. A job
that waits in the market, for another one, for --begin or on --hold (libra release), is
held in Slurm; one that may be on several nodes is not there yet: libra:12 is printed of
it, and understood.

What cannot be had is refused by name. The market's answer is a price and a promise,
or a refusal with what it would take instead (exit code 3). Otherwise it ends as sbatch
does: with 255 where options cannot be read, and with 1 where the script cannot.`,
		Example: `  # what was "sbatch job.sh" before
  libra sbatch job.sh

  # two minutes of work within ten, for 5 at most
  libra sbatch -t 2 --deadline=now+10minutes --budget 5 --wrap './simulate input.dat'

  # after another one, and only the number, for a script
  id=$(libra sbatch --parsable first.sh); libra sbatch --dependency=afterok:$id second.sh`,
		DisableFlagParsing: true, // the options are sbatch's
		Annotations:        map[string]string{takesArguments: "yes"},
		RunE:               func(cmd *cobra.Command, args []string) error { return asSbatch(runSbatch(cmd, con, &o, args)) },
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.wrap, "wrap", "", "`command` to make a script of")
	f.BoolVar(&o.parsable, "parsable", false, "print the number of the job and nothing else")
	f.BoolVar(&o.testOnly, "test-only", false, "say price and promise, and hand nothing in")
	f.BoolVarP(&o.wait, "wait", "W", false, "wait for the job to end and exit with its code")
	o.ownFlags(cmd)
	f.BoolP("help", "h", false, "help for sbatch")
	f.BoolVar(&o.usage, "usage", false, "how it is called, and nothing more")
	f.BoolVarP(&o.version, "version", "V", false, "the version of Slurm, as sbatch says it, or of libra where there is none")
	return cmd
}

// ownFlags are those of every command that takes the options of sbatch.
func (o *sbatchCommand) ownFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&o.quiet, "quiet", "Q", false, "no notes on what the script says")
	for _, t := range termHelp {
		if slices.Contains(marketTerms, t.name) {
			f.String(t.name, "", t.help)
		}
	}
	f.Bool("soft", false, "the deadline can bear a delay, for the penalty")
}

// read takes a command line apart as sbatch does. Who asks for help has had it.
func (o *sbatchCommand) read(cmd *cobra.Command, args []string) (line directive.Command, help bool, err error) {
	if line, err = directive.SplitSbatch(args, o.owns(cmd)); err != nil {
		return line, false, &usageError{err}
	}
	flags := cmd.Flags()
	cmd.DisableFlagParsing = false
	if err = flags.Parse(line.Own); err != nil {
		return line, false, flagError(cmd, err)
	}
	if help, _ = flags.GetBool("help"); help {
		err = cmd.Help()
	}
	return line, help, err
}

func runSbatch(cmd *cobra.Command, con *console, o *sbatchCommand, args []string) error {
	line, help, err := o.read(cmd, args)
	if err != nil || help {
		return err
	}
	switch {
	case o.usage:
		_, err = printline(con.out, "Usage: "+cmd.UseLine())
		return err
	case o.version:
		_, err = printline(con.out, slurmVersion(cmd.Context()))
		return err
	}
	flags := cmd.Flags()
	o.wraps = flags.Changed("wrap")
	o.fromEnviron(&line)
	request, head, err := o.request(con, flags, line)
	if err != nil {
		return err
	}
	unsaid := request.EstimateMS == 0
	if !unsaid {
		if err = checkRequest(cmd, &request); err != nil {
			return err
		}
	}
	said := o.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
		prices, err := market.Prices(ctx)
		if unsaid {
			if missing := o.fillTime(ctx, con, market, &request, &prices); missing != nil {
				return missing
			}
			if wrong := checkRequest(cmd, &request); wrong != nil {
				return wrong
			}
		}
		if err != nil {
			return err
		}
		numbers := sbatchNumbers{market: market, batch: prices.Runs != ""}
		o.tell(con, numbers.batch)
		if numbers.batch {
			asText(&request)
		}
		if err = numbers.follow(ctx, &request, head.Printed); err != nil {
			return err
		}
		head.TellOfAll(&request)
		if head.Singleton {
			if err = numbers.alone(ctx, &request); err != nil {
				return err
			}
		}
		if some, _ := task.LicensesOf(request.Env); !numbers.batch && len(some) > 0 { // it was read before
			return usagef("--licenses: Slurm counts licences, and this market runs its jobs itself")
		}
		if err = o.whole(ctx, con, market, &prices, head, &request); err != nil {
			return err
		}
		if !numbers.batch {
			if task.Asked(request.Env) && !o.quiet {
				con.warn("--mail-type, --mail-user and --signal are for Slurm, and this market runs its jobs itself: nothing comes of them")
			}
			if slices.ContainsFunc(request.Env, func(e string) bool {
				name, file, _ := strings.Cut(e, "=")
				return name == task.Input && file != os.DevNull
			}) {
				return usagef("--input: Slurm's jobs can read a file as their standard input, and this market runs its jobs itself: open it in the script")
			}
			request.Env = task.WithoutPassed(request.Env)
		}
		if err = spread(ctx, market, head, &request, numbers.batch); err != nil {
			return err
		}
		if o.testOnly {
			quote := quoteOptions{liveOptions: o.liveOptions, preview: true}
			return quote.quoteOne(ctx, con, market, request)
		}
		job, err := market.Submit(ctx, request, "")
		if err != nil {
			return err
		}
		if !o.quiet {
			con.passedOver(&request, &job.Request)
		}
		printed := numbers.await(ctx, &job)
		return o.answer(ctx, con, market, job, printed)
	})
	if no, is := errors.AsType[*refusal](said); is {
		no.sbatch = true
	}
	return said
}

// owns says which options are this command's, and which of them have a value.
func (o *sbatchCommand) owns(cmd *cobra.Command) func(name string) (mine, value bool) {
	return func(name string) (mine, value bool) {
		var f *pflag.Flag
		if long, is := strings.CutPrefix(name, "--"); is {
			if f = cmd.Flags().Lookup(long); f == nil {
				f = cmd.PersistentFlags().Lookup(long)
			}
		} else if name == "-Q" || name == "-W" || name == "-h" || name == "-V" {
			f = cmd.Flags().ShorthandLookup(name[1:])
		}
		return f != nil, f != nil && f.NoOptDefVal == ""
	}
}

// request is what the script, the options and the flags say, with the head that says after
// which jobs it is to run by the numbers that sbatch prints.
func (o *sbatchCommand) request(con *console, flags *pflag.FlagSet, line directive.Command) (v1.Request, *directive.Head, error) {
	name, script, args, err := o.script(con, line.Args)
	if err == nil && strings.Contains(script, "\r\n") {
		err = fmt.Errorf("%s: the script has the line breaks of DOS (\\r\\n): interpreters take them for a part of the words before them; sed -i 's/\\r$//' takes them out", name)
	}
	if err != nil {
		return v1.Request{}, nil, err
	}
	place := directive.Place{Now: wallClock(), Nodefile: nodefile}
	if me, unknown := user.Current(); unknown == nil {
		place.User = me.Username
	}
	head := directive.New(place)
	if err = head.ReadSbatch(name, script, line.Options); err != nil {
		return v1.Request{}, nil, err
	}
	o.notes = head.Notes
	o.parsable, o.wait, o.testOnly = o.parsable || head.Parsable, o.wait || head.Wait, o.testOnly || head.TestOnly
	for _, term := range marketTerms {
		f := flags.Lookup(term)
		if !f.Changed {
			continue
		}
		if err = head.Set(term, f.Value.String()); err != nil {
			return v1.Request{}, nil, usagef("--%s: %w", term, err)
		}
	}
	head.Request.Script, head.Request.Argv = script, args
	here, err := syscall.Getwd() // as sbatch says it, and not by the links that led a shell there
	if err != nil {
		return v1.Request{}, nil, err
	}
	if !filepath.IsAbs(head.Request.Dir) {
		head.Request.Dir = filepath.Join(here, head.Request.Dir)
	}
	head.Request.Env = append(head.Request.Env, "SLURM_SUBMIT_DIR="+here)
	if len(line.Args) > 0 {
		path, err := filepath.Abs(onPath(line.Args[0]))
		if err != nil {
			return v1.Request{}, nil, err
		}
		head.Request.Env = append(head.Request.Env, estimate.ScriptFile+path)
	}
	if raised, unknown := syscall.Getpriority(syscall.PRIO_PROCESS, 0); unknown == nil {
		const usual = 20 // the kernel says how far it is above the lowest
		head.Request.Env = append(head.Request.Env, fmt.Sprintf("SLURM_PRIO_PROCESS=%d", usual-raised))
	}
	if host, unknown := os.Hostname(); unknown == nil {
		head.Request.Env = append(head.Request.Env, "SLURM_SUBMIT_HOST="+host)
	}
	if !o.holds {
		propagate(head)
	}
	return head.Finish(name, asStarted(os.Environ())), head, nil
}

// script is what is handed in, and how it is called.
func (o *sbatchCommand) script(con *console, args []string) (name, script string, rest []string, err error) {
	switch {
	case o.wraps && len(args) > 0:
		return "", "", nil, usagef("--wrap makes the script: there can be no other one (%s)", args[0])
	case o.wraps:
		return "wrap", "#!/bin/sh\n# This script was created by sbatch --wrap.\n\n" + o.wrap + "\n", nil, nil
	case len(args) == 0:
		_, script, err = con.readScript([]string{"-"}, nil)
		return "sbatch", script, nil, err
	}
	args = append([]string{onPath(args[0])}, args[1:]...)
	path := args[0]
	if path == "-" { // a file to sbatch, like any other
		path = "./-"
	}
	_, script, err = con.readScript([]string{path}, nil)
	return filepath.Base(args[0]), script, args[1:], err
}

// answer says what became of the job, in sbatch's words.
func (o *sbatchCommand) answer(ctx context.Context, con *console, market *client.Client, job v1.Job, printed string) error {
	var err error
	switch {
	case o.json:
		err = con.writeJSON(job)
	case o.quiet: // sbatch says nothing then, however it was asked to
	case o.parsable:
		_, err = printline(con.out, printed)
	default:
		_, err = printf(con.out, "Submitted batch job %s\n", printed)
		if err == nil && os.Getenv("SLURM_JOB_ID") == "" { // in a job it would be in the job's output, where nobody asks for it
			_, err = printline(con.err, acceptance(&job))
		}
	}
	if err != nil || !o.wait {
		return err
	}
	if job, err = awaitEnd(ctx, con, market, job, func(context.Context, *v1.Job) {}); err != nil {
		return err
	}
	err = endOf(&job)
	if end, failed := errors.AsType[*jobEnd](err); failed && job.State == v1.Failed {
		end.code = waitedFor(&job)
	}
	return err
}

// spread settles on how many nodes a job is to be that may be on several numbers of them: of a range
// (-N 2-4) the most that the market would take it on now, and where nothing is said but how many tasks
// it has the fewest on which it would begin now, as by sbatch, where Slurm runs them. What it takes on none it refuses with the
// fewest of a range, which are the easiest to be had, and is asked to put wherever there is room.
func spread(ctx context.Context, market *client.Client, head *directive.Head, r *v1.Request, batch bool) error {
	for _, nodes := range head.Spreads {
		head.Spread(r, nodes)
		_, err := market.Preview(ctx, *r)
		if problem, is := errors.AsType[*client.Problem](err); err == nil || !is || problem.ExitCode() != exitRefused {
			return err
		}
	}
	if batch && !r.Hold && r.BeginMS == 0 && !r.Follows() { // else its own agents start each task, wherever it is, or it would wait for one node
		pack(ctx, market, head, r)
	}
	return nil
}

// pack puts the tasks of a job on the fewest nodes on which it would begin now. It is but a look: what is
// wrong is said to who hands the job in.
func pack(ctx context.Context, market *client.Client, head *directive.Head, r *v1.Request) {
	for _, nodes := range head.Packs {
		packed := *r
		head.Spread(&packed, nodes)
		if q, err := market.Preview(ctx, packed); err == nil && q.PredictedUS > 0 { // it is foreseen of who has processors
			*r = packed
			return
		}
	}
}
