package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// topPane is what fills the screen.
type topPane int

const (
	paneJobs topPane = iota
	paneJob
	paneOutput
	paneKeys
)

// topBoard is what libra top shows, and what the next key does.
type topBoard struct {
	ctx    context.Context //nolint:containedctx // of the whole program: bubbletea has none to hand on
	market *client.Client
	me     *v1.Whoami

	topState
	nodes []v1.NodeView
	jobs  []v1.Job // as they are shown: filtered, in order
	err   error    // why the last look brought nothing

	all     bool // everybody's
	sortBy  int  // of topOrders
	down    bool // the other way round
	filter  string
	typing  bool  // of the filter
	chosen  int64 // number of the job that the cursor is on
	asking  int64 // number of the job that is to be cancelled, if so
	note    string
	pane    topPane
	about   []string // of a job, or what it writes
	scroll  int
	colours bool

	width, height int
}

func newTopBoard(market *client.Client, me *v1.Whoami, all bool) *topBoard {
	return &topBoard{market: market, me: me, all: all, width: 80, height: 24, ctx: context.Background()}
}

// topOrders are what jobs can be sorted by.
var topOrders = []string{"state", "due", "cost", "price", "job", "name", "user"}

// Init begins to look.
func (b *topBoard) Init() tea.Cmd {
	all := b.all
	return func() tea.Msg { return b.fetch(b.ctx, all) }
}

// look looks now, beside the looks that come by themselves.
func (b *topBoard) look() tea.Cmd {
	all := b.all
	return func() tea.Msg {
		m := b.fetch(b.ctx, all)
		m.beside = true
		return m
	}
}

// again looks once more in a while.
func (b *topBoard) again() tea.Cmd {
	all := b.all
	return tea.Tick(watchEvery, func(time.Time) tea.Msg { return b.fetch(b.ctx, all) })
}

// paneText is the text of a job, or of what it writes.
type paneText struct {
	job   int64
	pane  topPane
	lines []string
}

// noteText says what came of a key.
type noteText string

// Update takes in what happened.
func (b *topBoard) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		b.width, b.height = m.Width, m.Height
	case topMessage:
		b.take(m)
		if m.beside {
			return b, nil
		}
		if b.pane == paneJob || b.pane == paneOutput {
			return b, tea.Batch(b.again(), b.read(b.pane))
		}
		return b, b.again()
	case paneText:
		if m.pane == b.pane && m.job == b.chosen {
			follows := b.scroll >= len(b.about)-b.height // at its end
			if b.about = m.lines; follows && b.pane == paneOutput {
				b.scroll = max(0, len(b.about)-b.height+topFrame)
			}
		}
	case noteText:
		b.note = string(m)
	case tea.KeyMsg:
		return b.press(m)
	}
	return b, nil
}

// take puts a look at the market in place.
func (b *topBoard) take(m topMessage) {
	if b.err = m.err; m.err != nil {
		return // what is there stays, and says of when it is
	}
	b.topState, b.nodes = m.topState, m.Nodes
	b.arrange()
}

// arrange filters and sorts.
func (b *topBoard) arrange() {
	b.jobs = nil
	word := strings.ToLower(b.filter)
	for i := range b.Jobs {
		j := &b.Jobs[i]
		if word == "" || strings.Contains(strings.ToLower(j.Name+" "+j.Owner+" "+j.Shown()), word) {
			b.jobs = append(b.jobs, *j)
		}
	}
	by := topOrders[b.sortBy]
	slices.SortStableFunc(b.jobs, func(x, y v1.Job) int {
		way := topCompare(by, &x, &y)
		if b.down {
			return -way
		}
		return way
	})
	if b.row() < 0 && len(b.jobs) > 0 {
		b.chosen = b.jobs[0].ID
	}
}

func topCompare(by string, x, y *v1.Job) int {
	if by == "state" { // those that need somebody to look come first
		rank := func(j *v1.Job) int { return slices.Index(v1.States(), j.State) }
		if c := cmp.Compare(btoi(x.State.Final()), btoi(y.State.Final())); c != 0 {
			return c
		}
		if c := cmp.Compare(-rank(x), -rank(y)); c != 0 && !x.State.Final() {
			return c
		}
		return cmp.Compare(y.ID, x.ID)
	}
	c, err := jobColumns.find("sort-by", by)
	if err != nil {
		return 0
	}
	return c.compare(x, y)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// row is where the cursor is.
func (b *topBoard) row() int {
	return slices.IndexFunc(b.jobs, func(j v1.Job) bool { return j.ID == b.chosen })
}

// move moves the cursor, or what is read.
func (b *topBoard) move(by int) {
	if b.pane != paneJobs {
		b.scroll = max(0, min(b.scroll+by, len(b.about)-1))
		return
	}
	if len(b.jobs) > 0 {
		b.chosen = b.jobs[max(0, min(b.row()+by, len(b.jobs)-1))].ID
	}
}
