package main

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/plain"
)

// jobColumn is something to know of a job: for people, for programs, and as what
// lists are sorted by.
type jobColumn struct {
	name   string
	wide   bool // only in wide lists
	amount bool // of money: its head has the unit
	shown  func(*v1.Job) string
	exact  func(*v1.Job) string // nil: as shown
	order  func(*v1.Job) int64  // nil: by the text
}

// mostName is how many columns a name has in a table.
const mostName = 24

// jobColumns are all that can be asked for, in the order of a wide list.
var jobColumns = []jobColumn{
	{name: "job", shown: func(j *v1.Job) string { return strconv.FormatInt(j.ID, 10) }, order: func(j *v1.Job) int64 { return j.ID }},
	{name: "slurm", wide: true, shown: func(j *v1.Job) string { return cmp.Or(j.Batch, "-") }, exact: func(j *v1.Job) string { return j.Batch }, order: batchOf},
	{name: "user", wide: true, shown: func(j *v1.Job) string { return j.Owner }},
	{name: "name", shown: func(j *v1.Job) string { return clipped(j.Name, mostName) }, exact: func(j *v1.Job) string { return j.Name }},
	{name: "state", shown: (*v1.Job).Shown, exact: func(j *v1.Job) string { return string(j.State) }},
	{name: "share", shown: shareOf, exact: func(j *v1.Job) string { return strconv.FormatFloat(j.Share, 'f', 6, 64) }, order: func(j *v1.Job) int64 { return int64(j.Share * 1e9) }},
	{name: "progress", shown: func(j *v1.Job) string { return meter(progressOf(j), 10) }, exact: func(j *v1.Job) string {
		return strconv.FormatFloat(progressOf(j), 'f', 3, 64)
	}, order: func(j *v1.Job) int64 { return int64(progressOf(j) * 1e9) }},
	{name: "due", shown: dueIn, exact: stampOf(func(j *v1.Job) int64 { return j.DueUS }), order: func(j *v1.Job) int64 { return j.DueUS }},
	{name: "price", amount: true, shown: agreedPrice, exact: money(func(j *v1.Job) int64 { return j.Price }), order: func(j *v1.Job) int64 { return j.Price }},
	{name: "cost", amount: true, shown: costShown, exact: money(costOf), order: costOf},
	{name: "penalty", amount: true, shown: penaltyOf, exact: money(func(j *v1.Job) int64 { return j.Penalty }), order: func(j *v1.Job) int64 { return j.Penalty }},
	{name: "procs", wide: true, shown: func(j *v1.Job) string { return strconv.Itoa(j.Width) }, order: func(j *v1.Job) int64 { return int64(j.Width) }},
	{name: "submitted", wide: true, shown: momentOf(func(j *v1.Job) int64 { return j.SubmittedUS }), exact: stampOf(func(j *v1.Job) int64 { return j.SubmittedUS }), order: func(j *v1.Job) int64 { return j.SubmittedUS }},
	{name: "started", wide: true, shown: momentOf(func(j *v1.Job) int64 { return j.StartedUS }), exact: stampOf(func(j *v1.Job) int64 { return j.StartedUS }), order: func(j *v1.Job) int64 { return j.StartedUS }},
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

func (c *jobColumn) value(j *v1.Job) string {
	if c.exact != nil {
		return c.exact(j)
	}
	return c.shown(j)
}

func (c *jobColumn) compare(a, b *v1.Job) int {
	if c.order != nil {
		return cmp.Compare(c.order(a), c.order(b))
	}
	return cmp.Compare(c.value(a), c.value(b))
}

func columnNames() []string {
	names := make([]string, len(jobColumns))
	for i := range jobColumns {
		names[i] = jobColumns[i].name
	}
	return names
}

func findColumn(flag, name string) (*jobColumn, error) {
	for i := range jobColumns {
		if jobColumns[i].name == name {
			return &jobColumns[i], nil
		}
	}
	hint := ""
	if near := nearest(name, columnNames()); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return nil, usagef("--%s: %q is not one of %s%s", flag, name, strings.Join(columnNames(), ", "), hint)
}

// The forms in which a list can be had.
const (
	asTable = "table"
	asWide  = "wide"
	asNames = "name"
	asJSON  = "json"
	asCSV   = "csv"
)

// jobsLook says how a list of jobs is printed.
type jobsLook struct {
	form   string
	format []string // the columns, if they are named
	sortBy string   // a column; -column is the other way round
}

func (l *jobsLook) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&l.form, "output", "o", asTable, "`form`: table, wide, name (the numbers alone), json or csv (exact amounts, all columns)")
	f.StringSliceVar(&l.format, "format", nil, "these `columns`: "+strings.Join(columnNames(), ", "))
	f.StringVar(&l.sortBy, "sort-by", "", "`column` to sort what is listed by; -column for the largest first (--sort-by=-price)")
	completeFlag(cmd, "output", asTable, asWide, asNames, asJSON, asCSV)
	completeFlag(cmd, "format", columnNames()...)
	completeFlag(cmd, "sort-by", columnNames()...)
}

