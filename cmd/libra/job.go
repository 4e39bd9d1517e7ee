package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/live/wire"
)

func newJob(con *console) *cobra.Command {
	var opts liveOptions
	cmd := &cobra.Command{
		Use:   "job ID...",
		Short: "Show all there is to know of a job",
		Long: `Show all there is to know of a job: what was asked for and agreed, where it runs and
how far it is, how its tasks ended, and when it has ended the receipt, with all that
is needed to work it out again by hand. Where Slurm runs the jobs, slurm:4711 is the
one that Slurm calls 4711 (squeue, sacct), now or in an earlier attempt.`,
		Example: `  libra job 12
  libra job last
  libra job 12-15 18
  libra job slurm:4711
  libra job 12 --json`,
		Args:              someIDs,
		ValidArgsFunction: opts.completeJobs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := readNames(args)
			if err != nil {
				return err
			}
			return opts.ask(cmd.Context(), con, func(ctx context.Context, market *client.Client) error {
				return showEach(ctx, con, market, names, opts.json, market.Job, func(j *v1.Job) error { return printJob(con.out, j) })
			})
		},
	}
	opts.flags(cmd)
	return cmd
}

func printJob(out io.Writer, j *v1.Job) error {
	g := &grid{left: 2}
	g.add("job", strconv.FormatInt(j.ID, 10))
	if j.Batch != "" {
		g.add("in Slurm", j.Batch)
	}
	g.add("name", j.Name)
	g.add("user", j.Owner)
	g.add("account", j.Account)
	if cluster := j.Cluster(); cluster != "" {
		g.add("cluster", cluster)
	}
	state := j.Shown()
	if j.Detail != "" || j.Reason != "" {
		state += ": " + strings.TrimSpace(j.Detail+" ("+j.Reason+")")
	}
	g.add("state", strings.TrimSuffix(state, " ()"))
	addRequest(g, j)
	g.add("submitted", momentAnd(j.SubmittedUS))
	if begun := j.Begun(); begun != 0 {
		g.add("started", momentAnd(begun))
	}
	if j.EndedUS != 0 {
		g.add("ended", momentAnd(j.EndedUS))
	}
	addPromise(g, j)
	addMoney(g, j)
	if j.StartedUS != 0 {
		addProgress(g, j)
	}
	if err := g.write(out, ""); err != nil {
		return err
	}
	if err := printTasks(out, j); err != nil {
		return err
	}
	if err := printElements(out, j.Elements); err != nil {
		return err
	}
	if j.Receipt == nil {
		return nil
	}
	return printReceipt(out, j)
}

func addRequest(g *grid, j *v1.Job) {
	r := &j.Request
	switch {
	case j.Archived > 0:
		g.add("runs", fmt.Sprintf("what entry %d of the log says, in an archive file that is not there (libra archive list)", j.Archived))
	case r.Script != "":
		g.add("runs", strings.Join(append([]string{"a script"}, quoteAll(r.Argv)...), " "))
	case len(r.Argv) > 0:
		g.add("runs", strings.Join(quoteAll(r.Argv), " "))
	}
	if r.Dir != "" {
		g.add("in", r.Dir)
	}
	if r.Output != "" {
		g.add("output", fileOf(j, r.Output))
	}
	if r.Error != "" && r.Error != r.Output {
		g.add("errors", fileOf(j, r.Error))
	}
	g.add("estimate", flagSpan(r.EstimateMS))
	if r.DeadlineMS > 0 {
		kind := "hard"
		if r.Soft {
			kind = "soft"
		}
		g.add("deadline", fmt.Sprintf("%s, %s", flagSpan(r.DeadlineMS), kind))
	}
	if r.Budget != nil {
		g.add("budget", cash(*r.Budget))
	}
	if r.PenaltyMicros > 0 {
		g.add("penalty rate", market.Money(r.PenaltyMicros).Exact()+unitWord()+" a second")
	}
	if o := r.Optional; o != nil {
		text := fmt.Sprintf("%s at most, %s a second", flagSpan(o.WorkMS), cash(o.RateMicros))
		if len(o.Argv) > 0 {
			text += ": " + strings.Join(quoteAll(o.Argv), " ")
		}
		g.add("optional", text)
	}
	addNeeds(g, r)
	if a := r.Array; a != nil {
		text := fmt.Sprintf("%d to %d", a.First, a.Last)
		switch {
		case len(a.List) > 0:
			text = a.Indexes()
		case a.Step > 1:
			text += fmt.Sprintf(" by %d", a.Step)
		}
		if a.Limit > 0 {
			text += fmt.Sprintf(", %d at a time", a.Limit)
		}
		g.add("array", fmt.Sprintf("%s: %s", text, number(int64(a.Len()), "element")))
	}
	if len(r.After) > 0 {
		g.add("after", jobList(r.After))
	}
	if len(r.AfterAny) > 0 {
		g.add("after the end of", jobList(r.AfterAny))
	}
	if len(r.AfterFailed) > 0 {
		g.add("after the failure of", jobList(r.AfterFailed))
	}
	if len(r.AfterBegun) > 0 {
		g.add("after the start of", begunList(r.AfterBegun))
	}
	if len(r.AfterEach) > 0 {
		g.add("element by element after", jobList(r.AfterEach))
	}
	if len(r.AfterElement) > 0 {
		g.add("after", partList(r.AfterElement))
	}
	if len(r.Tags) > 0 {
		g.add("tags", strings.Join(r.Tags, ", "))
	}
}

