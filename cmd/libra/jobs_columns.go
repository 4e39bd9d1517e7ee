package main

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// mostName is how many columns a name has in a table.
const mostName = 24

// jobColumns are all that can be asked for, in the order of a wide list.
var jobColumns = columns[v1.Job]{
	{name: "job", shown: func(j *v1.Job) string { return strconv.FormatInt(j.ID, 10) }, order: func(j *v1.Job) int64 { return j.ID }},
	{name: "slurm", wide: true, shown: func(j *v1.Job) string { return cmp.Or(j.Batch, "-") }, exact: func(j *v1.Job) string { return j.Batch }, order: batchOf},
	{name: "user", wide: true, shown: func(j *v1.Job) string { return j.Owner }},
	{name: "name", shown: func(j *v1.Job) string { return clipped(j.Name, mostName) }, exact: func(j *v1.Job) string { return j.Name }},
	{name: "state", shown: (*v1.Job).Shown, exact: func(j *v1.Job) string { return string(j.State) }},
	{name: "share", shown: shareOf, exact: func(j *v1.Job) string { return strconv.FormatFloat(j.Share, 'f', 6, 64) }, order: func(j *v1.Job) int64 { return int64(j.Share * 1e9) }},
	{name: "progress", shown: func(j *v1.Job) string { return meter(j.Done(), 10) }, exact: func(j *v1.Job) string {
		return strconv.FormatFloat(j.Done(), 'f', 3, 64)
	}, order: func(j *v1.Job) int64 { return int64(j.Done() * 1e9) }},
	{name: "due", head: "due in", shown: dueIn, exact: stampOf(func(j *v1.Job) int64 { return j.DueUS }), order: func(j *v1.Job) int64 { return j.DueUS }},
	{name: "price", amount: true, shown: agreedPrice, exact: money(func(j *v1.Job) int64 { return j.Price }), order: func(j *v1.Job) int64 { return j.Price }},
	{name: "cost", amount: true, shown: costShown, exact: money(costOf), order: costOf},
	{name: "penalty", amount: true, shown: penaltyOf, exact: money(func(j *v1.Job) int64 { return j.Penalty }), order: func(j *v1.Job) int64 { return j.Penalty }},
	{name: "procs", wide: true, shown: func(j *v1.Job) string { return strconv.Itoa(j.Width) }, order: func(j *v1.Job) int64 { return int64(j.Width) }},
	{name: "submitted", wide: true, shown: momentOf(func(j *v1.Job) int64 { return j.SubmittedUS }), exact: stampOf(func(j *v1.Job) int64 { return j.SubmittedUS }), order: func(j *v1.Job) int64 { return j.SubmittedUS }},
	{name: "started", wide: true, shown: momentOf((*v1.Job).Begun), exact: stampOf((*v1.Job).Begun), order: (*v1.Job).Begun},
	{name: "ended", wide: true, shown: momentOf(func(j *v1.Job) int64 { return j.EndedUS }), exact: stampOf(func(j *v1.Job) int64 { return j.EndedUS }), order: func(j *v1.Job) int64 { return j.EndedUS }},
	{name: "nodes", wide: true, shown: nodesOf},
	{name: "account", wide: true, shown: func(j *v1.Job) string { return j.Account }},
	{name: "why", wide: true, shown: func(j *v1.Job) string { return j.Reason }},
}

// batchOf is the number of a job in Slurm, as far as it is one.
func batchOf(j *v1.Job) int64 {
	n, _ := strconv.ParseInt(j.Batch, 10, 64)
	return n
}

// costOf is what a job costs as it stands: what it was charged, or would owe now.
func costOf(j *v1.Job) int64 {
	if j.State.Final() {
		return j.Charged
	}
	return j.CostNow
}

// costShown says nothing of what has not begun: its price is what was agreed.
func costShown(j *v1.Job) string {
	if j.StartedUS == 0 {
		return "-"
	}
	return bare(costOf(j))
}

func money(of func(*v1.Job) int64) func(*v1.Job) string {
	return func(j *v1.Job) string { return market.Money(of(j)).String() }
}

