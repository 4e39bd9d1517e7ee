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

	"github.com/libra-market/libra/lab/ceiling"
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
	most := 0.0
	if s.bound {
		most = ceiling.Profit(s.sites, s.apps, ceiling.Thorough)
	}
	var results []*tender.Summary
	for _, p := range s.policies {
		summary, err := s.runOne(ctx, p)
		if err != nil {
			return nil, err
		}
		if s.bound {
			summary.Bound.Profit = most
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
	b.Hurdle = s.hurdle
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
	if s.bound {
		summary.Bound = &tender.Bound{}
		if p.Imprecise {
			if summary.Bound.Optional, err = tender.OptionalParts(s.sites, s.apps, outcomes); err != nil {
				return nil, err
			}
		}
	}
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
