package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/live/store"
)

// Tail is the log, entry by entry.
type Tail interface {
	Tail(ctx context.Context, after int64) iter.Seq2[store.Entry, error]
}

// Strict is what came of carrying out a log again.
type Strict struct {
	Entries int64        `json:"entries"`
	Same    int64        `json:"same"` // decided alike
	Differ  []Difference `json:"differ"`
	More    int64        `json:"more,omitempty"` // that differ and are not listed
}

// Difference is an entry that this program decides otherwise.
type Difference struct {
	Seq  int64  `json:"seq"`
	Kind string `json:"kind"`
	How  string `json:"how"`
}

// mostDifferences is how many are listed.
const mostDifferences = 100

// CheckStrictly carries out every command of a log again, from the first, and
// says where this program decides otherwise than the one that wrote it. After a
// difference it goes on from what the log says is true. It is a tool: a market
// starts whatever it finds.
func CheckStrictly(ctx context.Context, log Tail, version string, progress func(seq int64)) (Strict, error) {
	s := Strict{Differ: []Difference{}}
	x, image := exchange.New(version), journal.NewImage()
	old := false   // entries of form 1 have no facts: what they gave is the image of those after them
	bound := false // users are bound to accounts by what was said; before, it was by their names
	for e, err := range log.Tail(ctx, 0) {
		if err != nil {
			return s, fmt.Errorf("read the log: %w", err)
		}
		if e.Version > EntryForm {
			return s, fmt.Errorf("log entry %d: %w", e.Seq, newerForm(e.Version))
		}
		var body Body
		if err = json.Unmarshal(e.Body, &body); err != nil {
			return s, fmt.Errorf("log entry %d: %w", e.Seq, err)
		}
		s.Entries++
		if progress != nil {
			progress(e.Seq)
		}
		if body.Facts != nil && old {
			old = false
			if image, err = imageOf(x); err != nil {
				return s, fmt.Errorf("log entry %d: %w", e.Seq, err)
			}
		}
		old = old || body.Facts == nil
		bound = bound || body.Facts != nil && body.Facts.Bound
		how := decide(x, e.At, &body, bound)
		if body.Facts != nil {
			if err = image.Apply(body.Facts); err != nil {
				return s, fmt.Errorf("log entry %d: %w", e.Seq, err)
			}
		}
		switch {
		case how == "":
			s.Same++
			continue
		case len(s.Differ) < mostDifferences:
			s.Differ = append(s.Differ, Difference{Seq: e.Seq, Kind: e.Kind, How: how})
		default:
			s.More++
		}
		if body.Facts == nil { // of form 1: only what was asked is known
			continue
		}
		if x, image, err = fork(image, version); err != nil {
			return s, fmt.Errorf("log entry %d: %w", e.Seq, err)
		}
	}
	return s, nil
}

// decide carries out a command and says how what follows differs from what the
// log has.
func decide(x *exchange.Exchange, at int64, body *Body, bound bool) (how string) {
	defer func() {
		if broken := recover(); broken != nil {
			how = fmt.Sprint(broken)
		}
	}()
	var err error
	if bound {
		_, err = x.Do(at, body.command())
	} else {
		_, err = x.Again(at, body.command(), body.Steps)
	}
	fx := x.Effects()
	if err != nil {
		return err.Error()
	}
	if len(fx.Steps) != len(body.Steps) {
		return fmt.Sprintf("the core is asked %d times, the log has %d", len(fx.Steps), len(body.Steps))
	}
	for i := range fx.Steps {
		if how := fx.Steps[i].Differs(&body.Steps[i]); how != "" {
			return how
		}
	}
	if body.Facts != nil {
		if got, want := bills(&fx.Facts), bills(body.Facts); got != want {
			return fmt.Sprintf("the books say something else: %s, the log has %s", got, want)
		}
	}
	return ""
}

// bills is what facts say of money.
func bills(f *journal.Facts) string {
	text, err := json.Marshal(f.Txs)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func imageOf(x *exchange.Exchange) (*journal.Image, error) {
	body, err := json.Marshal(x.Snapshot())
	if err != nil {
		return nil, err
	}
	return journal.ReadImage(body)
}

// fork is an exchange that goes on from an image, and the image for itself.
func fork(image *journal.Image, version string) (*exchange.Exchange, *journal.Image, error) {
	body, err := json.Marshal(image.Snapshot())
	if err != nil {
		return nil, nil, err
	}
	x, err := exchange.Open(version, image)
	if err != nil {
		return nil, nil, err
	}
	image, err = journal.ReadImage(body)
	return x, image, err
}
