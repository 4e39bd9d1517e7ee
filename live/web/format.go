package web

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// money writes an amount as every terminal does.
func money(micros int64) string { return market.Money(micros).Text() }

// moneyIn writes an amount with its unit, which stays on its line.
func moneyIn(micros int64, unit string) string { return money(micros) + "\u00a0" + unit }

// exactly writes an amount at an axis, whose steps may be smaller than a cent.
func exactly(micros float64) string { return market.Money(math.Round(micros)).Exact() }

// microsOf is an amount as templates have it: some may be absent, and are asked for
// only where they are not.
func microsOf(amount any) int64 {
	switch v := amount.(type) {
	case int64:
		return v
	case *int64:
		return *v
	default:
		panic(fmt.Sprintf("%T is no amount", amount)) // a mistake in a page, which every test of it sees
	}
}

// signedMoney says of a change which way it goes.
func signedMoney(micros int64) string {
	if micros > 0 {
		return "+" + money(micros)
	}
	return money(micros)
}

func grouped(digits string) string {
	var b strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String()
}

func thousands[T int | int64](n T) string {
	if n < 0 {
		return "\u2212" + grouped(strconv.FormatInt(-int64(n), 10))
	}
	return grouped(strconv.FormatInt(int64(n), 10))
}

// plural is a number and a word for so many.
func plural(n any, one, many string) string {
	var count int64
	switch v := n.(type) {
	case int:
		count = int64(v)
	case int64:
		count = v
	}
	if count == 1 {
		return "1 " + one
	}
	return thousands(count) + " " + many
}

// span writes a length of time, to two units.
func span(ms int64) string {
	if ms < 0 {
		return "\u2212" + span(-ms)
	}
	d := time.Duration(ms) * time.Millisecond
	if d < 10*time.Second {
		return strings.TrimSuffix(strconv.FormatFloat(math.Round(d.Seconds()*10)/10, 'f', 1, 64), ".0") + " s"
	}
	d = d.Round(time.Second)
	units := []struct {
		size time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	for i, u := range units {
		if d < u.size {
			continue
		}
		text := fmt.Sprintf("%d %s", d/u.size, u.name)
		if i+1 < len(units) {
			if rest := d % u.size / units[i+1].size; rest > 0 {
				text += fmt.Sprintf(" %d %s", rest, units[i+1].name)
			}
		}
		return text
	}
	return "0 s"
}

// inputSpan writes a length of time as the form takes it.
func inputSpan(ms int64) string {
	if ms%1000 != 0 {
		return (time.Duration(ms) * time.Millisecond).String()
	}
	s := ms / 1000
	var b strings.Builder
	for _, u := range []struct {
		size int64
		name string
	}{{86_400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}} {
		if n := s / u.size; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
		}
		s %= u.size
	}
	if b.Len() == 0 {
		return "0s"
	}
	return b.String()
}

// percent writes a share.
func percent(part float64) string {
	if math.IsNaN(part) || math.IsInf(part, 0) {
		return "\u2013"
	}
	hundredths := part * 100
	if hundredths > 0 && hundredths < 0.05 { // not nothing
		return "<0.1\u2009%"
	}
	if hundredths != 0 && math.Abs(hundredths) < 9.95 {
		return strconv.FormatFloat(hundredths, 'f', 1, 64) + "\u2009%"
	}
	return strconv.FormatFloat(hundredths, 'f', 0, 64) + "\u2009%"
}

// when writes a point in time: in UTC, until a script that knows where the reader
// is writes it again.
func when(us int64) template.HTML {
	if us == 0 {
		return "\u2013"
	}
	at := time.UnixMicro(us).UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s">%s UTC</time>`, at.Format(time.RFC3339), at.Format("2 Jan 15:04")))
}

// asof writes the point in time that a number is from, to the second.
func asof(us int64) template.HTML {
	at := time.UnixMicro(us).UTC()
	return template.HTML(fmt.Sprintf(`<time datetime="%s" data-as="second">%s UTC</time>`, at.Format(time.RFC3339), at.Format("2 Jan 15:04:05")))
}

// stateLabel is a state, or what is shown for one, in a word.
func stateLabel[S ~string](s S) string {
	return v1.State(s).Word()
}

// stateTone is how a state looks.
func stateTone(s string) string {
	if s == v1.Starting || s == v1.Suspended {
		return "wait"
	}
	switch v1.State(s) {
	case v1.Running:
		return "now"
	case v1.Held, v1.Queued, v1.Stopping:
		return "wait"
	case v1.Completed:
		return "yes"
	case v1.Failed, v1.Stopped, v1.Expired, v1.Lost, v1.Rejected, v1.State(v1.Rejected.Word()):
		return "no"
	default:
		return "past"
	}
}

// reasonLabel makes words of a reason that programs switch on.
func reasonLabel(reason string) string { return strings.ReplaceAll(reason, "_", " ") }
