package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// sweepDone is what came of a sweep, for programs.
type sweepDone struct {
	Out    string           `json:"out,omitempty"` // the file
	Runs   int              `json:"runs"`
	Before int              `json:"before,omitempty"` // of them, those of a sweep that was interrupted
	Lines  []map[string]any `json:"lines"`
}

// printSweepFile prints what is in the file of a sweep.
func (c *console) printSweepFile(done sweepDone) error {
	file, err := os.Open(done.Out)
	if err != nil {
		return err
	}
	defer file.Close()
	return c.printSweep(done, file)
}

// printSweep prints a table as objects: numbers as they stand there, nothing as null.
func (c *console) printSweep(done sweepDone, table io.Reader) error {
	read := csv.NewReader(table)
	head, err := read.Read()
	if err != nil {
		return fmt.Errorf("the table of the sweep: %w", err)
	}
	done.Lines = []map[string]any{}
	for {
		cells, err := read.Read()
		if errors.Is(err, io.EOF) {
			done.Runs = len(done.Lines)
			return c.writeJSON(done)
		}
		if err != nil {
			return fmt.Errorf("the table of the sweep: %w", err)
		}
		line := map[string]any{}
		for i, cell := range cells {
			line[head[i]] = jsonCell(cell)
		}
		done.Lines = append(done.Lines, line)
	}
}

func jsonCell(cell string) any {
	var number json.Number
	switch {
	case cell == "":
		return nil
	case json.Unmarshal([]byte(cell), &number) == nil && cell[0] != '"':
		return number
	}
	return cell
}
