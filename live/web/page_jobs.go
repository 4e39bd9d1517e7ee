package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// rowsShown is how many jobs a page of the table has.
const rowsShown = 50

// filter is a choice of states.
type filter struct {
	Name   string // in the address
	Label  string
	States []v1.State // none: all
}

var filters = []filter{
	{"", "All", nil},
	{"live", "Under way", []v1.State{v1.Held, v1.Queued, v1.Running, v1.Stopping}},
	{"done", "Completed", []v1.State{v1.Completed}},
	{"ended", "Ended otherwise", []v1.State{
		v1.Failed, v1.Cancelled, v1.Stopped, v1.Expired, v1.Lost,
	}},
	{"refused", "Refused", []v1.State{v1.Rejected}},
}

// jobsView is the table of jobs.
type jobsView struct {
	Rows      []*rowView
	Filters   []filterView
	Everybody bool
	Mine      bool // the owner of the cluster wants only their own
	Name      string
	State     string
	First     bool // nothing is newer
	Total     int64
	Older     string // address of the next page
	Newest    string
	From, To  int64 // numbers of the jobs that events are wanted for
	Searching bool

	Sort  string // what it is sorted by, as in the address; "": the newest first
	Heads []headView
	Page  int  // of a table that is sorted
	Cut   bool // there are more than are sorted
	Said  string
	query string
}

// Back is the address of this table, for who comes back to it.
func (v *jobsView) Back() string { return v.query }

// Longest is how long a name can be.
func (*jobsView) Longest() int { return trade.MaxName }

type filterView struct {
	filter
	Count int64
	Here  bool
	URL   string
}

func home(c *call) error { return c.redirect("/jobs") }

func showJobs(c *call) error {
	q := c.r.URL.Query()
	v := &jobsView{Name: q.Get("name"), State: q.Get("state"), Everybody: c.everybody(), Mine: q.Get("whose") == "mine"}
	at := slices.IndexFunc(filters, func(f filter) bool { return f.Name == v.State })
	if at < 0 || len(v.Name) > trade.MaxName {
		return errNotFound
	}
	by, known := orderOf(q.Get("sort"))
	if !known {
		return errNotFound
	}
	v.Sort, v.Said, v.query = q.Get("sort"), saidOf(q), tableQuery(c.r.URL.RawQuery)
	ask := v1.JobQuery{Name: v.Name, States: filters[at].States}
	if !v.Everybody || v.Mine {
		ask.Owner = c.who.User
	}
	v.Everybody = ask.Owner == ""
	var err error
	if v.Rows, err = c.rows(v, ask, by); err != nil {
		return err
	}
	counts, err := c.h.market.CountJobs(c.r.Context(), ask.Owner)
	if err != nil {
		return err
	}
	v.count(c, counts, at)
	v.Heads = c.heads(v, by)
	v.Newest = c.jobsURL(v, nil)
	v.Searching = v.Name != "" || v.State != "" || v.Sort != ""
	for _, row := range v.Rows {
		if v.From == 0 || row.ID < v.From {
			v.From = row.ID
		}
		v.To = max(v.To, row.ID)
	}
	if v.First {
		v.To = 0 // and all that come
	}
	return c.page("jobs", "Jobs", "jobs", v)
}

// rows are those of the page that was asked for.
func (c *call) rows(v *jobsView, ask v1.JobQuery, by order) ([]*rowView, error) {
	q, ctx := c.r.URL.Query(), c.r.Context()
	if by.column != nil {
		page, err := strconv.Atoi(cmp.Or(q.Get("page"), "1"))
		if err != nil || page < 1 || page > sortedMost/rowsShown {
			return nil, errNotFound
		}
		v.Page, v.First = page, page == 1
		return c.inOrder(ctx, v, ask, by)
	}
	if text := q.Get("before"); text != "" {
		before, err := strconv.ParseInt(text, 10, 64)
		if err != nil || before < 1 {
			return nil, errNotFound
		}
		ask.Before = before
	}
	v.First = ask.Before == 0
	ask.Limit = rowsShown + 1
	jobs, err := c.h.market.Jobs(ctx, ask)
	if err != nil {
		return nil, err
	}
	if len(jobs) > rowsShown {
		jobs = jobs[:rowsShown]
		v.Older = c.jobsURL(v, map[string]string{"before": strconv.FormatInt(jobs[rowsShown-1].ID, 10)})
	}
	rows := make([]*rowView, len(jobs))
	for i := range jobs {
		rows[i] = c.h.row(ctx, &jobs[i], v.Everybody)
	}
	return rows, nil
}

func (v *jobsView) count(c *call, counts map[v1.State]int64, here int) {
	for i, f := range filters {
		fv := filterView{filter: f, Here: i == here, URL: c.jobsURL(v, map[string]string{"state": f.Name})}
		for state, n := range counts {
			if len(f.States) == 0 || slices.Contains(f.States, state) {
				fv.Count += n
			}
		}
		v.Filters = append(v.Filters, fv)
	}
	v.Total = v.Filters[0].Count
}

// jobsURL is the address of the table as it is, with some things changed.
func (c *call) jobsURL(v *jobsView, change map[string]string) string {
	q := url.Values{}
	for name, value := range map[string]string{"state": v.State, "name": v.Name, "sort": v.Sort} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if v.Mine {
		q.Set("whose", "mine")
	}
	for name, value := range change {
		if value == "" {
			q.Del(name)
			continue
		}
		q.Set(name, value)
	}
	if len(q) == 0 {
		return "jobs"
	}
	return "jobs?" + q.Encode()
}
