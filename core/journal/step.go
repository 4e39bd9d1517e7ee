package journal

import (
	"fmt"
	"math"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Step is what the core was told at an instant and what it said: the part of
// the log that any driver of the core can replay.
type Step struct {
	At      market.Time `json:"at"`
	In      []Event     `json:"in,omitempty"`
	Out     []Event     `json:"out,omitempty"` // what it decided: shares and wake-ups follow from the rest, and Sum is over all
	N       int         `json:"n"`             // how many were said
	Sum     uint64      `json:"sum"`           // of all that was said
	Rebuilt *Rebuilt    `json:"rebuilt,omitempty"`
}

// Rebuilt says that the cluster was set up anew, with its state kept: a node
// has joined, or an epoch begun.
type Rebuilt struct {
	Nodes    []market.Node   `json:"nodes"`
	Policy   string          `json:"policy"`
	Settings []trade.Setting `json:"settings"`
}

// Event is an event of the core as it is written down.
type Event struct {
	Kind   string        `json:"kind"`
	Job    int64         `json:"job,omitempty"`
	Reason string        `json:"reason,omitempty"`
	Firm   bool          `json:"firm,omitempty"`
	Proc   int32         `json:"proc,omitempty"`
	Node   int32         `json:"node,omitempty"`
	Start  *market.Time  `json:"start,omitempty"`
	Finish *market.Time  `json:"finish,omitempty"`
	Speed  float64       `json:"speed,omitempty"`
	Work   float64       `json:"work,omitempty"`
	Price  *market.Price `json:"price,omitempty"`
	Procs  []int         `json:"procs,omitempty"`
	Slices []Slice       `json:"slices,omitempty"`
	Spec   *market.Job   `json:"spec,omitempty"`

	Presumed bool `json:"presumed,omitempty"`
}

// Slice is one task's part of a processor.
type Slice struct {
	Job   int64   `json:"job"`
	Speed float64 `json:"speed"`
}

// NewStep writes down a step.
func NewStep(at market.Time, in, out []market.Event) Step {
	s := Step{At: at, N: len(out), Sum: Sum(out), In: slices.Grow([]Event(nil), len(in))}
	for i := range in {
		s.In = append(s.In, written(&in[i]))
	}
	decided := 0
	for i := range out {
		if decides(out[i].Kind) {
			decided++
		}
	}
	s.Out = slices.Grow(s.Out, decided)
	for i := range out {
		if decides(out[i].Kind) {
			s.Out = append(s.Out, written(&out[i]))
		}
	}
	return s
}

// decides tells decisions from what follows from them, and from how it was rounded: shares
// and wake-ups. Under proportional share every event changes the shares of all.
func decides(k market.Kind) bool {
	return k != market.Granted && k != market.Shared && k != market.Wake
}

func written(e *market.Event) Event {
	w := Event{
		Kind: e.Kind.String(), Job: int64(e.Job), Reason: e.Reason.String(), Firm: e.Firm, Proc: e.Proc, Node: e.Node,
		Speed: e.Speed, Work: float64(e.Work), Start: given(e.Start), Finish: given(e.Finish), Price: given(e.Price),
		Presumed: e.Presumed,
	}
	for proc := range e.Procs.All() {
		w.Procs = append(w.Procs, proc)
	}
	for _, s := range e.Slices {
		w.Slices = append(w.Slices, Slice{Job: int64(s.Job), Speed: s.Speed})
	}
	if e.Kind == market.Submitted || e.Kind == market.Reserved {
		spec := *e.Spec // it is the book's
		w.Spec = &spec
	}
	return w
}

// given is a value that is worth writing down.
func given[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// Happened is the step as the core takes it in.
func (s *Step) Happened() ([]market.Event, error) {
	happened := make([]market.Event, 0, len(s.In))
	for _, w := range s.In {
		kind, ok := market.KindOf(w.Kind)
		if !ok || !kind.Input() {
			return nil, fmt.Errorf("at %v: %q is nothing that happens to a cluster", s.At, w.Kind)
		}
		e := market.Event{Kind: kind, Job: market.JobID(w.Job), Proc: w.Proc, Node: w.Node, Speed: w.Speed, Work: market.Work(w.Work), Presumed: w.Presumed}
		if w.Price != nil {
			e.Price = *w.Price
		}
		if w.Spec != nil {
			spec := *w.Spec
			e.Spec = &spec
		}
		happened = append(happened, e)
	}
	return happened, nil
}

// Sum is a number for all that was said: two runs that said the same have the
// same.
func Sum(said []market.Event) uint64 {
	h := digest(14695981039346656037)
	for i := range said {
		e := &said[i]
		h.add(uint64(e.Kind) | uint64(e.Reason)<<8 | uint64(flag(e.Firm))<<16)
		h.add(market.Bits(e.Job))
		h.add(low(e.Proc) | low(e.Node)<<32)
		for _, f := range [...]float64{float64(e.Start), float64(e.Finish), e.Speed, float64(e.Work), float64(e.Price)} {
			h.add(math.Float64bits(f))
		}
		for _, block := range e.Procs {
			h.add(block.Bits)
			h.add(low(block.Index))
		}
		for _, s := range e.Slices {
			h.add(market.Bits(s.Job))
			h.add(math.Float64bits(s.Speed))
		}
	}
	return uint64(h)
}

// low is a number of 32 bits, its sign among them.
func low(n int32) uint64 { return market.Bits(int64(n)) & math.MaxUint32 }

// digest mixes words into a number: no proof against malice, which the chain of
// the log is, but no two courses of events come out alike by chance.
type digest uint64

func (d *digest) add(word uint64) {
	x := (uint64(*d) ^ word) * 0x9e3779b97f4a7c15
	*d = digest(x ^ x>>29)
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}
