package web

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// ownerView is the page of whoever owns the cluster.
type ownerView struct {
	Today    v1.Tally
	Nodes    nodesView
	Levers   leversView
	Accounts []v1.Account
	More     int // accounts that are not shown
	House    v1.Account
	Given    int64 // as allowances, ever
	Said     string
	NowUS    int64
}

const accountsShown = 100

// Part is what was earned of what could have been.
func (v *ownerView) Part() float64 {
	if v.Today.Bound <= 0 {
		return 0
	}
	return min(1, max(0, float64(v.Today.Net)/float64(v.Today.Bound)))
}

// Bar draws it.
func (v *ownerView) Bar() template.HTML {
	d := &drawing{height: 8}
	d.WriteString(`<rect width="100%" height="8" rx="4" class="rail"/>`)
	fmt.Fprintf(d, `<rect width="%s" height="8" rx="4" class="fill"/>`, pct(v.Part()))
	return d.svg("bar", percent(v.Part())+" of the bound", "")
}

// KeptPart is the part of the promises that came due and were kept.
func (v *ownerView) KeptPart() float64 {
	if v.Today.Promised == 0 {
		return 1
	}
	return float64(v.Today.Kept) / float64(v.Today.Promised)
}

const reasonsShown = 2

// Refusals are the reasons of the day, the most frequent first.
func (v *ownerView) Refusals() []string {
	type pair struct {
		reason string
		n      int64
	}
	var list []pair
	for reason, n := range v.Today.Reasons {
		list = append(list, pair{reason, n})
	}
	slices.SortFunc(list, func(a, b pair) int {
		if a.n != b.n {
			return int(b.n - a.n)
		}
		return strings.Compare(a.reason, b.reason)
	})
	var out []string
	var others int64
	for i, p := range list {
		if i >= reasonsShown {
			others += p.n
			continue
		}
		out = append(out, fmt.Sprintf("%s %s", thousands(p.n), reasonLabel(p.reason)))
	}
	if others > 0 { // or they would not add up to all that were refused
		out = append(out, thousands(others)+" for other reasons")
	}
	return out
}

func showOwner(c *call) error {
	v := &ownerView{}
	if text := c.r.URL.Query().Get("epoch"); text != "" {
		v.Said = "From now on this is in force. What was promised before stands."
	}
	levers, err := c.leversInForce()
	if err != nil {
		return err
	}
	if name := c.r.URL.Query().Get("policy"); name != "" && name != levers.Policy {
		if levers, err = levers.under(name); err != nil {
			return errNotFound
		}
	}
	v.Levers = *levers
	return c.showOwner(v)
}

func (c *call) showOwner(v *ownerView) error {
	ctx := c.r.Context()
	var err error
	if v.Today, err = c.h.tally(ctx); err != nil {
		return err
	}
	if v.Nodes, err = c.h.nodesNow(ctx); err != nil {
		return err
	}
	if err = c.h.accountsNow(ctx, v); err != nil {
		return err
	}
	v.NowUS = c.h.now().UnixMicro()
	return c.page("owner", "Owner", "owner", v)
}

// accountsNow puts in what everybody has, and the house.
func (h *Handler) accountsNow(ctx context.Context, v *ownerView) error {
	list, err := h.market.Accounts(ctx, "")
	if err != nil {
		return err
	}
	for i := range list {
		switch {
		case list[i].Path == "@owner":
			v.House = list[i]
		case list[i].Path == "@allowance":
			v.Given = -list[i].Free
		case strings.HasPrefix(list[i].Path, "@"):
		case len(v.Accounts) >= accountsShown:
			v.More++
		default:
			v.Accounts = append(v.Accounts, list[i])
		}
	}
	return nil
}

// nodesView is the nodes with a bar for each processor.
type nodesView struct {
	Nodes []nodeView
	More  int
}

type nodeView struct {
	v1.NodeView
	Bars []template.HTML
	Used float64
	More int // processors without a bar
}

// Bounds on what is drawn: a page of a thousand processors is of no use.
const (
	nodesShown   = 32
	barsShown    = 64
	tenantsShown = 400
)

func (h *Handler) nodesNow(ctx context.Context) (nodesView, error) {
	list, err := h.market.Nodes(ctx)
	if err != nil {
		return nodesView{}, err
	}
	var v nodesView
	drawn := 0
	for i := range list {
		if len(v.Nodes) >= nodesShown {
			v.More++
			continue
		}
		n := nodeView{NodeView: list[i], More: list[i].More}
		if n.More > 0 { // not all of them are listed
			n.Used = n.Given / float64(max(1, n.Processors))
		}
		for p := range list[i].Loads {
			load := &list[i].Loads[p]
			if list[i].More == 0 {
				n.Used += min(1, load.Share) / float64(len(list[i].Loads))
			}
			if p >= barsShown || drawn >= tenantsShown {
				n.More++
				continue
			}
			drawn += len(load.Jobs)
			n.Bars = append(n.Bars, drawLoad(p, load))
		}
		v.Nodes = append(v.Nodes, n)
	}
	return v, nil
}

// drawLoad draws a processor: its jobs side by side, each as wide as its share,
// and a mark where what is promised ends.
func drawLoad(processor int, load *v1.ProcessorView) template.HTML {
	d := &drawing{height: 16}
	d.WriteString(`<rect width="100%" height="16" class="rail"/>`)
	at := 0.0
	words := fmt.Sprintf("Processor %d: %s given, %s promised", processor, percent(load.Share), percent(load.Kept))
	for _, t := range load.Jobs {
		share := min(max(0, t.Share), 1-min(1, at))
		name := fmt.Sprintf("job %d, %s, of %s: %s", t.Job, t.Name, t.Owner, percent(t.Share))
		fmt.Fprintf(d, `<a href="jobs/%d" tabindex="-1">`, t.Job)
		d.rect(at, 0, share, 16, fmt.Sprintf("load k%d", t.Job%6), name)
		d.WriteString("</a>")
		at += share
		words += "; " + name
	}
	if load.Kept > 0 && load.Kept < 1 {
		d.line(load.Kept, 0, load.Kept, 16, "keep")
	}
	return d.svg("load", words, "")
}

// per is a base price as the form has it.
func per(micros int64) string { return market.Money(micros).String() }
