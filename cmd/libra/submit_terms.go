package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/estimate"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/directive"
	"github.com/libra-market/libra/live/wire"
)

// jobTerms are the flags that say what a job is. Each is a word of #LIBRA
// lines, and package directive knows what it means.
type jobTerms struct{}

// termHelp is the help of each, in the order of the words.
var termHelp = []struct{ name, short, help string }{
	{"estimate", "e", "`time` it runs with a processor to itself: 90s, 2m30s, 1h"},
	{"deadline", "d", "done by then: a `time` from now (10m, 1:30:00), of day (14:30, tomorrow 9:00), or RFC 3339"},
	{"budget", "b", "the most it may cost (where a node cannot stop it by itself: or its price and what it takes in three reports, if that is more): an `amount`, or none"},
	{"penalty", "", "`amount` to be paid back for each second after the deadline"},
	{"procs", "n", "`number` of processors"},
	{"threads", "", "`number` of processors of each program, all of one node (default 1: it is started on each processor)"},
	{"memory", "", "`amount` on each processor: 500M, 2G"},
	{"disk", "", "`amount` on each processor: 500M, 2G"},
	{"gpus", "", "`number` of GPUs of each program, or a kind and a number: 2, a100:2"},
	{"partition", "p", "`name` of the partition it is in, at its rate (default: the market's usual one; one that has none passes it over)"},
	{"reservation", "", "`name` of a reservation of Slurm's: it is on the nodes of that alone, while it lasts"},
	{"qos", "", "`name` of a QOS of Slurm's under which it runs, with the limits of that (default: your usual one; a market that runs its jobs itself passes it over)"},
	{"licenses", "", "`licences` of Slurm's that it has while it runs: fluent:2,matlab, or none"},
	{"nodelist", "", "`names` of nodes that it may be on, and on no others: n1,n[3-5]"},
	{"exclude", "", "`names` of nodes that it may not be on"},
	{"constraint", "", "`features` that its nodes must have: fast&ib (both), amd|intel (one of them)"},
	{"name", "", "`name` of the job (default: of the program)"},
	{"output", "", "`file` for its output: %j is the job (%b as Slurm calls it), %r the rank, %a the element, %x the name (default libra-%j.out)"},
	{"error", "", "`file` for its standard error (default: where the output goes)"},
	{"dir", "", "`directory` it runs in (default: this one)"},
	{"export", "", "`names` of variables it gets of this environment, or all, or none"},
	{"array", "", "`indexes` of a sweep: 1-100, 0-30:2, 1-100%10 for ten at a time"},
	{"after", "", "`jobs` that must have succeeded first: 12,13"},
	{"after-begun", "", "`jobs` that must have begun first, or ended: 12, 13+5 (and five minutes more)"},
	{"after-each", "", "`arrays` that must have ended first: of this one those elements run whose namesakes in them succeeded"},
	{"begin", "", "not before then: a `time` from now (10m, 1:30:00), of day (14:30, tomorrow 9:00), or RFC 3339; a deadline that is a time from now counts from there"},
	{"overrun", "", "`what` to do when it needs more than estimated and can have no more: stop, late, kill"},
	{"account", "", "`path` of the account that pays (default: your own)"},
	{"class", "", "`number` of its class, where the policy knows classes"},
	{"wish", "", "`what` matters: cheapest, fastest; over a broker also first, gain"},
	{"tags", "", "`words` for your own use, with commas between them"},
	{"grace", "", "`time` between SIGTERM and SIGKILL when it has to end (default 5s)"},
	{"optional", "", "`time` that it may run beyond the estimate, until the deadline, to add to its result"},
	{"optional-rate", "", "`amount` for each second of the optional part that was executed"},
	{"optional-command", "", "`command` of the optional part (default: the program goes on, and says when)"},
}

func (jobTerms) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.SetInterspersed(false) // what follows the script is the script's
	for _, t := range termHelp {
		f.StringP(t.name, t.short, "", t.help)
	}
	f.StringArray("env", nil, "`NAME=value` for its environment; may be repeated")
	f.Bool("hold", false, "it begins when you say so (libra release): nothing is promised before")
	f.Bool("soft", false, "the deadline can bear a delay, for the penalty")
	f.Bool("no-restart", false, "a lost node ends the job")
	specFlags(cmd)
	completeFlag(cmd, "overrun", string(v1.OverrunStop), string(v1.OverrunLate), string(v1.OverrunKill))
	completeFlag(cmd, "wish", "cheapest", "fastest", "first", "gain")
	completeFlag(cmd, "export", "all", "none")
}

// given reports whether any of them is.
func (jobTerms) given(cmd *cobra.Command) bool {
	some := false
	cmd.Flags().Visit(func(f *pflag.Flag) { some = some || isTerm(f.Name) || f.Name == specFlag })
	return some
}

func isTerm(name string) bool {
	for _, known := range directive.Terms() {
		if known == name {
			return true
		}
	}
	return false
}

