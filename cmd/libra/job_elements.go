package main

import (
	"io"
	"strconv"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/wire"
)

// elementsShown is how many elements of an array a terminal is shown.
const elementsShown = 100

// printElements is a table of the elements of an array. Those that failed come first
// where not all are shown, and then those that run.
func printElements(out io.Writer, all []v1.Element) error {
	if len(all) == 0 {
		return nil
	}
	if _, err := printf(out, "\nelements: %s\n", wire.ElementCounts(all)); err != nil {
		return err
	}
	shown := wire.FirstElements(all, elementsShown)
	g := &grid{left: 7, head: true}
	g.add("element", "state", "exit", "started", "took", "node", "output")
	for i := range shown {
		e := &shown[i]
		started, took := "-", "-"
		if e.StartedUS != 0 {
			started = moment(e.StartedUS)
		}
		switch {
		case e.EndedUS != 0:
			took = lastingMS((e.EndedUS - e.StartedUS) / 1000)
		case e.State == v1.ElementRunning: // by the clock of its node, which may be ahead
			took = lastingMS(max(0, wallClock().UnixMicro()-e.StartedUS) / 1000)
		}
		g.add(strconv.Itoa(e.Index), string(e.State), elementExit(e), started, took, e.Node, e.Output)
	}
	if err := g.write(out, ""); err != nil || len(shown) == len(all) {
		return err
	}
	_, err := printf(out, "... and %s more (--json has all)\n", number(int64(len(all)-len(shown)), "element"))
	return err
}

// elementExit is how an element ended.
func elementExit(e *v1.Element) string {
	switch {
	case e.Signal != "":
		return e.Signal
	case e.Error != "":
		return e.Error
	case e.Exit != nil:
		return strconv.Itoa(*e.Exit)
	default:
		return "-"
	}
}

// fileOf is the name of a file of a job as it is on its node, as far as it is one.
func fileOf(j *v1.Job, pattern string) string {
	if j.Programs() > 1 || j.Request.Array != nil { // one for each rank, or element
		pattern = task.FillPattern(pattern, 'j', strconv.FormatInt(j.ID, 10))
		if j.Batch != "" {
			pattern = task.FillPattern(pattern, task.BatchLetter, j.Batch)
		}
		return pattern
	}
	return wire.File(j, pattern, 0)
}
