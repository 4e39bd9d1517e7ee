package sim

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/table"
)

// ReadChanges reads when nodes of a cluster of so many fail and come back: a
// CSV with the columns time, node and event, in any order. Lines need not be in
// order of time. The name of the file is for messages.
func ReadChanges(name string, in io.Reader, nodes int) ([]NodeChange, error) {
	t, err := table.Open(in, name, []string{"time", "node", "event"}, nil)
	if err != nil {
		return nil, err
	}
	var changes []NodeChange
	for {
		if err := t.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		change, err := readFailure(t, nodes)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
	slices.SortStableFunc(changes, func(a, b NodeChange) int { return cmp.Compare(a.At, b.At) })
	return changes, nil
}

func readFailure(t *table.Table, nodes int) (none NodeChange, err error) {
	at, err := t.Number("time")
	if err != nil {
		return none, err
	}
	if at < 0 {
		return none, t.Wrong("time", fmt.Errorf("%q is not a time in seconds", t.Text("time")))
	}
	node, err := t.Whole("node")
	if err != nil {
		return none, err
	}
	if node < 0 || node >= nodes {
		return none, t.Wrong("node", fmt.Errorf("%d is not a node of this cluster (want 0 to %d)", node, nodes-1))
	}
	event := t.Text("event")
	if event != "down" && event != "up" {
		return none, t.Wrong("event", fmt.Errorf("%q (want down or up)", event))
	}
	return NodeChange{At: market.Time(at), Node: node, Down: event == "down"}, nil
}
