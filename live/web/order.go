package web

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/client/v1"
)

// column is a column of the table of jobs, and how it is sorted by.
type column struct {
	Name  string // in the address
	Label string
	Aside string // said more softly after it
	Class string
	first string // "-": the largest come first, when somebody asks for the first time
	owner bool   // only where the jobs of several people are shown
	key   func(*rowView) (n float64, text string)
}

// nothing is what a row has that has none: it comes last, whichever way.
var nothing = math.NaN()

var columns = []column{
	{Name: "job", Label: "Job", first: "-", key: func(v *rowView) (float64, string) { return float64(v.ID), "" }},
	{Name: "owner", Label: "Owner", owner: true, key: func(v *rowView) (float64, string) { return 0, v.Owner }},
	{Name: "state", Label: "State", key: func(v *rowView) (float64, string) { return 0, stateLabel(v.Shown()) }},
	{Name: "progress", Label: "Progress", Aside: "against the deadline", Class: "wide", first: "-", key: func(v *rowView) (float64, string) { return begun(v, v.Done()), "" }},
	{Name: "share", Label: "Share", Class: "num", first: "-", key: func(v *rowView) (float64, string) {
		if !v.Moves() {
			return nothing, ""
		}
		return v.Share, ""
	}},
	{Name: "cost", Label: "Cost", Class: "num", first: "-", key: func(v *rowView) (float64, string) { return begun(v, float64(v.Cost())), "" }},
	{Name: "penalty", Label: "Penalty", Class: "num", first: "-", key: func(v *rowView) (float64, string) { return some(v.Penalty), "" }},
	{Name: "deadline", Label: "Deadline", Class: "num", key: func(v *rowView) (float64, string) { return some(v.DueUS), "" }},
}

func begun(v *rowView, n float64) float64 {
	if v.StartedUS == 0 {
		return nothing
	}
	return n
}

func some(n int64) float64 {
	if n == 0 {
		return nothing
	}
	return float64(n)
}

// sortedMost is how many jobs, the newest, are put in another order: reading more of
// them takes longer than a page may.
const sortedMost = 1000

// order is what the table is sorted by.
type order struct {
	column *column // nil: the newest first
	down   bool
}

func orderOf(name string) (order, bool) {
	if name == "" {
		return order{}, true
	}
	name, down := strings.CutPrefix(name, "-")
	at := slices.IndexFunc(columns, func(c column) bool { return c.Name == name })
	if at < 0 {
		return order{}, false
	}
	return order{&columns[at], down}, true
}

// sort puts rows in order; those that are alike stay the newest first.
func (o order) sort(rows []*rowView) {
	slices.SortStableFunc(rows, func(a, b *rowView) int {
		na, ta := o.column.key(a)
		nb, tb := o.column.key(b)
		if noneA, noneB := math.IsNaN(na), math.IsNaN(nb); noneA || noneB {
			return cmp.Compare(bit(noneA), bit(noneB))
		}
		by := cmp.Or(cmp.Compare(na, nb), strings.Compare(ta, tb))
		if o.down {
			return -by
		}
		return by
	})
}

func bit(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// headView is the head of a column.
type headView struct {
	*column
	URL  string
	Sort string // for those who do not see the arrow; "": it is not sorted by
}

// heads are those of the table, each leading to the table sorted by it, or the other
// way round.
func (c *call) heads(v *jobsView, by order) []headView {
	var all []headView
	for i := range columns {
		col := &columns[i]
		if col.owner && !v.Everybody {
			continue
		}
		h := headView{column: col}
		next := col.first + col.Name
		switch {
		case by.column == col && by.down:
			h.Sort, next = "descending", col.Name
		case by.column == col:
			h.Sort, next = "ascending", "-"+col.Name
		case by.column == nil && col.Name == "job":
			h.Sort, next = "descending", "job"
		}
		h.URL = c.jobsURL(v, map[string]string{"sort": next})
		all = append(all, h)
	}
	return all
}

// inOrder is a page of the table, sorted.
func (c *call) inOrder(ctx context.Context, v *jobsView, ask v1.JobQuery, by order) ([]*rowView, error) {
	const piece = 500 // what a market gives at a time
	var rows []*rowView
	for len(rows) < sortedMost {
		ask.Limit = piece
		jobs, err := c.h.market.Jobs(ctx, ask)
		if err != nil {
			return nil, err
		}
		for i := range jobs {
			rows = append(rows, c.h.row(ctx, &jobs[i], v.Everybody))
		}
		if len(jobs) < piece {
			break
		}
		ask.Before = jobs[len(jobs)-1].ID
	}
	v.Cut = len(rows) >= sortedMost
	by.sort(rows)
	rows = rows[min(len(rows), (v.Page-1)*rowsShown):]
	if len(rows) > rowsShown {
		rows = rows[:rowsShown]
		v.Older = c.jobsURL(v, map[string]string{"page": strconv.Itoa(v.Page + 1)})
	}
	return rows, nil
}
