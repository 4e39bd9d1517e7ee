package main

import (
	"path/filepath"

	"github.com/libra-market/libra/lab/experiment"
)

func printReport(con *console, opts reproduceOptions, store *experiment.Store, report *experiment.Report) error {
	g := &grid{left: 1}
	g.add("paper", "figures", "statements", "hold", "do not", "within the noise", "no evidence")
	for i := range report.Parts {
		p := &report.Parts[i]
		s := p.Score()
		g.add(p.Name, count(int64(len(p.Shown()))), count(int64(len(p.Claims))), count(int64(s.Held)), count(int64(s.Failed)), count(int64(s.InNoise)), count(int64(s.Aside)))
	}
	if err := g.write(con.out, ""); err != nil {
		return err
	}
	if err := printReadings(con, report.Readings); err != nil {
		return err
	}
	if store.Reused > 0 {
		printf(con.err, "libra: figures measured before were used again: %s (--fresh measures them anew)\n", number(int64(store.Reused), "set"))
	}
	_, err := printf(con.out, "\n%s\n", filepath.Join(opts.out, "report.html"))
	return err
}

// printReadings shows what other readings do, in numbers.
func printReadings(con *console, list []experiment.Difference) error {
	if len(list) == 0 {
		return nil
	}
	g := &grid{left: 2}
	g.add("reading", "paper", "hold", "do not", "usually hold", "do not", "better", "worse")
	for i := range list {
		d := &list[i]
		g.add(d.Reading, d.Paper, count(int64(d.Held)), count(int64(d.Failed)), count(int64(d.UsualHeld)), count(int64(d.UsualFailed)), count(int64(len(d.Gained))), count(int64(len(d.Lost))))
	}
	if _, err := printf(con.out, "\n"); err != nil {
		return err
	}
	return g.write(con.out, "")
}
