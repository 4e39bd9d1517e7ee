package client

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Guests is a Slurm that can be asked about jobs which users handed in by themselves, and
// told to make them the market's.
type Guests interface {
	// Guest says what a job asks for.
	Guest(ctx context.Context, id int64) (Guest, error)
	// Adopt makes a held job one of the market's: its comment, its nodes and its time
	// limit become those of a submission, and of an array how many elements run at a time, and all
	// else stays as its user wants it.
	Adopt(ctx context.Context, id int64, s Submission) error
	// Remark notes a text with a job that all can read and only root can write.
	Remark(ctx context.Context, id int64, text string) error
	// Adopts reports whether this can be told to adopt jobs.
	Adopts() bool
}

// Guest is a job as its user handed it in.
type Guest struct {
	ID         int64
	Partition  string
	QOS        string // that it has, whether its user named it or not; empty: none
	Nodes      string // how many at the least
	Processors int
	MemoryMB   int64         // of all processors together
	Limit      time.Duration // 0: none
	Dir        string
	Output     string
	Script     string
	Options    []string // what it asks for beside that and the market understands, as sbatch is told
	Nodelist   string   // the same of nodes by name, which it has too when it was given some
	Begin      int64    // unix seconds before which it does not; 0: at any time
	Special    []string // what it asks for that the market cannot promise
}

// guestColumns are those of squeue, in the order in which readGuest takes them.
const guestColumns = "%C %D %l %Z %K %E %f %v %W %x %n %b %X %S %h %c %P %q"

// wishes are those of them that may be empty, from the fifth on: as sbatch is told of what the
// market understands, or what it is that cannot be promised.
var wishes = []struct{ option, special string }{
	{special: "an array"},
	{special: "a dependency"},
	{option: "--constraint="},
	{special: "a reservation"},
	{option: "--licenses="},
	{option: "--exclude="},
	{option: nodelist},
	{option: devices},
	{special: "specialized cores"},
	{option: begin},
}

const (
	nodelist = "--nodelist="
	devices  = "--gres="
	begin    = "--begin="
)

// Guest asks squeue, which puts a word of ours between what users write, and scontrol for
// what has none of that in it.
func (c *commands) Guest(ctx context.Context, id int64) (Guest, error) {
	sep, number := separator(), strconv.FormatInt(id, 10)
	out, err := c.run(ctx, call{argv: []string{"squeue", "--noheader", "--all", "--states=all", "--jobs=" + number, "--format=" + strings.ReplaceAll(guestColumns, " ", sep) + sep}})
	if err != nil {
		return Guest{}, fmt.Errorf("job %d: %w", id, err)
	}
	g, err := readGuest(id, strings.Split(out, sep))
	if err != nil {
		return g, err
	}
	if out, err = c.run(ctx, call{argv: []string{"squeue", "--noheader", "--all", "--jobs=" + number, "--Format=tres:200"}}); err != nil {
		return g, fmt.Errorf("job %d: %w", id, err)
	}
	g.MemoryMB = memoryOf(out)
	// What it asks for on each node is in the first listing.
	if out, err = c.run(ctx, call{argv: []string{"squeue", "--noheader", "--all", "--jobs=" + number, "--Format=tres-per-job:200,tres-per-task:200,tres-per-socket:200"}}); err != nil {
		return g, fmt.Errorf("job %d: %w", id, err)
	}
	g.readDevices(strings.Fields(out))
	if out, err = c.run(ctx, call{argv: []string{"squeue", "--noheader", "--all", "--jobs=" + number, "--Format=STDOUT:4096"}}); err == nil {
		g.Output = strings.TrimSpace(out)
	}
	g.Script, err = c.run(ctx, call{argv: []string{"scontrol", "write", "batch_script", number, "-"}})
	return g, err
}

func readGuest(id int64, row []string) (Guest, error) {
	g := Guest{ID: id}
	if width := strings.Count(guestColumns, " ") + 1; len(row) != width+1 {
		return g, fmt.Errorf("%w: job %d has %d columns", errListing, id, len(row)-1)
	}
	var err error
	if g.Processors, err = strconv.Atoi(row[0]); err != nil || g.Processors < 1 {
		return g, fmt.Errorf("%w: job %d has %.40q processors", errListing, id, row[0])
	}
	g.Nodes, g.Dir = row[1], row[3]
	if limit := row[2]; limit != "UNLIMITED" && limit != "NOT_SET" {
		seconds, wrong := readSpan(limit)
		if wrong != nil {
			return g, wrong
		}
		g.Limit = time.Duration(seconds) * time.Second
	}
	for i, wish := range wishes {
		switch text := absent(row[4+i]); {
		case text == "":
		case wish.special != "":
			g.Special = append(g.Special, wish.special)
		case wish.option == nodelist:
			g.Nodelist = text
		case wish.option == devices:
			g.Options = append(g.Options, devices+device(text))
		case wish.option == begin:
			if g.Begin, err = readTime(text); err != nil {
				return g, fmt.Errorf("%w: job %d begins at %.40q", errListing, id, text)
			}
		default:
			g.Options = append(g.Options, wish.option+text)
		}
	}
	whole := row[4+len(wishes):]
	switch whole[0] { // whether others may have the rest of its node
	case "YES", "OK":
	default:
		g.Special = append(g.Special, "a node to itself")
	}
	if least, err := strconv.Atoi(whole[1]); err != nil || least > g.Processors {
		g.Special = append(g.Special, "more processors of a node than in all")
	}
	if g.Partition = whole[2]; strings.Contains(whole[2], ",") {
		g.Special = append(g.Special, "several partitions")
	}
	g.QOS = absent(whole[3])
	return g, nil
}

