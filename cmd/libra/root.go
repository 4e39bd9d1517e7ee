package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/libra-market/libra/core/spelling"
)

// execute finds the command that the arguments name and runs it.
func execute(ctx context.Context, con *console, args []string) error {
	running := false
	root := newRoot(con)
	root.PersistentPreRun = func(*cobra.Command, []string) { running = true }
	root.SetArgs(args)
	if err := unknownCommand(root, args); err != nil {
		return err
	}
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return nil
	}
	// Whatever goes wrong before a command runs is wrong with its arguments.
	if !running {
		err = &usageError{err}
	}
	if _, wrong := errors.AsType[*usageError](err); wrong {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	return err
}

func newRoot(con *console) *cobra.Command {
	root := &cobra.Command{
		Use:   "libra",
		Short: "A market for compute",
		Long: `Libra is a market for compute: people say what a job is worth and when they
need it, and Libra answers with a price and a promise.

Exit codes: 0 ok, 1 failure, 2 wrong usage, 3 the market said no.`,
		Example: `  # a market on this machine
  libra up

  # a job with a deadline, in another terminal
  libra submit --estimate 5s --deadline 20s --budget 0.01 -- sh -c 'sleep 3; echo hello'

  # compare two policies on the last 5000 jobs of a log
  libra simulate --policy libra,libra-plus --workload SDSC-SP2.swf.gz --last 5000

  # what is in this log?
  libra trace info SDSC-SP2.swf.gz`,
		Version:       buildVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          showHelp,
	}
	root.SetIn(con.in)
	root.SetOut(con.out)
	root.SetErr(con.err)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	cobra.EnableCommandSorting = false // they stand in the order in which they are used
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Jobs", jobCommands(con)},
		{"The market", marketCommands(con)},
		{"Running one", []*cobra.Command{
			newUp(con), newServe(con), newAgent(con), newBroker(con), newSlurm(con), newConfig(con), newReport(con), newVoid(con), newLedger(con), newBackup(con), newRestore(con), newArchive(con),
		}},
		{"The laboratory", []*cobra.Command{
			newSimulate(con), newBound(con), newSimulateGrid(con), newSweep(con), newReproduce(con), newReplay(con), newRevenue(con), newPolicies(con), newTrace(con),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, cmd := range group.commands {
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.AddCommand(newVersion(con), newMan())
	fitHelp(root, con)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("completion") // named, because it looks at what was asked for
	return root
}

// showHelp is what a command that only has commands under it does.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// unknownCommand finds a word that stands where a command should. It looks
// before cobra does, which would complain of the flags that belong to it.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil // the shell asks; cobra adds that command later
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		cmd, rest = root, args
	}
	if cmd.Name() == "help" {
		return unknownCommand(root, rest)
	}
	if !cmd.HasSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") || cmd.Annotations[takesArguments] != "" {
		return nil
	}
	hint := fmt.Sprintf("; see %s --help", cmd.CommandPath())
	if near := cmd.SuggestionsFor(rest[0]); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usagef("unknown command %q for %s%s", rest[0], cmd.CommandPath(), hint)
}

// flagError says in the user's words what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	if missing, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return unknownFlag(cmd, missing)
	}
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return &usageError{err}
	}
	want := wrong.GetFlag().Value.Type()
	switch want {
	case "int", "int64":
		want = "a whole number"
	case "uint64":
		want = "a whole number of 0 or more"
	case "float64":
		want = "a number"
	case "bool":
		want = "true or false"
	}
	return usagef("--%s: %q is not %s", wrong.GetFlag().Name, wrong.GetValue(), want)
}

// unknownFlag names the flag that was meant, if there is one like it.
func unknownFlag(cmd *cobra.Command, missing *pflag.NotExistError) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := spelling.Nearest(missing.GetSpecifiedName(), names)
	if near == "" || missing.GetSpecifiedShortnames() != "" {
		return &usageError{missing}
	}
	return usagef("%w; did you mean --%s?", missing, near)
}

// positional wants exactly the arguments named.
func positional(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usagef("%s is missing", strings.Join(names[len(args):], " and "))
		}
		if len(args) > len(names) {
			return usagef("%q is one argument too many", args[len(names)])
		}
		return nil
	}
}

// complete offers a fixed choice to the shell.
func complete(choices ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp)
}

// completeFlag offers a fixed choice as the value of a flag.
func completeFlag(cmd *cobra.Command, flag string, choices ...string) {
	// It only fails for a flag that does not exist, which the tests would show.
	if err := cmd.RegisterFlagCompletionFunc(flag, complete(choices...)); err != nil {
		panic(err)
	}
}

// completeWorkload offers the files that can be read as a workload.
func completeWorkload(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"swf", "csv", "gz"}, cobra.ShellCompDirectiveFilterFileExt
}
