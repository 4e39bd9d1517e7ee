package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/libra-market/libra/live/hostlist"
)

// errListing says that a listing is not what was asked for.
var errListing = errors.New("not a listing of slurm")

// columns of squeue, in the order in which readJobs takes them. Name and comment are
// anything that a user may write, line ends included.
const columns = "%A %T %u %N %n %r %Q %V %S %e %M %k %j %F %K"

// separator is between columns, and different in each listing: a user cannot know
// it, and so cannot write a name that looks like something else.
func separator() string {
	b := make([]byte, 12)
	_, _ = rand.Read(b) // it never fails
	return "\x1f" + hex.EncodeToString(b) + "\x1f"
}

// Jobs lists the jobs of a partition. squeue does not tell exit codes in the same
// breath as texts of any length, so those of jobs newly over are asked for apart.
func (c *commands) Jobs(ctx context.Context, partition string) ([]Job, error) {
	sep := separator()
	out, err := c.run(ctx, call{argv: []string{
		"squeue", "--noheader", "--all", "--states=all", "--partition=" + partition,
		"--format=" + strings.ReplaceAll(columns, " ", sep) + sep,
	}, env: []string{"SLURM_BITSTR_LEN=0"}}) // elements of arrays, however many there are
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	jobs, err := readJobs(out, sep, c.sizes.now().Unix())
	if err != nil {
		return nil, fmt.Errorf("%w: list jobs: %w", ErrAway, err)
	}
	if err = c.addExits(ctx, jobs); err != nil {
		return nil, fmt.Errorf("list exit codes: %w", err)
	}
	return jobs, nil
}

