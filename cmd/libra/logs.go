package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
)

// logsOptions are the flags of libra logs.
type logsOptions struct {
	liveOptions
	follow  bool
	stderr  bool
	rank    int
	element int
	tail    int
	raw     bool
	json    bool
}

func newLogs(con *console) *cobra.Command {
	var opts logsOptions
	cmd := &cobra.Command{
		Use:   "logs ID...",
		Short: "Show what a job writes",
		Long: `Show what a job has written, as its node has it. With --follow, what it writes from
now on too, until it has ended. Of several jobs each is shown under a line that names it.
--json has it as a text in an object, and with --follow an object on a line for each piece.

A terminal shows what a job writes and does not obey it: control characters appear as
\u001b and the like. --raw lets them through. Into a file or a pipe all goes as it is.`,
		Example: `  libra logs 12
  libra logs -f --tail 20 last
  libra logs --stderr --rank 3 12
  libra logs --element 7 12
  libra logs 12-15`,
		Args:              someIDs,
		ValidArgsFunction: opts.completeJobs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := readNames(args)
			if err != nil {
				return err
			}
			which := client.Output{Stderr: opts.stderr, Rank: opts.rank}
			if cmd.Flags().Changed("element") {
				which.Element = &opts.element
			}
			switch {
			case cmd.Flags().Changed("tail") && opts.tail < 0:
				return usagef("--tail: %d makes no sense (want 0 or more)", opts.tail)
			case opts.follow && len(names) > 1:
				return usagef("--follow: one job is wanted, not %d", len(names))
			}
			return opts.with(cmd.Context(), func(ctx context.Context, market *client.Client) error {
				return opts.show(ctx, con, market, names, which)
			})
		},
	}
	opts.connection.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&opts.json, "json", false, "print as JSON")
	f.BoolVarP(&opts.follow, "follow", "f", false, "go on until the job has ended")
	f.BoolVar(&opts.stderr, "stderr", false, "standard error in place of the output")
	f.IntVar(&opts.rank, "rank", 0, "of the task of this `number`")
	f.IntVar(&opts.element, "element", 0, "of the array element of this `index`")
	f.BoolVar(&opts.raw, "raw", false, "let a terminal obey what the job writes: colours, and whatever else")
	f.IntVar(&opts.tail, "tail", -1, "only the last `lines` of what is there (default: all)")
	return cmd
}

// show shows what each of the jobs has written.
func (o *logsOptions) show(ctx context.Context, con *console, market *client.Client, names namedJobs, which client.Output) error {
	out := unwatched(con.out)
	if o.raw {
		out = raw(con.out)
	}
	switch {
	case o.json && o.follow:
		return eachJob(ctx, market, names, func(_ int, id int64) error {
			said := &pieces{to: out, id: id, which: which}
			return errors.Join(o.run(ctx, said, market, id, which), said.end())
		})
	case o.json:
		return showEach(ctx, con, market, names, true, func(ctx context.Context, id int64) (written, error) {
			var said bytes.Buffer
			err := o.run(ctx, &said, market, id, which)
			return writtenBy(id, which, said.Bytes()), err
		}, nil)
	}
	return eachJob(ctx, market, names, func(i int, id int64) error {
		if len(names) > 1 {
			before := ""
			if i > 0 {
				before = "\n"
			}
			if _, err := io.WriteString(out, fmt.Sprintf("%s==> job %d <==\n", before, id)); err != nil {
				return err
			}
		}
		return o.run(ctx, out, market, id, which)
	})
}

func (o *logsOptions) run(ctx context.Context, out io.Writer, market *client.Client, id int64, which client.Output) error {
	if o.tail >= 0 {
		last, end, err := lastLines(ctx, market, id, which, o.tail)
		switch {
		case err == nil:
			if _, err = out.Write(last); err != nil {
				return err
			}
			which.Offset = end
		case !o.follow: // one that has not started has no end to begin from
			return err
		}
	}
	if o.follow {
		return copyFollowed(ctx, out, market, id, which)
	}
	if o.tail >= 0 {
		return nil
	}
	return copyAll(ctx, out, market, id, which)
}

// copyFollowed copies what the job writes until it has ended. A stream that
// breaks off before, because the market was started anew, another controller leads now
// or the file was not there yet, is taken up again where it was.
func copyFollowed(ctx context.Context, out io.Writer, market *client.Client, id int64, which client.Output) error {
	for vain := 0; ; {
		copied, opened, err := followOnce(ctx, out, market, id, which)
		which.Offset += copied
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if vain++; opened {
			vain = 0
		}
		if opened && !errors.Is(err, io.ErrUnexpectedEOF) || !opened && (vain > mostVain || !unserved(err)) {
			return err
		}
		job, lost := market.Job(ctx, id)
		if lost != nil {
			return lost
		}
		if job.State.Final() && opened {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(waitEvery / 4):
		}
	}
}

// mostVain is how often in a row a stream is asked for that nobody gives, though the
// market is there.
const mostVain = 10

// unserved reports whether nobody was there to answer who leads.
func unserved(err error) bool {
	p, answered := errors.AsType[*client.Problem](err)
	return !answered || p.Status == http.StatusServiceUnavailable || p.Status == http.StatusBadGateway || p.Status == http.StatusGatewayTimeout
}

func followOnce(ctx context.Context, out io.Writer, market *client.Client, id int64, which client.Output) (copied int64, opened bool, err error) {
	stream, err := market.FollowOutput(ctx, id, which)
	if err != nil {
		return 0, false, err
	}
	defer stream.Close()
	copied, err = io.Copy(out, stream)
	return copied, true, err
}

// copyAll copies what is there, piece by piece.
func copyAll(ctx context.Context, out io.Writer, market *client.Client, id int64, which client.Output) error {
	for {
		chunk, err := market.Tail(ctx, id, which)
		if err != nil {
			return err
		}
		if chunk.Error != "" {
			return fmt.Errorf("job %d: %s", id, chunk.Error)
		}
		if _, err = out.Write(chunk.Data); err != nil {
			return err
		}
		which.Offset = chunk.Offset + int64(len(chunk.Data))
		if len(chunk.Data) == 0 || which.Offset >= chunk.Size {
			return nil
		}
	}
}

const (
	tailPiece = 64 << 10
	tailMost  = 1 << 20 // more than so many bytes of lines are not looked for
)

// lastLines reads the last lines of what is there, and where they end. It looks
// at more and more of the end until there are enough.
func lastLines(ctx context.Context, market *client.Client, id int64, which client.Output, lines int) ([]byte, int64, error) {
	for piece := int64(tailPiece); ; piece *= 4 {
		piece = min(piece, tailMost)
		which.Offset, which.Limit = -piece, piece
		chunk, err := market.Tail(ctx, id, which)
		if err != nil {
			return nil, 0, err
		}
		if chunk.Error != "" {
			return nil, 0, errors.New(chunk.Error)
		}
		end := chunk.Offset + int64(len(chunk.Data))
		if last, enough := cutLines(chunk.Data, lines); enough || chunk.Offset == 0 || piece == tailMost {
			return last, end, nil
		}
	}
}

// cutLines is the last lines of a text, and whether there were more before.
func cutLines(text []byte, lines int) (last []byte, enough bool) {
	if lines == 0 {
		return nil, true
	}
	at := len(bytes.TrimSuffix(text, []byte("\n")))
	for range lines {
		if at = bytes.LastIndexByte(text[:at], '\n'); at < 0 {
			return text, false
		}
	}
	return text[at+1:], true
}
