package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// HistoryFields are what sacct is asked for of the past.
const HistoryFields = "JobID,User,State,Submit,Start,End,ElapsedRaw,TimelimitRaw,ReqCPUS,AllocCPUS,ReqTRES,AllocTRES,Partition"

// History is what sacct says of the jobs of a time, with --parsable2, as it says it:
// a month of a large site may be long. Times are seconds, so that no zone matters. To is
// empty for what is now. Whoever has read to its end without an error has read all of it.
func History(ctx context.Context, o Options, from, to string) (io.ReadCloser, error) {
	o = o.chosen()
	argv := []string{"--allusers", "--parsable2", "--duplicates", "--format=" + HistoryFields}
	for _, t := range []struct{ flag, text string }{{"--starttime=", from}, {"--endtime=", to}} {
		if strings.ContainsAny(t.text, " \t\n,") {
			return nil, fmt.Errorf("%q is no time for sacct (as 2026-10-01, 2026-10-01T12:00, now-30days)", t.text)
		}
		if t.text != "" {
			argv = append(argv, t.flag+t.text)
		}
	}
	cmd := exec.CommandContext(ctx, "sacct", argv...)
	cmd.WaitDelay = time.Second
	cmd.Dir = "/"
	cmd.Env = environment(o.Conf)
	said := &limited{most: 64 << 10}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("ask for the past: %w", err)
	}
	return &history{out, cmd, said, nil}, nil
}

type history struct {
	out   io.Reader
	cmd   *exec.Cmd
	said  *limited
	ended error // io.EOF: well
}

// Read reads on. sacct may say that it has not reached the database, and that it did well.
func (h *history) Read(p []byte) (int, error) {
	if h.ended != nil {
		return 0, h.ended
	}
	n, err := h.out.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	h.ended = io.EOF
	if bad := h.cmd.Wait(); bad != nil || strings.Contains(h.said.String(), "error:") {
		h.ended = fmt.Errorf("sacct: %s", oneLine(h.said.String()))
		if h.said.Len() == 0 {
			h.ended = fmt.Errorf("sacct: %w", bad)
		}
	}
	return n, h.ended
}

// Close ends sacct, if it has not ended.
func (h *history) Close() error {
	if h.ended == nil {
		h.ended = errors.New("closed")
		_ = h.cmd.Process.Kill() // it may have ended
		_ = h.cmd.Wait()         // how does not matter
	}
	return nil
}
