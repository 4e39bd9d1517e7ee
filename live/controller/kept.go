package controller

import (
	"fmt"
	"strings"

	"github.com/libra-market/libra/core/estimate"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/trade"
)

// What is written down of a request is written once, and of one that was refused
// only as much as its history needs: otherwise who is told no fills the disk for
// nothing.

// maxPath is what a path may have in bytes: no system opens a longer one.
const maxPath = 4096

// checkPaths refuses what could not be opened, before it is kept. It is asked at
// the door and not in the exchange, which reads logs that know no such limit.
func checkPaths(cmd *trade.Command) error {
	var r *trade.Request
	switch {
	case cmd.Submit != nil:
		r = &cmd.Submit.Request
	case cmd.Quote != nil:
		r = &cmd.Quote.Request
	default:
		return nil
	}
	for _, p := range []struct{ field, path string }{{"dir", r.Dir}, {"output", r.Output}, {"error", r.Error}} {
		if len(p.path) > maxPath {
			return &trade.FieldError{Field: p.field, Want: fmt.Sprintf("at most %d bytes", maxPath)}
		}
	}
	return nil
}

// leanArgs is how many arguments of a request are kept where it may not be large.
const leanArgs = 16

// leanText is how many bytes of its arguments are kept of a request that was refused.
const leanText = 1024

// offerProgram is how large a program may be that is kept with the offers made to it.
const offerProgram = 4096

// lean is a request without what may be large.
func lean(r *trade.Request) trade.Request {
	l := *r
	l.Script, l.Env = "", nil
	l.Argv = l.Argv[:min(leanArgs, len(l.Argv))]
	return l
}

// program is what a job runs, which a request without its script does not say.
func program(r *trade.Request) string { return estimate.Program(r.Argv, r.Script != "", r.Env) }

// large reports whether lean leaves something out.
func large(r *trade.Request) bool {
	return r.Script != "" || len(r.Env) > 0 || len(r.Argv) > leanArgs
}

// terms is what is kept of a request that was refused: what was asked of the
// market, the first words of its program, and no script.
func terms(r *trade.Request) trade.Request {
	l := lean(r)
	l.Argv = firstWords(l.Argv)
	if l.Optional != nil {
		o := *l.Optional
		o.Argv = firstWords(o.Argv)
		l.Optional = &o
	}
	return l
}

// firstWords is the arguments that fit into leanText. What is kept is a copy: a
// piece of a text keeps all of it in memory.
func firstWords(argv []string) []string {
	var kept []string
	room := leanText
	for _, word := range argv[:min(leanArgs, len(argv))] {
		if len(word) > room {
			word = strings.ToValidUTF8(word[:room], "")
		}
		if word == "" && len(kept) > 0 && room == 0 {
			break
		}
		kept = append(kept, strings.Clone(word))
		room -= len(word)
	}
	return kept
}

// leanCommand is a command as it goes into the log: what a job or a quote asks for
// is among the facts if it was taken, and only its terms are kept if it was not.
func leanCommand(cmd trade.Command, fx *exchange.Effects) trade.Command {
	switch {
	case cmd.Submit != nil && fx.Facts.Requested() != nil:
		s := *cmd.Submit
		s.Request = trade.Request{}
		cmd.Submit = &s
	case cmd.Submit != nil:
		s := *cmd.Submit
		s.Request = terms(&s.Request)
		cmd.Submit = &s
	case cmd.Quote != nil:
		q := *cmd.Quote
		q.Request = terms(&q.Request)
		cmd.Quote = &q
	}
	return cmd
}

// command is that of an entry, to be carried out again. A program that was
// not kept counts for nothing there, but that there was one does.
func (b *Body) command() trade.Command {
	cmd := b.Command
	switch {
	case cmd.Submit != nil:
		s := *cmd.Submit
		if b.Facts != nil {
			if r := b.Facts.Requested(); r != nil {
				s.Request = *r
			}
		}
		if s.Quote == "" && !s.Request.HasProgram() {
			s.Request.Argv = []string{"?"}
		}
		cmd.Submit = &s
	case cmd.Quote != nil && b.Facts != nil:
		q := *cmd.Quote
		newest := int64(0)
		for _, f := range b.Facts.Quotes { // others may have moved by it
			if f.Job > newest && f.MadeUS == b.Facts.Now && f.Owner == cmd.By.User {
				newest, q.Request = f.Job, f.Request
			}
		}
		cmd.Quote = &q
	}
	return cmd
}

// leanOutcome is an outcome as it is kept for who asks again under the same key:
// whoever sent script and environment has them.
func leanOutcome(out trade.Outcome) trade.Outcome {
	if out.Job != nil {
		j := *out.Job
		if out.Refusal != nil {
			j.Request = terms(&j.Request)
		} else {
			j.Request.Script, j.Request.Env = "", nil
		}
		out.Job = &j
	}
	return out
}