// partList names elements of arrays that are to end first, and how.
func partList(list []v1.Ahead) string {
	words := make([]string, len(list))
	for i, p := range list {
		words[i] = fmt.Sprintf("element %d of job %d", p.Index, p.Job)
		if p.Failed {
			words[i] = "the failure of " + words[i]
		}
	}
	return strings.Join(words, ", ")
}

// begunList names jobs that are to begin first, and how long before.
func begunList(list []v1.Begun) string {
	words := make([]string, len(list))
	for i, b := range list {
		if words[i] = jobList([]int64{b.Job}); b.DelayMS > 0 {
			words[i] = flagSpan(b.DelayMS) + " after that of " + words[i]
		}
	}
	return strings.Join(words, ", ")
}

// addNeeds says what a request asks for beside processors.
func addNeeds(g *grid, r *v1.Request) {
	if r.MemoryMB > 0 {
		g.add("memory", fmt.Sprintf("%d MB on each processor", r.MemoryMB))
	}
	if r.DiskMB > 0 {
		g.add("disk", fmt.Sprintf("%d MB on each processor", r.DiskMB))
	}
	if r.GPUs > 0 {
		g.add("GPUs", market.CountGPUs(r.GPUKind, r.GPUs)+" for each program")
	}
	if r.Partition != "" {
		g.add("partition", r.Partition)
	}
	if r.Reservation != "" {
		g.add("reservation", r.Reservation)
	}
	if r.QOS != "" {
		g.add("QOS", r.QOS)
	}
	if asked := wire.ToRequest(r); asked.Chooses() {
		asked.Partition, asked.Reservation = "", ""
		g.add("nodes", asked.Places())
	}
}

func addPromise(g *grid, j *v1.Job) {
	at := momentAnd
	if j.State.Final() {
		at = moment // nothing is due any more
	}
	if j.DueUS != 0 {
		g.add("due", strings.TrimSuffix(at(j.DueUS)+", "+howDue(j), ", "))
	}
	switch {
	case j.PromisedUS != 0 && j.Firm:
		g.add("promised", at(j.PromisedUS))
	case j.PromisedUS != 0:
		g.add("promised", moment(j.PromisedUS)+", void")
	case !j.State.Final():
		g.add("promised", "nothing")
	}
}

// howDue says of a job that has ended whether it was in time, if that can be said.
func howDue(j *v1.Job) string {
	if word := dueIn(j); j.State.Final() && word != "-" {
		return word
	}
	return ""
}

func addMoney(g *grid, j *v1.Job) {
	switch {
	case j.State == v1.Held:
		g.add("price", "none yet: it is agreed when the job can begin")
	case !j.Agreed():
		g.add("price", "none was agreed")
	default:
		g.add("price", cash(j.Price))
	}
	addStorage(g, j.Storage)
	if j.Held != 0 {
		g.add("held", cash(j.Held))
	}
	if j.State.Final() {
		g.add("charged", cash(j.Charged))
	} else if j.StartedUS != 0 {
		g.add("cost so far", cash(j.CostNow))
	}
	if j.Penalty != 0 {
		g.add("penalty", cash(j.Penalty))
	}
	for _, x := range j.Extensions {
		g.add("extended", fmt.Sprintf("%s at %s, %s for all of it, %s used", lastingMS(x.WorkMS), moment(x.AtUS), cash(x.Price), lastingMS(x.UsedMS)))
	}
}

// addStorage says what of a price is for memory and disk, and for GPUs.
func addStorage(g *grid, s *v1.Storage) {
	if s != nil && (s.Price > s.GPUs || s.GPUs == 0) {
		g.add("memory, disk", fmt.Sprintf("%s of that, for up to %s", cash(s.Price-s.GPUs), lastingMS(s.TimeMS)))
	}
	if s != nil && s.GPUs > 0 {
		g.add("GPUs", fmt.Sprintf("%s of that, for up to %s", cash(s.GPUs), lastingMS(s.TimeMS)))
	}
	if s != nil && s.MoreMS > 0 {
		g.add("held longer", lastingMS(s.MoreMS)+" more, at the same price")
	}
}

