package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/plain"
)

// refusal is the market's no, with what it would take instead.
type refusal struct {
	*client.Problem
	where string // flags of the command line that say which market it is
	code  int    // to exit with; 0: that of the problem

	sbatch bool // who asked did so in the words of sbatch
}

// ExitCode is that of a market that said no.
func (r *refusal) ExitCode() int {
	if r.code != 0 {
		return r.code
	}
	return r.Problem.ExitCode()
}

func (r *refusal) Unwrap() error { return r.Problem }

// Error says why, and how each counter-offer is taken.
func (r *refusal) Error() string {
	var b strings.Builder
	b.WriteString("the market said no")
	if r.Reason != "" {
		fmt.Fprintf(&b, " (%s)", plain.Text(r.Reason))
	}
	fmt.Fprintf(&b, ": %s", plain.Text(r.Problem.Error()))
	if r.Job != 0 {
		fmt.Fprintf(&b, " [job %d]", r.Job)
	}
	if len(r.Offers) > 0 {
		b.WriteString("\nit would take instead:")
	}
	for i := range r.Offers {
		o := &r.Offers[i]
		fmt.Fprintf(&b, "\n  %s\n    %s", plain.Text(o.Detail), plain.Text(r.howTo(o)))
	}
	return b.String()
}

// howTo is the command line that takes an offer. One that nobody keeps has to
// be asked for in its own words.
func (r *refusal) howTo(o *v1.Offer) string {
	q := &o.Quote
	if flags := inSbatch(o); q.ID == "" && r.sbatch && flags != nil {
		return "the same with " + strings.Join(flags, " ")
	}
	if q.ID == "" {
		return "with " + strings.Join(termFlags(&q.Request), " ")
	}
	// The end is a comment to a shell, so that the line can be taken as it is.
	return fmt.Sprintf("%s   # until %s", takeQuote(r.where, q, q.Request.HasProgram()), moment(q.ExpiresUS))
}

// takeQuote is the command line that submits on a quote.
func takeQuote(where string, q *v1.Quote, withProgram bool) string {
	line := "libra submit" + where + " --quote " + q.ID
	if !withProgram {
		line += " -- PROGRAM ARGS..."
	}
	return line
}

// inSbatch are the options of libra sbatch, on its command line beside those that are there, that ask
// for what is offered; nil: there are none for that.
func inSbatch(o *v1.Offer) []string {
	var flags []string
	r := &o.Quote.Request
	switch o.Change {
	case "deadline":
		flags = []string{fmt.Sprintf("--deadline=now+%dseconds", r.DeadlineMS/1000)}
	case "budget":
	case "processors":
		flags = []string{fmt.Sprintf("-n %d", max(1, r.Processors)/max(1, r.Threads))}
	case "memory":
		flags = []string{fmt.Sprintf("--mem-per-cpu=%d", r.MemoryMB)}
	case "array":
		if r.Array == nil || r.Array.Limit == 0 {
			return nil
		}
		flags = []string{fmt.Sprintf("-a %s%%%d", r.Array.Indexes(), r.Array.Limit)}
	default:
		return nil
	}
	if r.Budget != nil {
		flags = append(flags, "--budget "+market.Money(*r.Budget).String())
	}
	return flags
}

// termFlags are the flags that say what a request is worth and when.
func termFlags(r *v1.Request) []string {
	flags := []string{"--estimate", flagSpan(r.EstimateMS)}
	if r.DeadlineMS > 0 {
		flags = append(flags, "--deadline", flagSpan(r.DeadlineMS))
	}
	if r.Budget != nil {
		flags = append(flags, "--budget", market.Money(*r.Budget).String())
	}
	if r.Processors > 1 {
		flags = append(flags, "--procs", fmt.Sprint(r.Processors))
	}
	if o := r.Optional; o != nil {
		flags = append(flags, "--optional", flagSpan(o.WorkMS), "--optional-rate", market.Money(o.RateMicros).String())
	}
	return flags
}

// flagSpan writes milliseconds as flags have them.
func flagSpan(ms int64) string { return short(time.Duration(ms) * time.Millisecond) }

// shellWord makes a word that a shell reads as it is.
func shellWord(word string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./-_[]", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !safe(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// flagNames says which flag sets a field of a request.
var flagNames = map[string]string{
	"estimate_ms": "--estimate", "deadline_ms": "--deadline", "budget_micros": "--budget", "penalty_micros_per_s": "--penalty",
	"processors": "--procs", "memory_mb": "--memory", "disk_mb": "--disk", "gpus": "--gpus", "gpu_kind": "--gpus", "partition": "--partition", "reservation": "--reservation", "qos": "--qos", "no_restart": "--no-restart", "grace_ms": "--grace",
	"argv": "the program", "script": "the script", "name": "--name", "account": "--account", "dir": "--dir", "env": "--env",
	"output": "--output", "error": "--error", "soft": "--soft", "class": "--class", "wish": "--wish", "overrun": "--overrun",
	"after": "--after", "after_begun": "--after-begun", "after_each": "--after-each", "array.list": "--array", "array": "--array", "array.limit": "--array", "array.nodes": "--array", "tags": "--tags", "ttl_ms": "--ttl", "state": "--state",
	"optional": "--optional", "optional.work_ms": "--optional", "optional.rate_micros_per_s": "--optional-rate",
	"optional.argv": "--optional-command",
	"every_ms":      "--every", "most_micros": "--most", "welcome": "--welcome", "each": "--each",
	"month": "--month", "from": "--from", "to": "--to", "element": "--element", "rank": "--rank", "limit": "--limit",
}

// wholeNumber is a number that stands by itself.
var wholeNumber = regexp.MustCompile(`\b[0-9]+\b`)

// flagFor puts the flag in the place of the field that a message begins with,
// and wherever else fields are named.
func flagFor(field string, err error) error {
	flag, known := flagNames[strings.TrimPrefix(field, "request.")]
	if !known {
		return err
	}
	text := strings.TrimPrefix(err.Error(), field+":")
	if strings.HasSuffix(field, "_ms") { // the flag has spans
		text = wholeNumber.ReplaceAllStringFunc(text, func(digits string) string {
			ms, err := strconv.ParseInt(digits, 10, 64)
			if err != nil || ms > 0 && ms < 1000 || ms > math.MaxInt64/int64(time.Millisecond) { // 90 days
				return digits
			}
			return flagSpan(ms)
		})
	}
	for name, other := range flagNames {
		if strings.Contains(name, "_") {
			text = strings.ReplaceAll(text, name, other)
		}
	}
	return fmt.Errorf("%s: %s", flag, strings.TrimSpace(text))
}