// device is what Slurm calls a device, as sbatch is told of it: gres:gpu:2, or since 23.11
// gres/gpu:2 or gres/gpu=2.
func device(tres string) string {
	text := strings.ReplaceAll(tres, "=", ":")
	return strings.TrimPrefix(strings.TrimPrefix(text, "gres:"), "gres/")
}

// readDevices takes in what a job asks for of devices in all, for each task and for each socket.
// On one node those in all are those of the node; how many tasks it has squeue does not say.
func (g *Guest) readDevices(tres []string) {
	for i, text := range tres {
		switch {
		case !strings.Contains(text, "gres"):
		case i == 0 && !slices.ContainsFunc(g.Options, func(o string) bool { return strings.HasPrefix(o, devices) }):
			g.Options = append(g.Options, devices+device(text))
		default:
			g.Special = append(g.Special, "devices of each task or socket, or in two ways")
		}
	}
}

// memoryOf reads the memory out of what a job asks for: cpu=2,mem=256M,node=1.
func memoryOf(tres string) int64 {
	for part := range strings.SplitSeq(strings.TrimSpace(tres), ",") {
		text, found := strings.CutPrefix(part, "mem=")
		if !found || text == "" {
			continue
		}
		factor := 1.0
		switch text[len(text)-1] {
		case 'G':
			factor = 1 << 10
		case 'T':
			factor = 1 << 20
		}
		n, err := strconv.ParseFloat(strings.TrimRight(text, "KMGT"), 64)
		if err == nil && n > 0 && n < 1<<40 {
			return int64(n * factor)
		}
	}
	return 0
}

// Adopt makes a held job one of the market's.
func (c *commands) Adopt(ctx context.Context, id int64, s Submission) error {
	argv := []string{"scontrol", "update", fmt.Sprintf("jobid=%d", id), "comment=" + s.Comment, "requeue=0"}
	if s.Requeue {
		argv[len(argv)-1] = "requeue=1"
	}
	if s.Again {
		argv = append(argv, "starttime=now") // else Slurm lets two minutes pass
	}
	if _, most, _ := strings.Cut(s.Array, "%"); most != "" {
		argv = append(argv, "arraytaskthrottle="+most)
	}
	if len(s.Nodes) > 0 {
		argv = append(argv, fmt.Sprintf("numnodes=%d", len(s.Nodes)), "nodelist="+strings.Join(s.Nodes, ","))
	}
	if s.Limit > 0 {
		argv = append(argv, fmt.Sprintf("timelimit=%d", s.minutes()))
	}
	if _, err := c.run(ctx, call{argv: argv}); err != nil {
		return fmt.Errorf("take job %d over: %w", id, err)
	}
	return nil
}

// Remark notes a text with a job.
func (c *commands) Remark(ctx context.Context, id int64, text string) error {
	_, err := c.run(ctx, call{argv: []string{"scontrol", "update", fmt.Sprintf("jobid=%d", id), "admincomment=" + oneLine(text)}})
	return err
}

// Adopts says that who has Slurm's commands can.
func (c *commands) Adopts() bool { return true }

// Adopts says that it takes Slurm's commands.
func (r *rest) Adopts() bool { return r.killer != nil }

var errNoCommands = fmt.Errorf("%w: Slurm's commands are not here", ErrRefused)

// Guest asks Slurm's commands: slurmrestd does not say all of it.
func (r *rest) Guest(ctx context.Context, id int64) (Guest, error) {
	if r.killer == nil {
		return Guest{}, errNoCommands
	}
	return r.killer.Guest(ctx, id)
}

// Adopt tells Slurm's commands.
func (r *rest) Adopt(ctx context.Context, id int64, s Submission) error {
	if r.killer == nil {
		return errNoCommands
	}
	return r.killer.Adopt(ctx, id, s)
}

// Remark tells Slurm's commands.
func (r *rest) Remark(ctx context.Context, id int64, text string) error {
	if r.killer == nil {
		return errNoCommands
	}
	return r.killer.Remark(ctx, id, text)
}

var _, _ Guests = (*commands)(nil), (*rest)(nil)
