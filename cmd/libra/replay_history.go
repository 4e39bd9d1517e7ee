package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/workload"
)

// load reads the history, finds the cluster and gives the jobs agreements
// where a model is asked for.
func (r *replay) load(ctx context.Context, contenders []contender) error {
	like := &simulation{simulateOptions: simulateOptions{
		policies: r.policies, workload: r.history, nodes: r.replayOptions.nodes, sla: r.sla, seed: r.seed,
	}, con: r.con, contenders: contenders, settings: r.settings}
	var err error
	if r.history == liveHistory {
		if err = r.loadLive(ctx); err != nil {
			return err
		}
		if r.sla == "" {
			r.sla = noSLA
		}
		if like.model, err = newModel(r.sla); err != nil {
			return err
		}
	} else if isJobTable(r.history) {
		if r.arrivals, err = r.readTableAsHistory(); err != nil {
			return err
		}
		if r.replayOptions.nodes == 0 {
			return usagef("%s does not say how large the cluster is: give --nodes", r.history)
		}
		r.nodes = r.replayOptions.nodes
		if r.sla == "" {
			r.sla = noSLA
		}
		if like.model, err = newModel(r.sla); err != nil {
			return err
		}
	} else {
		file, err := r.con.openWorkload(ctx, r.history)
		if err != nil {
			return err
		}
		defer file.Close()
		if like.model, err = newModel(like.modelName(file)); err != nil {
			return err
		}
		nodes, err := like.findNodes(file)
		if err != nil {
			return err
		}
		r.nodes = len(nodes)
		if r.arrivals, err = r.con.loadWorkload(ctx, file, r.last); err != nil {
			return err
		}
		r.con.warnSkipped(r.history, file.Skipped())
	}
	if len(r.arrivals) == 0 {
		return fmt.Errorf("%s: no jobs in it", r.history)
	}
	workload.Sort(r.arrivals)
	// The price that is tuned belongs to one of the policies; the settings of
	// --from are its own defaults.
	if err := distribute(r.settings, contenders, like.model); err != nil {
		return err
	}
	return like.applyModel(r.arrivals)
}

// isJobTable looks at the first line of a file. What cannot be read is not
// one; reading it as a workload will say why.
func isJobTable(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, len(report.Header))
	n, _ := io.ReadFull(file, start) // a short file is none
	return bytes.Equal(start[:n], []byte(report.Header))
}

// past is what a job table says about one job.
type past struct {
	line         int
	id           string
	completed    bool
	submit       float64
	start        float64
	finish       float64
	procs        int
	cost         float64
	utility      float64
	priced, told bool
}

func readJobTable(path string) ([]past, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := csv.NewReader(file)
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil || strings.Join(header, ",")+"\n" != report.Header {
		return nil, &market.PlaceError{File: path, Line: 1, Err: errors.New("not a job table (want " + strings.TrimSpace(report.Header) + ")")}
	}
	var rows []past
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		line, _ := in.FieldPos(0)
		if err != nil {
			return nil, &market.PlaceError{File: path, Line: int64(line), Err: err}
		}
		row, err := parsePast(record)
		if err != nil {
			return nil, &market.PlaceError{File: path, Line: int64(line), Err: err}
		}
		row.line = line
		rows = append(rows, row)
	}
}

func parsePast(record []string) (past, error) {
	p := past{id: strings.Clone(record[0]), completed: record[1] == report.Completed.String()}
	var err error
	read := func(name, text string, needed bool) (x float64, there bool) {
		if text == "" && !needed {
			return 0, false
		}
		x, wrong := strconv.ParseFloat(text, 64)
		if wrong != nil && err == nil {
			err = fmt.Errorf("%s: %q is not a number", name, text)
		}
		return x, true
	}
	p.submit, _ = read("submit", record[3], true)
	p.start, _ = read("start", record[4], p.completed)
	p.finish, _ = read("finish", record[5], p.completed)
	procs, _ := read("procs", record[6], true)
	p.procs = int(procs)
	p.cost, p.priced = read("cost", record[8], false)
	p.utility, p.told = read("utility", record[9], false)
	return p, err
}

// readTableAsHistory makes a workload of a job table: what ran, for as long as
// it ran. Jobs that never ran are not in it, because nobody knows how long they
// would have taken.
func (r *replay) readTableAsHistory() ([]workload.Arrival, error) {
	rows, err := readJobTable(r.history)
	if err != nil {
		return nil, err
	}
	var arrivals []workload.Arrival
	for _, p := range rows {
		if !p.completed {
			continue
		}
		a := workload.Arrival{
			Job: market.Job{
				Name: p.id, Submit: market.Time(p.submit), Estimate: market.Work(p.finish - p.start), Width: int32(p.procs),
				SLA: market.SLA{Deadline: market.Never, Budget: market.Unlimited},
			},
			Actual: market.Work(p.finish - p.start),
		}
		if p.told { // the utility of a job without a penalty is its budget
			a.Job.SLA.Budget = market.Price(max(0, p.utility))
		}
		if err := a.Job.Validate(); err != nil {
			return nil, &market.PlaceError{File: r.history, Line: int64(p.line), Err: err}
		}
		arrivals = append(arrivals, a)
	}
	if left := len(rows) - len(arrivals); left > 0 {
		r.con.warn("%s: jobs left out because they never ran, and a job table does not say how long they would have: %s", r.history, count(int64(left)))
	}
	if r.table == "" {
		r.table = r.history
	}
	if r.last > 0 {
		arrivals = arrivals[max(0, len(arrivals)-r.last):]
	}
	return slices.Clip(arrivals), nil
}