// request puts together what is asked for: the head of the script, then the
// flags.
func (t jobTerms) request(cmd *cobra.Command, con *console, args []string) (v1.Request, error) {
	place := directive.Place{Now: wallClock()}
	if me, err := user.Current(); err == nil {
		place.User = me.Username
	}
	head := directive.New(place)
	name, err := con.readSpec(cmd, head)
	if err != nil {
		return v1.Request{}, err
	}
	script := ""
	switch dash := cmd.ArgsLenAtDash(); {
	case len(args) == 0:
	case dash == 0 && len(args) == 1 && oneText(args[0]):
		return v1.Request{}, usagef("%s is no program: a command line is for a shell: libra submit --estimate 2m -- sh -c %s", shellWord(args[0]), shellWord(args[0]))
	case dash == 0: // a program
		name = filepath.Base(args[0])
		head.Request.Argv = args
	default:
		if name, script, err = con.readScript(args, saidFlags(cmd.Flags())); err != nil {
			return v1.Request{}, err
		}
		head.Sweeps(cmd.Flag("array").Value.String())
		if err = head.Read(name, script); err != nil {
			return v1.Request{}, err
		}
		head.Request.Script, head.Request.Argv = script, args[1:]
		if args[0] == "-" {
			name = "stdin"
			break
		}
		path, nowhere := filepath.Abs(args[0])
		if nowhere != nil {
			return v1.Request{}, nowhere
		}
		name = filepath.Base(path)
		head.Request.Env = append(head.Request.Env, estimate.ScriptFile+path)
	}
	for _, n := range head.Notes {
		con.warn("%s", n)
	}
	if err = t.apply(cmd.Flags(), head); err != nil {
		return v1.Request{}, err
	}
	for _, flag := range []string{"memory", "disk"} {
		if text := cmd.Flag(flag).Value.String(); directive.WithoutUnit(text) {
			con.warn("--%s %s is %s megabytes; %sG would be gigabytes", flag, text, text, text)
		}
	}
	if text := cmd.Flag("deadline").Value.String(); directive.Counted(text) {
		con.note("--deadline %s", directive.CountedNote(text))
	}
	if !head.Request.HasProgram() {
		return head.Request, nil // only terms: a place and an environment are the program's
	}
	dir, err := filepath.Abs(head.Request.Dir) // "" is where we are
	if err != nil {
		return v1.Request{}, err
	}
	head.Request.Dir = dir
	return head.Finish(name, os.Environ()), nil
}

// oneText finds a command line that was given as if it were the name of a program.
func oneText(program string) bool {
	if !directive.ForShell(program) && !strings.Contains(program, " ") {
		return false
	}
	_, err := os.Stat(program)
	return err != nil // a name may have all that
}

// apply says to the head what the flags say.
func (jobTerms) apply(flags *pflag.FlagSet, head *directive.Head) error {
	var wrong error
	set := func(name, value string) {
		if err := head.Set(name, value); err != nil && wrong == nil {
			wrong = usagef("--%s: %w", name, err)
		}
	}
	flags.Visit(func(f *pflag.Flag) {
		switch list, isList := f.Value.(pflag.SliceValue); {
		case !isTerm(f.Name):
		case isList:
			for _, value := range list.GetSlice() {
				set(f.Name, value)
			}
		default:
			set(f.Name, f.Value.String())
		}
	})
	return wrong
}

// readScript reads the script of a command line, with what its flags said; "-" is standard input.
func (c *console) readScript(args, said []string) (name, script string, err error) {
	path := args[0]
	in, name := c.in, "standard input"
	if path != "-" {
		name = path
		file, missing := os.Open(path)
		if missing != nil {
			return "", "", noScript(args, said, missing)
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, trade.MaxScript+1))
	switch {
	case err != nil:
		return "", "", err
	case bytes.IndexByte(text, 0) >= 0:
		return "", "", usagef("%s is not a script; %s", name, afterDashes(args, said))
	case len(text) > trade.MaxScript:
		return "", "", fmt.Errorf("%s: a script has at most %d bytes", name, trade.MaxScript)
	case !bytes.HasPrefix(text, []byte("#!")):
		return "", "", fmt.Errorf("%s: the first line must say what runs the script: #!/bin/sh", name)
	}
	return name, string(text), nil
}

// noScript says what is wrong with a script that cannot be read: most often it is a
// program, and no -- before it.
func noScript(args, said []string, missing error) error {
	if _, err := exec.LookPath(args[0]); err != nil || !errors.Is(missing, fs.ErrNotExist) {
		return missing
	}
	return usagef("there is no script %s here; %s", args[0], afterDashes(args, said))
}

// afterDashes is what to type where a program was meant: all of it, so that it can be
// pasted.
func afterDashes(args, said []string) string {
	if !slices.Contains(said, "--estimate") {
		said = append([]string{"--estimate", "2m"}, said...)
	}
	words := []string{"libra submit"}
	for _, word := range slices.Concat(said, []string{"--"}, args) {
		words = append(words, shellWord(word))
	}
	return "a program comes after --: " + strings.Join(words, " ")
}

// saidFlags are the flags that were given, as words of a command line.
func saidFlags(flags *pflag.FlagSet) (words []string) {
	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, isList := f.Value.(pflag.SliceValue); isList {
			values = list.GetSlice()
		}
		for _, value := range values {
			switch f.NoOptDefVal {
			case "":
				words = append(words, "--"+f.Name, value)
			case value: // it stands alone
				words = append(words, "--"+f.Name)
			default:
				words = append(words, "--"+f.Name+"="+value)
			}
		}
	})
	return words
}

const submitExample = "libra submit --estimate 2m --deadline 10m -- ./simulate input.dat"

// checkRequest finds what is wrong before the market does, in the words of the
// command line.
func checkRequest(cmd *cobra.Command, r *v1.Request) error {
	if !r.HasProgram() && cmd.Name() == "submit" {
		return usagef("there is nothing to run: give a program after --, or a script, as in: %s", submitExample)
	}
	if r.EstimateMS == 0 {
		return usagef("--estimate is missing: how long it runs with a processor to itself, as in: %s (or in a script: #LIBRA estimate=2m)", submitExample)
	}
	err := wire.ValidateTerms(r)
	if r.HasProgram() {
		err = wire.Validate(r)
	}
	if wrong, ok := errors.AsType[*trade.FieldError](err); ok {
		return &usageError{flagFor(wrong.Field, err)}
	}
	return err
}