// columns are those that are asked for.
func (l *jobsLook) columns(owners bool) ([]*jobColumn, error) {
	switch l.form {
	case asTable, asWide, asNames, asJSON, asCSV:
	default:
		return nil, usagef("--output: %q is not one of table, wide, name, json, csv", l.form)
	}
	var chosen []*jobColumn
	for _, name := range l.format {
		c, err := findColumn("format", name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, c)
	}
	if len(chosen) > 0 {
		return chosen, nil
	}
	for i := range jobColumns {
		if c := &jobColumns[i]; !c.wide || l.form != asTable || owners && c.name == "user" {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// sort puts jobs in the order that is asked for; those that are alike stay newest first.
func (l *jobsLook) sort(jobs []v1.Job) error {
	if l.sortBy == "" {
		return nil
	}
	name, down := strings.CutPrefix(l.sortBy, "-")
	c, err := findColumn("sort-by", name)
	if err != nil {
		return err
	}
	slices.SortStableFunc(jobs, func(a, b v1.Job) int {
		if down {
			return c.compare(&b, &a)
		}
		return c.compare(&a, &b)
	})
	return nil
}

// print prints a list as it is asked for.
func (l *jobsLook) print(out io.Writer, colours bool, page v1.JobPage, owners bool) error {
	columns, err := l.columns(owners)
	if err == nil {
		err = l.sort(page.Jobs)
	}
	switch {
	case err != nil:
		return err
	case l.form == asJSON:
		return (&console{out: out}).writeJSON(page)
	case l.form == asNames:
		return printNumbers(out, page.Jobs)
	case l.form == asCSV:
		return writeJobsCSV(out, page.Jobs, columns)
	default:
		return printJobs(out, colours, page, columns, l.form == asTable && len(l.format) == 0)
	}
}

func printNumbers(out io.Writer, jobs []v1.Job) error {
	for i := range jobs {
		if _, err := printline(out, jobs[i].ID); err != nil {
			return err
		}
	}
	return nil
}

func writeJobsCSV(out io.Writer, jobs []v1.Job, columns []*jobColumn) error {
	w := csv.NewWriter(out)
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = c.name
	}
	if err := w.Write(cells); err != nil {
		return err
	}
	for i := range jobs {
		for k, c := range columns {
			cells[k] = plain.Cell(c.value(&jobs[i]))
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// agreedPrice is the price of a job, if the market took it.
func agreedPrice(j *v1.Job) string {
	if j.State == v1.Rejected {
		return "-"
	}
	return bare(j.Price)
}

// spareColumns are those that a list goes without on a narrow terminal, the first of them
// first: what is left says what a job is, how it stands, when it is due and what it costs.
var spareColumns = []string{"progress", "share", "penalty", "price"}

// printJobs prints a table; spare says whether columns may be left out of it.
func printJobs(out io.Writer, colours bool, page v1.JobPage, columns []*jobColumn, spare bool) error {
	if len(page.Jobs) == 0 {
		_, err := printline(out, "no jobs")
		return err
	}
	b := &board{grid: grid{left: 1, head: true}}
	head := make([]string, len(columns))
	for i, c := range columns {
		switch head[i] = c.name; {
		case c.name == "due":
			head[i] = "due in"
		case c.amount:
			head[i] = inUnit(c.name)
		}
		if c.name == "state" { // what stands before it are names
			b.left = i + 1
		}
		if c.name == "name" {
			b.text = i
		}
	}
	if spare {
		for _, name := range spareColumns {
			if at := slices.IndexFunc(columns, func(c *jobColumn) bool { return c.name == name }); at >= 0 {
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
	if err := b.paint(out, colours); err != nil || page.Next == 0 {
		return err
	}
	_, err := printf(out, "... and older ones (--limit)\n")
	return err
}