// readJobs reads a listing, as of now, in which every column is followed by a separator,
// and every job by a line end.
func readJobs(out, sep string, now int64) ([]Job, error) {
	fields := strings.Split(out, sep)
	if last := len(fields) - 1; fields[last] != "" && fields[last] != "\n" {
		return nil, fmt.Errorf("%w: it ends with %.40q", errListing, fields[last])
	}
	fields = fields[:len(fields)-1]
	width := strings.Count(columns, " ") + 1
	if len(fields)%width != 0 {
		return nil, fmt.Errorf("%w: %d columns in rows of %d", errListing, len(fields), width)
	}
	jobs := make([]Job, 0, len(fields)/width)
	for i := 0; i < len(fields); i += width {
		row := fields[i : i+width]
		if i > 0 {
			head, ok := strings.CutPrefix(row[0], "\n")
			if !ok {
				return nil, fmt.Errorf("%w: row %d begins with %.40q", errListing, i/width, row[0])
			}
			row[0] = head
		}
		j, err := readJob(row, now)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i/width, err)
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

func readJob(row []string, now int64) (Job, error) {
	j := Job{State: stateOf(row[1:2]), User: row[2], Reason: row[5], Comment: row[11], Name: row[12]}
	if j.Comment == "(null)" {
		j.Comment = ""
	}
	var wrong [8]error
	var priority, ran int64
	j.ID, wrong[0] = strconv.ParseInt(row[0], 10, 64)
	j.Nodes, wrong[1] = hostlist.Expand(absent(row[3]))
	j.Wanted, wrong[2] = hostlist.Expand(absent(row[4]))
	priority, wrong[3] = strconv.ParseInt(row[6], 10, 64)
	j.Submitted, wrong[4] = readTime(row[7])
	j.Started, wrong[5] = readTime(row[8])
	j.Ended, wrong[6] = readTime(row[9])
	ran, wrong[7] = readSpan(row[10])
	if err := errors.Join(wrong[:]...); err != nil || j.ID <= 0 || j.User == "" {
		return Job{}, fmt.Errorf("%w: job %.40q: %w", errListing, row[0], errors.Join(err))
	}
	j.normalise(priority == 0)
	j.pausedBut(ran, now)
	return j, j.readElements(row[13], row[14])
}

// absent is an empty text for the words that squeue has for nothing.
func absent(text string) string {
	if text == "(null)" || text == "N/A" || text == "n/a" {
		return ""
	}
	return text
}

func readTime(text string) (int64, error) {
	switch text {
	case "", "N/A", "n/a", "Unknown", "None", "NONE", "(null)":
		return 0, nil
	}
	return strconv.ParseInt(text, 10, 64)
}

// readSpan reads a time that has passed: days-hours:minutes:seconds, of which the first
// two may be missing.
func readSpan(text string) (int64, error) {
	if text = absent(text); text == "" || text == "INVALID" {
		return 0, nil
	}
	days, rest, long := strings.Cut(text, "-")
	if !long {
		days, rest = "0", text
	}
	sum, err := strconv.ParseInt(days, 10, 32)
	parts := strings.Split(rest, ":")
	if err != nil || len(parts) > 3 {
		return 0, fmt.Errorf("%w: a time of %.40q", errListing, text)
	}
	sum *= 24
	for i := range 3 {
		var n int64
		if at := i - (3 - len(parts)); at >= 0 {
			if n, err = strconv.ParseInt(parts[at], 10, 32); err != nil || n < 0 {
				return 0, fmt.Errorf("%w: a time of %.40q", errListing, text)
			}
		}
		if i > 0 {
			sum *= 60
		}
		sum += n
	}
	return sum, nil
}

// addExits tells how jobs ended, from memory or from squeue.
func (c *commands) addExits(ctx context.Context, jobs []Job) error {
	c.mu.Lock()
	known := c.exits
	c.mu.Unlock()
	var ask []string
	for _, j := range jobs {
		if _, here := known[key{j.ID, j.Submitted}]; j.State.Over() && !here {
			ask = append(ask, strconv.FormatInt(j.ID, 10))
		}
	}
	fresh := map[int64]exit{}
	for len(ask) > 0 {
		some := ask[:min(len(ask), 1000)] // an argument has its limits
		ask = ask[len(some):]
		out, err := c.run(ctx, call{argv: []string{
			"squeue", "--noheader", "--all", "--states=all", "--jobs=" + strings.Join(some, ","), "--Format=JobID:24,exit_code:24",
		}})
		if err == nil {
			err = readExits(out, fresh)
		}
		if err != nil {
			return err
		}
	}
	exits := map[key]exit{}
	for i := range jobs {
		j := &jobs[i]
		k := key{j.ID, j.Submitted}
		e, here := known[k]
		if !here {
			e, here = fresh[j.ID]
		}
		if j.State.Over() && here {
			exits[k], j.Exit, j.Signal = e, e.code, e.signal
		}
	}
	c.mu.Lock()
	c.exits = exits
	c.mu.Unlock()
	return nil
}

// readExits reads lines of a number and an exit status: 1792 or 7:0.
func readExits(out string, into map[int64]exit) error {
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return fmt.Errorf("%w: %w: exit code %.40q", ErrAway, errListing, line)
		}
		id, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return fmt.Errorf("%w: %w: exit code of job %.40q", ErrAway, errListing, fields[0])
		}
		e, err := readExit(fields[1])
		if err != nil {
			return fmt.Errorf("%w: %w", ErrAway, err)
		}
		into[id] = e
	}
	return nil
}

func readExit(text string) (exit, error) {
	code, signal, pair := strings.Cut(text, ":")
	n, err := strconv.ParseUint(code, 10, 32)
	if err != nil {
		return exit{}, fmt.Errorf("%w: exit code %.40q", errListing, text)
	}
	if !pair {
		code, signal := exitOf(int64(n))
		return exit{code, signal}, nil
	}
	s, err := strconv.ParseUint(signal, 10, 16)
	if err != nil || n > 255 {
		return exit{}, fmt.Errorf("%w: exit code %.40q", errListing, text)
	}
	return exit{int(n), int(s)}, nil
}