func momentOf(of func(*v1.Job) int64) func(*v1.Job) string {
	return func(j *v1.Job) string {
		if of(j) == 0 {
			return "-"
		}
		return moment(of(j))
	}
}

func stampOf(of func(*v1.Job) int64) func(*v1.Job) string {
	return func(j *v1.Job) string {
		if of(j) == 0 {
			return ""
		}
		return time.UnixMicro(of(j)).UTC().Format(time.RFC3339Nano)
	}
}

// nodesOf names the nodes of a job, each once.
func nodesOf(j *v1.Job) string {
	var names []string
	for _, p := range j.Places {
		if !slices.Contains(names, p.Node) {
			names = append(names, p.Node)
		}
	}
	return strings.Join(names, ",")
}

// jobsLook says how a list of jobs is printed.
type jobsLook struct{ look }

func (l *jobsLook) flags(cmd *cobra.Command) { l.look.flags(cmd, jobColumns.names()) }

// columns are those that are asked for.
func (l *jobsLook) columns(owners bool) ([]*column[v1.Job], error) {
	if owners {
		return jobColumns.chosen(&l.look, "user")
	}
	return jobColumns.chosen(&l.look)
}

// cut sorts jobs, if that is asked for, and leaves as many as are wanted. Which those are
// can only be said of all of them.
func (l *jobsLook) cut(page *v1.JobPage, most int) error {
	if l.sortBy == "" {
		return nil
	}
	if err := jobColumns.sort(&l.look, page.Jobs); err != nil {
		return err
	}
	if len(page.Jobs) > most {
		page.Jobs, page.Next = page.Jobs[:most], page.Jobs[most].ID
	}
	return nil
}

// print prints a list as it is asked for.
func (l *jobsLook) print(out io.Writer, colours bool, page v1.JobPage, owners bool) error {
	columns, err := l.columns(owners)
	if err == nil {
		err = jobColumns.sort(&l.look, page.Jobs)
	}
	switch {
	case err != nil:
		return err
	case l.form == asJSON:
		if l.sortBy != "" {
			page.Next = 0 // nothing comes after it in that order
		}
		return (&console{out: out}).writeJSON(page)
	case l.form == asNames:
		return jobColumns.printNames(out, page.Jobs)
	case l.form == asCSV:
		return writeCSV(out, page.Jobs, columns)
	}
	if err = printJobs(out, colours, page, columns, l.form == asTable && len(l.format) == 0); err != nil || page.Next == 0 {
		return err
	}
	rest := "older ones"
	if l.sortBy != "" {
		rest = "others"
	}
	_, err = printf(out, "... and %s (--limit)\n", rest)
	return err
}

// agreedPrice is the price of a job, if the market took it: what is kept back has none yet.
func agreedPrice(j *v1.Job) string {
	if !j.Agreed() {
		return "-"
	}
	return bare(j.Price)
}

// spareColumns are those that a list goes without on a narrow terminal, the first of them
// first: what is left says what a job is, how it stands, when it is due and what it costs.
var spareColumns = []string{"progress", "share", "penalty", "price"}

// printJobs prints a table; spare says whether columns may be left out of it.
func printJobs(out io.Writer, colours bool, page v1.JobPage, columns []*column[v1.Job], spare bool) error {
	if len(page.Jobs) == 0 {
		_, err := printline(out, "no jobs")
		return err
	}
	b := &board{grid: grid{left: 1, head: true}}
	head := make([]string, len(columns))
	for i, c := range columns {
		head[i] = c.title()
		if c.name == "state" || b.left == i && (c.name == "name" || c.name == "user") { // names, and what stands before them
			b.left = i + 1
		}
		if c.name == "name" {
			b.text = i
		}
	}
	if spare {
		for _, name := range spareColumns {
			if at := slices.IndexFunc(columns, func(c *column[v1.Job]) bool { return c.name == name }); at >= 0 {
				b.spare = append(b.spare, at)
			}
		}
	}
	b.row(headLook, head...)
	for i := range page.Jobs {
		j := &page.Jobs[i]
		cells := make([]string, len(columns))
		for k, c := range columns {
			cells[k] = c.shown(j)
		}
		b.row(lookOf(j), cells...)
	}
	return b.paint(out, colours)
}
