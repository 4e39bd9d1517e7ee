package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/libra-market/libra/live/agent"
)

func main() {
	// Agents start this program again as the parent of a job.
	if code, done := agent.Reexec(os.Args[1:]); done {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C asks for a clean end; a second one is not held up.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program: tests call it as a shell would.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	con := newConsole(stdin, stdout, stderr)
	defer con.finish()
	defer func() {
		// A broken invariant is our mistake and no reason to show a user a
		// stack trace.
		if broken := recover(); broken != nil {
			con.complain(fmt.Errorf("internal error, please report it with the command line: %v", broken))
			code = exitFailure
		}
	}()
	err := execute(ctx, con, args)
	if err != nil {
		con.complain(err)
	}
	return exitCode(err)
}
