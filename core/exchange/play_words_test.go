package exchange_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// words are the key=value pairs of a command.
type words struct {
	set map[string]string
	bad error
}

func pairs(list []string) *words {
	w := &words{set: map[string]string{}}
	for _, text := range list {
		key, value, _ := strings.Cut(text, "=")
		w.set[key] = value
	}
	return w
}

func (w *words) has(key string) bool {
	_, there := w.set[key]
	return there
}

func (w *words) text(key, otherwise string) string {
	value, there := w.set[key]
	if !there {
		return otherwise
	}
	delete(w.set, key)
	return value
}

func (w *words) number(key string, otherwise float64) float64 {
	value, there := w.set[key]
	if !there {
		return otherwise
	}
	delete(w.set, key)
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		w.bad = err
	}
	return x
}

func (w *words) money(key string, otherwise float64) int64 { return micros(w.number(key, otherwise)) }

func (w *words) flag(key string) bool {
	there := w.has(key)
	delete(w.set, key)
	return there
}

// rest are the words that nobody asked for.
func (w *words) rest() map[string]string {
	rest := maps.Clone(w.set)
	clear(w.set)
	return rest
}

// settings are the rest, as what a market under a policy is set to; live says that
// it has the rules of a live market where nothing else is said.
func (w *words) settings(policy string) map[string]string {
	if !w.flag("live") {
		return w.rest()
	}
	return epoch.Complete(policy, w.rest(), epoch.LiveSettings())
}

// unused names words that mean nothing here: a misspelt one must not pass.
func (w *words) unused() error {
	if w.bad != nil {
		return w.bad
	}
	if len(w.set) > 0 {
		return fmt.Errorf("what is %v?", slices.Sorted(maps.Keys(w.set)))
	}
	return nil
}

// request reads what is asked of the market; every submission runs something.
func (w *words) request(program bool) trade.Request {
	ms := func(key string) int64 { return int64(w.number(key, 0) * 1e3) }
	r := trade.Request{
		Name: w.text("name", ""), Account: w.text("account", ""), EstimateMS: ms("estimate"), DeadlineMS: ms("deadline"), Soft: w.flag("soft"),
		PenaltyMicros: w.money("penalty", 0), Processors: int(w.number("procs", 0)), Threads: int(w.number("threads", 0)), Once: w.flag("once"),
		MemoryMB: int64(w.number("memory", 0)), DiskMB: int64(w.number("disk", 0)), Class: int(w.number("class", 0)), Wish: w.text("wish", ""),
		Overrun: trade.Overrun(w.text("overrun", "")), NoRestart: w.flag("no-restart"), GraceMS: ms("grace"), Output: w.text("output", ""),
		Error: w.text("error", ""),
	}
	if argv := w.text("argv", ""); argv != "" {
		r.Argv = strings.Split(argv, ",")
	} else if program {
		r.Argv = []string{"/bin/true"}
	}
	if w.has("budget") {
		b := w.money("budget", 0)
		r.Budget = &b
	}
	for id := range strings.SplitSeq(w.text("after", ""), ",") {
		if n, err := strconv.ParseInt(id, 10, 64); err == nil {
			r.After = append(r.After, n)
		}
	}
	if w.has("array") {
		first, last, _ := strings.Cut(w.text("array", ""), "-")
		r.Array = &trade.Array{Step: int(w.number("step", 0)), Limit: int(w.number("lanes", 0))}
		r.Array.First, _ = strconv.Atoi(first)
		r.Array.Last, _ = strconv.Atoi(last)
	}
	if w.has("optional") {
		r.Optional = &trade.Optional{WorkMS: ms("optional"), RateMicros: w.money("rate", 0)}
		if argv := w.text("then", ""); argv != "" {
			r.Optional.Argv = strings.Split(argv, ",")
		}
	}
	return r
}

// micros is an amount of money, or of seconds, in millionths.
func micros(x float64) int64 { return int64(math.Round(x * 1e6)) }

// money writes an amount as people do.
func money(micros int64) string { return market.Money(micros).String() }

// plain writes a number as a person would: at most six decimals.
func plain(x float64) string { return strconv.FormatFloat(math.Round(x*1e6)/1e6, 'f', -1, 64) }