func addProgress(g *grid, j *v1.Job) {
	how := "%s %s"
	if j.State == v1.Completed { // the bar is full, whatever it took
		how = "%s done: took %s"
	}
	g.add("progress", fmt.Sprintf(how, meter(j.Done(), 20), progress(j.Work, j.AskedMS())))
	if !j.State.Final() {
		g.add("share", fmt.Sprintf("%s of %s", share(j.Share), number(int64(max(1, j.Width)), "processor")))
	}
	if len(j.Places) > 0 {
		g.add("on", placeList(j.Places))
	}
	if j.Part != "" {
		g.add("part", string(j.Part))
	}
	if j.MandatoryUS != 0 {
		g.add("mandatory part", "done "+momentAnd(j.MandatoryUS))
		g.add("optional part", fmt.Sprintf("%s executed, worth %s", lastingMS(j.OptionalMS), cash(j.Optional)))
	}
	switch {
	case j.Attempt > 0 && j.State == v1.Queued:
		g.add("attempt", fmt.Sprintf("%d: it lost its node and waits to begin anew", j.Attempt+1))
	case j.Attempt > 0:
		g.add("attempt", fmt.Sprintf("%d: it was started anew", j.Attempt+1))
	}
}

// progress says how far work is, and where it took more than was agreed how much more.
func progress(doneMS, ofMS int64) string {
	text := lastingMS(min(doneMS, ofMS)) + " of " + lastingMS(ofMS)
	if doneMS > ofMS {
		text += " and " + lastingMS(doneMS-ofMS) + " beyond"
	}
	return text
}

// placeList names processors by node: n1: 0 1, n2: 0.
func placeList(places []v1.Place) string {
	var nodes []string
	processors := map[string][]string{}
	for _, p := range places {
		if processors[p.Node] == nil {
			nodes = append(nodes, p.Node)
		}
		processors[p.Node] = append(processors[p.Node], strconv.Itoa(p.Processor))
	}
	for i, n := range nodes {
		nodes[i] = n + ": " + strings.Join(processors[n], " ")
	}
	return strings.Join(nodes, ", ")
}

func quoteAll(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = shellWord(w)
	}
	return out
}

func printTasks(out io.Writer, j *v1.Job) error {
	if len(j.Tasks) == 0 {
		return nil
	}
	g := &grid{left: 3, head: true}
	g.add("rank", "node", "state", "cpu", "memory", "declined")
	for i := range j.Tasks {
		t := &j.Tasks[i]
		node := ""
		if t.Rank >= 0 && t.Rank < j.Programs() {
			node = j.NodeOf(t.Rank)
		}
		micros := func(us int64) string { return lasting(time.Duration(us) * time.Microsecond) }
		g.add(strconv.Itoa(t.Rank), node, taskState(t), micros(t.CPUUS), peak(t), micros(t.DeclinedUS))
	}
	if _, err := printline(out); err != nil {
		return err
	}
	return g.write(out, "")
}

// peak is the most memory that a task had.
func peak(t *v1.TaskStatus) string {
	if t.PeakBytes == 0 {
		return "-" // nobody measured it
	}
	return fmt.Sprintf("%d MB", t.PeakMB())
}

func taskState(t *v1.TaskStatus) string {
	bad, ended := 0, 0
	for _, e := range t.Elements {
		if e.Exit != 0 || e.Signal != "" {
			bad++
		}
		if e.EndedUS != 0 {
			ended++
		}
	}
	switch {
	case !t.State.Final() && bad > 0:
		return fmt.Sprintf("%s, %d ended, %d failed", t.State, ended, bad)
	case !t.State.Final() && ended > 0:
		return fmt.Sprintf("%s, %d ended", t.State, ended)
	case t.OOM:
		return "out of memory"
	case t.Signal != "":
		return "ended by " + t.Signal
	case bad > 0:
		return fmt.Sprintf("%d of %s failed", bad, number(int64(len(t.Elements)), "element"))
	case t.State == v1.TaskEnded:
		return fmt.Sprintf("exit %d", t.Exit)
	case t.Error != "":
		return string(t.State) + ": " + t.Error
	default:
		return string(t.State)
	}
}

func printReceipt(out io.Writer, j *v1.Job) error {
	r := j.Receipt
	if _, err := printline(out); err != nil {
		return err
	}
	if err := paragraph(out, "", fmt.Sprintf("receipt of %s, by %s %s", withZone(r.IssuedUS), r.Policy, r.Version)); err != nil {
		return err
	}
	if err := paragraph(out, "  ", r.Formula); err != nil {
		return err
	}
	if why := worked(j); why != "" {
		if err := paragraph(out, "  ", cash(j.Price)+": "+why); err != nil {
			return err
		}
	}
	inputs := &grid{left: 2}
	for _, in := range r.Inputs {
		inputs.add(in.Name, strings.TrimSpace(in.Text()+" "+in.Unit))
	}
	for _, s := range r.Settings {
		inputs.add(s.Name, s.Value)
	}
	if err := inputs.write(out, "    "); err != nil {
		return err
	}
	lines := &grid{left: 2}
	lines.add("", "", strings.TrimSpace(unitWord()))
	shown := r.Lines
	if !exact.Load() {
		shown = wire.ReceiptLines(r)
	}
	for _, l := range shown {
		lines.add(l.What, l.Formula, bare(l.Amount))
	}
	lines.add("charged", "", bare(r.Charged))
	if r.Penalty != 0 {
		lines.add("penalty paid back", "", bare(-r.Penalty))
		lines.add("net", "", bare(r.Net))
	}
	return lines.write(out, "  ")
}
