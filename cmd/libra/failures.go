package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"libra/market"
	"libra/sim"
	"libra/workload"
)

// readFailures reads when nodes fail and come back: a CSV with the columns
// time, node and event, in any order. Lines need not be in order of time.
func readFailures(path string, nodes int) ([]sim.NodeChange, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r := &failureReader{path: path, nodes: nodes, in: csv.NewReader(in)}
	r.in.FieldsPerRecord = -1 // counted here, for an error that says how many
	if err := r.header(); err != nil {
		return nil, err
	}
	var changes []sim.NodeChange
	for {
		change, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	slices.SortStableFunc(changes, func(a, b sim.NodeChange) int { return cmp.Compare(a.At, b.At) })
	return changes, nil
}

var failureColumns = []string{"time", "node", "event"}

type failureReader struct {
	path   string
	nodes  int
	in     *csv.Reader
	places [3]int // of the columns, in the order of failureColumns
}

func (r *failureReader) read() ([]string, error) {
	record, err := r.in.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, &workload.PlaceError{File: r.path, Line: int64(wrong.Line), Err: wrong.Err}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, &workload.PlaceError{File: r.path, Err: err}
	}
	for i := range record {
		record[i] = strings.TrimSpace(record[i])
	}
	return record, err
}

func (r *failureReader) header() error {
	names, err := r.read()
	if errors.Is(err, io.EOF) {
		return &workload.PlaceError{File: r.path, Err: errors.New("no header line (want time,node,event)")}
	}
	if err != nil {
		return err
	}
	for i, name := range failureColumns {
		if r.places[i] = slices.Index(names, name); r.places[i] < 0 {
			return r.wrong("", "no column %q (want time,node,event)", name)
		}
	}
	if len(names) != len(failureColumns) {
		return r.wrong("", "%d columns (want time,node,event)", len(names))
	}
	return nil
}

func (r *failureReader) next() (sim.NodeChange, error) {
	var none sim.NodeChange
	record, err := r.read()
	if err != nil {
		return none, err
	}
	if len(record) != len(failureColumns) {
		return none, r.wrong("", "%d columns, the header line has %d", len(record), len(failureColumns))
	}
	at, err := strconv.ParseFloat(record[r.places[0]], 64)
	if err != nil || !(at >= 0) || math.IsInf(at, 0) {
		return none, r.wrong("time", "%q is not a time in seconds", record[r.places[0]])
	}
	node, err := strconv.Atoi(record[r.places[1]])
	if err != nil || node < 0 || node >= r.nodes {
		return none, r.wrong("node", "%q is not a node of this cluster (want 0 to %d)", record[r.places[1]], r.nodes-1)
	}
	event := record[r.places[2]]
	if event != "down" && event != "up" {
		return none, r.wrong("event", "%q (want down or up)", event)
	}
	return sim.NodeChange{At: market.Time(at), Node: node, Down: event == "down"}, nil
}

// wrong says where the line last read is wrong.
func (r *failureReader) wrong(column, format string, args ...any) error {
	line, _ := r.in.FieldPos(0)
	return &workload.PlaceError{File: r.path, Line: int64(line), Field: column, Err: fmt.Errorf(format, args...)}
}
