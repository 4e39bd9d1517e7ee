package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	imprecise "github.com/libra-market/libra/lab/grid"
	"github.com/libra-market/libra/lab/tender"
)

// load reads the sites and the applications.
func (s *gridSimulation) load(ctx context.Context) (err error) {
	s.sites = imprecise.PaperSites()
	if path := s.simulateGridOptions.sites; path != "" {
		if s.sites, err = readTable(ctx, s.con, path, imprecise.ReadSites); err != nil {
			return err
		}
	}
	s.apps, err = readTable(ctx, s.con, s.workload, imprecise.ReadApplications)
	return err
}

// readTable has a file read, plain or compressed with gzip; "-" is standard
// input.
func readTable[T any](ctx context.Context, con *console, path string, read func(io.Reader, string) (T, error)) (T, error) {
	var none T
	name, in := path, con.in
	if path == "-" {
		name = "standard input"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return none, err // names the path
		}
		defer file.Close()
		in = file
	}
	// Reading may block for ever; through a pipe it can be given up.
	pipe, write := io.Pipe()
	defer pipe.Close()
	go func() {
		_, err := io.Copy(write, in)
		write.CloseWithError(err)
	}()
	defer context.AfterFunc(ctx, func() { write.CloseWithError(ctx.Err()) })()
	text := bufio.NewReaderSize(pipe, 1<<16)
	if magic, err := text.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		unzip, err := gzip.NewReader(text)
		if err != nil {
			return none, fmt.Errorf("%s: %w", name, err)
		}
		return read(unzip, name)
	}
	return read(text, name)
}

// run runs every policy on the same applications.
func (s *gridSimulation) run(ctx context.Context) ([]*tender.Summary, error) {
	var results []*tender.Summary
	for _, p := range s.policies {
		summary, err := s.runOne(ctx, p)
		if err != nil {
			return nil, err
		}
		results = append(results, summary)
	}
	return results, nil
}

func (s *gridSimulation) runOne(ctx context.Context, p imprecise.Policy) (*tender.Summary, error) {
	began := time.Now()
	b, err := tender.NewGrid(s.sites, p, s.refuse)
	if err != nil {
		return nil, err
	}
	var done atomic.Int64
	finish := s.con.progress(p.Name, int64(len(s.apps)), done.Load)
	defer finish()
	outcomes, err := tender.Run(ctx, b, s.apps, func(n int) { done.Store(int64(n)) })
	if err != nil {
		return nil, err
	}
	summary := tender.Summarize(p.Name, b, outcomes)
	summary.WallSeconds = time.Since(began).Seconds()
	if summary.WallSeconds > 0 {
		summary.ApplicationsPerSecond = float64(len(s.apps)) / summary.WallSeconds
	}
	// JSON has no word for infinity.
	if math.IsInf(summary.Profit, 0) || math.IsInf(summary.Offered, 0) || math.IsNaN(summary.Profit) {
		return nil, fmt.Errorf("policy %s: the sums of this workload are beyond what numbers can hold", p.Name)
	}
	finish()
	if s.simulateGridOptions.apps == "" {
		return summary, nil
	}
	return summary, s.con.writeOutput(s.tablePath(p.Name), func(out io.Writer) error {
		if _, err := io.WriteString(out, tender.Header); err != nil {
			return err
		}
		var line []byte
		for i := range outcomes {
			line = outcomes[i].AppendCSV(line[:0])
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// tablePath is where the table of a policy goes: of several policies each has
// its name before the extension.
func (s *gridSimulation) tablePath(policy string) string {
	path := s.simulateGridOptions.apps
	if len(s.policies) == 1 {
		return path
	}
	dir, base := filepath.Split(path)
	stem, extension, dotted := strings.Cut(base, ".")
	if dotted {
		extension = "." + extension
	}
	return dir + stem + "-" + policy + extension
}

// print writes the results to standard output: for programs, or one for people
// at length, or several side by side.
func (s *gridSimulation) print(results []*tender.Summary) error {
	switch {
	case s.json && len(results) == 1:
		return s.con.writeJSON(results[0])
	case s.json:
		return s.con.writeJSON(results)
	}
	what := filepath.Base(s.workload)
	if s.workload == "-" {
		what = "standard input"
	}
	sites := "the six sites of the paper"
	if path := s.simulateGridOptions.sites; path != "" {
		sites = number(int64(len(s.sites)), "site")
	}
	_, err := printf(s.con.out, "%s, %s, %s, refuse=%s\n\n", what, number(int64(len(s.apps)), "application"), sites, s.refuse)
	if err != nil {
		return err
	}
	if len(results) == 1 {
		return s.printOne(results[0])
	}
	g := &grid{left: 1, head: true, spare: []int{8, 7}}
	g.add("policy", "accepted", "accepted %", "infeasible", "no gain", "profit", "of offered %", "optional MI", "applications/s")
	for _, r := range results {
		g.add(r.Policy, count(int64(r.Accepted)), grouped(r.Acceptance*100, 1), count(int64(r.Infeasible)), count(int64(r.NoGain)),
			amount(r.Profit), grouped(r.Profit/r.Offered*100, 1), grouped(r.OptionalMI, 0), count(int64(r.ApplicationsPerSecond)))
	}
	return g.write(s.con.out, "")
}

func (s *gridSimulation) printOne(r *tender.Summary) error {
	all := int64(r.Applications)
	g := &grid{left: 1}
	g.add("policy", r.Policy)
	g.add("applications", count(all))
	g.add("  accepted", count(int64(r.Accepted)), percentOf(int64(r.Accepted), all))
	for i := range r.Sites {
		site := &r.Sites[i]
		g.add("    "+site.Site, count(int64(site.Accepted)), percentOf(int64(site.Accepted), all), amount(site.Profit))
	}
	g.add("  infeasible", count(int64(r.Infeasible)), percentOf(int64(r.Infeasible), all))
	g.add("  no gain", count(int64(r.NoGain)), percentOf(int64(r.NoGain), all))
	g.add("profit", amount(r.Profit))
	g.add("  of all offered", percent(r.Profit/r.Offered))
	g.add("optional work done", grouped(r.OptionalMI, 0)+" MI")
	g.add("last job left at", grouped(r.End, 0)+" s")
	g.add("speed", count(int64(r.ApplicationsPerSecond))+" applications/s", fmt.Sprintf("%.3f s", r.WallSeconds))
	return g.write(s.con.out, "")
}
