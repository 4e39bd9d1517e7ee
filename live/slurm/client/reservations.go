package client

import (
	"strings"
	"time"

	"github.com/libra-market/libra/live/hostlist"
	"github.com/libra-market/libra/live/slurm/limit"
)

// readReservations reads a reservation from each line. What cannot be read is passed over:
// that Slurm starts nothing there is noticed when it says so.
func readReservations(out string) (all []limit.Reserved) {
	for line := range strings.Lines(out) {
		values := map[string]string{}
		for word := range strings.FieldsSeq(line) {
			if name, value, ok := strings.Cut(word, "="); ok {
				values[name] = value
			}
		}
		from, err := readTime(values["StartTime"])
		till, err2 := readTime(values["EndTime"])
		nodes, err3 := hostlist.Expand(absent(values["Nodes"]))
		if err != nil || err2 != nil || err3 != nil || from == 0 || till == 0 || len(nodes) == 0 {
			continue
		}
		all = append(all, limit.Reserved{Name: values["ReservationName"], From: time.Unix(from, 0), Till: time.Unix(till, 0), Nodes: nodes})
	}
	return all
}
