package book

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// writeProcs writes a set of processors as people do: 0-3,7.
func writeProcs(procs market.Procs) string {
	var text []byte
	first, last := -1, -2
	flush := func() {
		if first < 0 {
			return
		}
		if len(text) > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(first), 10)
		if last > first {
			text = strconv.AppendInt(append(text, '-'), int64(last), 10)
		}
	}
	for proc := range procs.All() {
		if proc != last+1 {
			flush()
			first = proc
		}
		last = proc
	}
	flush()
	return string(text)
}

// readProcs reads a set of processors of a cluster that has so many.
func readProcs(text string, processors int) (market.Procs, error) {
	var procs market.Procs
	if text == "" {
		return nil, nil
	}
	next := 0
	for part := range strings.SplitSeq(text, ",") {
		from, to, span := strings.Cut(part, "-")
		if !span {
			to = from
		}
		first, err := strconv.Atoi(from)
		if err != nil {
			return nil, fmt.Errorf("%q is not a set of processors", text)
		}
		last, err := strconv.Atoi(to)
		if err != nil || first < next || last < first {
			return nil, fmt.Errorf("%q is not a set of processors", text)
		}
		if last >= processors {
			return nil, fmt.Errorf("there is no processor %d", last)
		}
		for proc := first; proc <= last; proc++ {
			procs = procs.Add(proc)
		}
		next = last + 1
	}
	return procs, nil
}
