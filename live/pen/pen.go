package pen

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Entry is what is written down of a command: what was asked, what the core was told and
// said, and what is true since then.
func Entry(cmd *trade.Command, steps []journal.Step, facts *journal.Facts) ([]byte, error) {
	return written(func(p *pen) {
		p.text(`{"cmd":`)
		p.tradeCommand(cmd)
		if len(steps) > 0 {
			p.text(`,"steps":`)
			p.listOfJournalStep(steps)
		}
		if facts != nil {
			p.text(`,"facts":`)
			p.journalFacts(facts)
		}
		p.text("}")
	})
}

// Outcome is what came of a command.
func Outcome(o *trade.Outcome) ([]byte, error) {
	return written(func(p *pen) { p.tradeOutcome(o) })
}

// Job is a job as it is kept.
func Job(j *trade.Job) ([]byte, error) { return written(func(p *pen) { p.tradeJob(j) }) }

// Snapshot is all of a market.
func Snapshot(s *journal.Snapshot) ([]byte, error) {
	return written(func(p *pen) { p.journalSnapshot(s) })
}

// Answer adds what is said to a client, with the end of its line and without the escapes
// that a page would need; false: that is for others to write.
func Answer(to []byte, v any) (text []byte, known bool, err error) {
	p := pen{b: to, plain: true}
	switch v := v.(type) {
	case *v1.Job:
		p.v1Job(v)
	case *v1.Quote:
		p.v1Quote(v)
	default:
		return to, false, nil
	}
	p.text("\n")
	return p.b, true, p.err
}

// pen is a text that is being written.
type pen struct {
	b     []byte
	plain bool // without escapes for HTML
	err   error
}

var pens = sync.Pool{New: func() any { return new(pen) }}

// mostKept is the largest scratch that is kept for the next.
const mostKept = 1 << 20

// written is a text of its own, of no more memory than it takes.
func written(write func(*pen)) ([]byte, error) {
	p, ok := pens.Get().(*pen)
	if !ok {
		p = new(pen)
	}
	p.b, p.err = p.b[:0], nil
	write(p)
	text, err := p.b, p.err
	if cap(text) <= mostKept {
		text = append(make([]byte, 0, len(text)), text...)
		pens.Put(p)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

func (p *pen) text(s string) { p.b = append(p.b, s...) }

// end ends what began at a place, where each part has put a comma before itself: an
// object or a list.
func (p *pen) end(began int, first, last byte) {
	if len(p.b) == began {
		p.b = append(p.b, first)
	} else {
		p.b[began] = first
	}
	p.b = append(p.b, last)
}

func (p *pen) bool(v bool)   { p.b = strconv.AppendBool(p.b, v) }
func (p *pen) int(v int64)   { p.b = strconv.AppendInt(p.b, v, 10) }
func (p *pen) uint(v uint64) { p.b = strconv.AppendUint(p.b, v, 10) }

// float writes a number as encoding/json does: as ECMAScript, without a padded exponent.
func (p *pen) float(f float64) {
	size := math.Abs(f)
	switch {
	case math.IsInf(f, 0) || math.IsNaN(f):
		p.fail(&json.UnsupportedValueError{Value: reflect.ValueOf(f), Str: strconv.FormatFloat(f, 'g', -1, 64)})
	case size != 0 && (size < 1e-6 || size >= 1e21):
		p.b = strconv.AppendFloat(p.b, f, 'e', -1, 64)
		if n := len(p.b); p.b[n-4] == 'e' && p.b[n-3] == '-' && p.b[n-2] == '0' {
			p.b[n-2] = p.b[n-1]
			p.b = p.b[:n-1]
		}
	default:
		p.b = strconv.AppendFloat(p.b, f, 'f', -1, 64)
	}
}

// number writes a number of the core, which may be none or without end.
func (p *pen) number(f float64) { p.b = market.Number(f).Append(p.b) }

// string writes a string. What is not plain ASCII is rare, and left to encoding/json.
func (p *pen) string(s string) {
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || !p.plain && (c == '<' || c == '>' || c == '&') {
			p.any(s)
			return
		}
	}
	p.b = append(p.b, '"')
	p.b = append(p.b, s...)
	p.b = append(p.b, '"')
}

// bytes writes bytes that are no text.
func (p *pen) bytes(v []byte) {
	if v == nil {
		p.text("null")
		return
	}
	p.b = append(p.b, '"')
	p.b = base64.StdEncoding.AppendEncode(p.b, v)
	p.b = append(p.b, '"')
}

// word writes what has a text of its own.
func (p *pen) word(v interface{ MarshalText() ([]byte, error) }) {
	text, err := v.MarshalText()
	if err != nil {
		p.fail(err)
		return
	}
	p.string(string(text))
}

// any leaves something to encoding/json.
func (p *pen) any(v any) {
	e := json.NewEncoder((*tail)(p))
	e.SetEscapeHTML(!p.plain)
	if err := e.Encode(v); err != nil {
		p.fail(err)
		return
	}
	p.b = p.b[:len(p.b)-1] // its end of line
}

// tail writes to the end of a text.
type tail pen

func (t *tail) Write(b []byte) (int, error) {
	t.b = append(t.b, b...)
	return len(b), nil
}

func (p *pen) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// zero reports whether nothing of a value is said.
func zero[T any](v *T) bool { return reflect.ValueOf(v).Elem().IsZero() }
