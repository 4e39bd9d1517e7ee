package client

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/live/hostlist"
	"github.com/libra-market/libra/live/slurm/limit"
)

// Reservations says what is reserved in Slurm, now or later.
func (c *commands) Reservations(ctx context.Context) ([]limit.Reserved, error) {
	out, err := c.run(ctx, call{argv: []string{"scontrol", "--oneliner", "show", "reservations"}})
	if err != nil {
		return nil, fmt.Errorf("list reservations: %w", err)
	}
	return readReservations(out), nil
}

// Reservations says what is reserved; without Slurm's commands nobody knows.
func (r *rest) Reservations(ctx context.Context) ([]limit.Reserved, error) {
	if r.killer == nil {
		return nil, nil
	}
	return r.killer.Reservations(ctx)
}

// readReservations reads a reservation from each line. What cannot be read is passed over:
// that Slurm starts nothing there is noticed when it says so.
func readReservations(out string) (all []limit.Reserved) {
	for line := range strings.Lines(out) {
		values := map[string]string{}
		for word := range strings.FieldsSeq(line) {
			if name, value, ok := strings.Cut(word, "="); ok {
				values[name] = absent(value)
			}
		}
		from, err := readTime(values["StartTime"])
		till, err2 := readTime(values["EndTime"])
		nodes, err3 := hostlist.Expand(values["Nodes"])
		if err != nil || err2 != nil || err3 != nil || from == 0 || till == 0 || values["ReservationName"] == "" {
			continue
		}
		r := limit.Reserved{
			Name: values["ReservationName"], From: time.Unix(from, 0), Till: time.Unix(till, 0), Nodes: nodes,
			Users: parts(values["Users"]), Accounts: parts(values["Accounts"]), Groups: values["Groups"], Partition: values["PartitionName"],
			Partial: values["CoreIDs"] != "",
		}
		for _, flag := range parts(values["Flags"]) {
			name, _, _ := strings.Cut(flag, "=") // PURGE_COMP=00:05:00
			r.Flags = append(r.Flags, name)
		}
		for _, part := range parts(values["TRES"]) {
			if count, is := strings.CutPrefix(part, "cpu="); is {
				r.CPUs, _ = strconv.Atoi(count) // what is no number says nothing
			}
		}
		all = append(all, r)
	}
	return all
}

// parts are the words of a list with commas.
func parts(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}
