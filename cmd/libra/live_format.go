package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/plain"
	"github.com/libra-market/libra/live/wire"
)

// unit is what the market's amounts are in, as it says with every answer; "" before it
// has said so. exact asks for six decimals (--exact).
var (
	unit  atomic.Pointer[string]
	exact atomic.Bool
)

// hearCurrency notes what amounts are in.
func hearCurrency(code string) {
	word := ledger.Seller{Currency: plain.Text(code)}.Unit()
	unit.Store(&word)
}

// unitWord is the unit with a space before it.
func unitWord() string {
	if word := unit.Load(); word != nil && *word != "" {
		return " " + *word
	}
	return ""
}

// worked says why the price of a job is what it is.
func worked(j *v1.Job) string { return wire.Worked(j, strings.TrimSpace(unitWord())) }

// cash writes micro-units of money with their unit.
func cash(micros int64) string { return bare(micros) + unitWord() }

// bare writes an amount in a column whose head has the unit.
func bare(micros int64) string {
	if exact.Load() {
		return market.Money(micros).Exact()
	}
	return market.Money(micros).Text()
}

// inUnit is the head of such a column.
func inUnit(head string) string { return head + unitWord() }

// lasting writes a length of time to the second; of a short one, and of very
// long ones, what matters.
func lasting(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + lasting(-d)
	case d >= 48*time.Hour:
		hours := int64(d.Round(time.Hour) / time.Hour)
		return fmt.Sprintf("%dd%dh", hours/24, hours%24)
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	default:
		return short(d.Round(time.Second))
	}
}

// short writes a length of time without what is nothing of it: 10m, and not 10m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func lastingMS(ms int64) string { return lasting(time.Duration(ms) * time.Millisecond) }

// moment writes a point in time: the time of day if that is today, else with the date
// and the zone.
func moment(us int64) string {
	if us == 0 {
		return "-"
	}
	at, now := time.UnixMicro(us), wallClock()
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format(time.TimeOnly)
	}
	return withZone(us)
}

// withZone writes a point in time for those who may read it elsewhere.
func withZone(us int64) string { return time.UnixMicro(us).Local().Format("2006-01-02 15:04:05 MST") }

// fromNow is how long it is until a point in time.
func fromNow(us int64) time.Duration { return time.UnixMicro(us).Sub(wallClock()) }

// momentAnd writes a point in time and how far away it is.
func momentAnd(us int64) string {
	away := fromNow(us)
	if away < 0 {
		return fmt.Sprintf("%s (%s ago)", moment(us), lasting(-away))
	}
	return fmt.Sprintf("%s (in %s)", moment(us), lasting(away))
}

// untilWords says how long something can be had.
func untilWords(us int64) string {
	if us == 0 {
		return "at any time"
	}
	if fromNow(us) <= 0 {
		return "too late: it expired at " + moment(us)
	}
	return "until " + momentAnd(us)
}

// meter is a bar of so many characters.
func meter(part float64, width int) string {
	full := int(min(1, max(0, part))*float64(width) + 0.5)
	return strings.Repeat("#", full) + strings.Repeat(".", width-full)
}

// share writes a share of a processor.
func share(part float64) string { return strconv.FormatFloat(part*100, 'f', 1, 64) + " %" }

// The looks of a line on a terminal.
const (
	plainLook = ""
	headLook  = "1"  // bold
	fineLook  = "32" // green
	waitLook  = "33" // yellow
	badLook   = "31" // red
	pastLook  = "2"  // dim
)

// colours reports whether somebody sees and wants them.
func (c *console) colours() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && onTerminal(c.out)
}

// board is a table whose lines may have looks.
type board struct {
	grid
	looks []string // of each line
}

func (b *board) row(look string, cells ...string) {
	b.add(cells...)
	b.looks = append(b.looks, look)
}

func (b *board) paint(to io.Writer, colours bool) error {
	if !colours {
		return b.write(to, "")
	}
	for i, lines := range b.fit(columnsIn(to)) {
		painted := i < len(b.looks) && b.looks[i] != plainLook
		for _, line := range lines {
			if painted {
				control(to, "\x1b["+b.looks[i]+"m")
			}
			if _, err := io.WriteString(to, line); err != nil {
				return err
			}
			if painted {
				control(to, "\x1b[0m")
			}
			if _, err := io.WriteString(to, "\n"); err != nil {
				return err
			}
		}
	}
	return nil
}
