package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/libra-market/libra/core/chart"
	"github.com/libra-market/libra/lab/replay"
)

// replayAnswer is what --json prints.
type replayAnswer struct {
	History string          `json:"history"`
	Nodes   int             `json:"nodes"`
	Before  replay.Ending   `json:"before"`
	After   []replay.Change `json:"after"`
	Tuned   *replay.Tuning  `json:"tuned,omitempty"`

	Unfunded int `json:"unfunded,omitempty"` // jobs that were refused for lack of money: left out
}

func (r *pastRun) headline() string {
	return fmt.Sprintf("%s, %s, %s", filepath.Base(r.history), number(int64(len(r.arrivals)), "job"), number(int64(r.nodes), "node"))
}

func (r *pastRun) print(a *replayAnswer) error {
	if _, err := printf(r.con.out, "%s\n\n", r.headline()); err != nil {
		return err
	}
	if a.Unfunded > 0 {
		if _, err := printf(r.con.out, "left out: %s refused because nobody could pay for it, which no price makes income of\n\n",
			number(int64(a.Unfunded), "job")); err != nil {
			return err
		}
	}
	if a.Tuned != nil {
		if err := r.printCurve(a.Tuned); err != nil {
			return err
		}
	}
	g := &grid{left: 1, head: true}
	g.add("", "revenue", "change", "satisfied", "change", "utility")
	was := a.Before.Policy
	if r.table == "" && r.lived == nil {
		was += " (simulated)"
	}
	g.add(was, amount(a.Before.Revenue), "", count(a.Before.Satisfied), "", amount(a.Before.Utility))
	for i := range a.After {
		c := &a.After[i]
		name := c.Policy
		if c.Settings != "" {
			name += " " + c.Settings
		}
		g.add(name, amount(c.Revenue), relative(c.RevenueChange, a.Before.Revenue), count(c.Satisfied),
			plus(c.Satisfied-a.Before.Satisfied), amount(c.Utility))
	}
	if err := g.write(r.con.out, ""); err != nil {
		return err
	}
	for i := range a.After {
		if err := r.printChange(&a.After[i]); err != nil {
			return err
		}
	}
	return nil
}

// printChange says who wins and who loses under one policy.
func (r *pastRun) printChange(c *replay.Change) error {
	if _, err := printf(r.con.out, "\nunder %s\n", c.Policy); err != nil {
		return err
	}
	g := &grid{left: 1}
	g.add("satisfied now and not before", count(c.Won))
	g.add("satisfied before and not now", count(c.Lost))
	pay := relative(c.KeptPaid-c.KeptBefore, c.KeptBefore)
	if c.KeptBefore == 0 { // nobody did before
		pay = amount(c.KeptPaid)
	}
	g.add("satisfied in both", count(c.Kept), "they pay "+pay)
	if err := g.write(r.con.out, "  "); err != nil {
		return err
	}
	if c.Unpaid > 0 {
		if _, err := printf(r.con.out, "  not counted: %s that would have been taken and that the account could not have paid\n",
			number(c.Unpaid, "job")); err != nil {
			return err
		}
	}
	g = &grid{left: 2, head: true}
	g.add("", "", "jobs", "won", "lost", "paid before", "pays")
	add := func(word string, list []replay.Party) {
		for i, p := range list {
			if i > 0 {
				word = ""
			}
			g.add(word, p.Name, count(p.Jobs), count(p.Won), count(p.Lost), amount(p.PaidBefore), amount(p.Paid))
		}
	}
	winners, losers := c.Winners(r.top), c.Losers(r.top)
	if len(winners)+len(losers) == 0 {
		return nil
	}
	add("win", winners)
	add("lose", losers)
	return g.write(r.con.out, "  ")
}

const curveWidth = 40

// printCurve shows revenue by value as bars.
func (r *pastRun) printCurve(t *replay.Tuning) error {
	if _, err := printf(r.con.out, "%s of %s: best %v, revenue %s\n", t.Setting, t.Policy, t.Best, amount(t.Revenue)); err != nil {
		return err
	}
	g := &grid{left: 0}
	g.add(t.Setting, "revenue", "satisfied")
	for _, v := range t.Curve {
		bar := ""
		if t.Revenue > 0 && v.Revenue > 0 {
			bar = strings.Repeat("#", int(v.Revenue/t.Revenue*curveWidth))
		}
		if v.Value == t.Best {
			bar += " best"
		}
		g.add(fmt.Sprint(v.Value), amount(v.Revenue), count(v.Satisfied), fmt.Sprintf("%-*s", curveWidth+5, bar))
	}
	if err := g.write(r.con.out, "  "); err != nil {
		return err
	}
	_, err := printline(r.con.out)
	return err
}

// relative is a change as a part of what was.
func relative(change, before float64) string {
	if before == 0 {
		return ""
	}
	sign := "+"
	if change < 0 {
		sign = ""
	}
	return sign + percent(change/before)
}

func plus(n int64) string {
	if n < 0 {
		return count(n)
	}
	return "+" + count(n)
}

// drawCurve writes the curve as a drawing.
func (r *pastRun) drawCurve(t *replay.Tuning) error {
	l := &chart.Lines{
		Title:    fmt.Sprintf("Revenue by %s of %s", t.Setting, t.Policy),
		Subtitle: fmt.Sprintf("Revenue of the jobs done in time and within budget. The best is %s, at %v.", amount(t.Revenue), t.Best),
		Source:   r.headline(),
		X:        chart.Axis{Label: t.Setting, Log: true}, Y: chart.Axis{Label: "revenue", Zero: true},
		Series: []chart.Series{{Name: t.Policy}},
		Marks:  []chart.Mark{{X: t.Best, Y: t.Revenue, Text: fmt.Sprintf("best: %v", t.Best), Series: -1}},
	}
	for _, v := range t.Curve {
		l.Series[0].Points = append(l.Series[0].Points, chart.Point{X: v.Value, Y: v.Revenue, Low: v.Revenue, High: v.Revenue})
	}
	return r.con.writeOutput(r.svg, func(out io.Writer) error {
		_, err := out.Write(l.SVG())
		return err
	})
}
