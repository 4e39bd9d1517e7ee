package exchange

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/libra-market/libra/core/market"
)

// Step is what the core was told at an instant and what it said: the part of
// the log that any driver of the core can replay.
type Step struct {
	At      Number   `json:"at"`
	In      []Event  `json:"in,omitempty"`
	Out     []Event  `json:"out,omitempty"` // without shares where there are many; Sum is over all
	N       int      `json:"n"`             // how many were said
	Sum     uint64   `json:"sum"`           // of all that was said
	Rebuilt *Rebuilt `json:"rebuilt,omitempty"`
}

// Rebuilt says that the cluster was set up anew, with its state kept: a node
// has joined, or an epoch begun.
type Rebuilt struct {
	Nodes    []market.Node `json:"nodes"`
	Policy   string        `json:"policy"`
	Settings []Setting     `json:"settings"`
}

// Event is an event of the core as it is written down.
type Event struct {
	Kind   string   `json:"kind"`
	Job    int64    `json:"job,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Firm   bool     `json:"firm,omitempty"`
	Proc   int32    `json:"proc,omitempty"`
	Node   int32    `json:"node,omitempty"`
	Start  *Number  `json:"start,omitempty"`
	Finish *Number  `json:"finish,omitempty"`
	Speed  float64  `json:"speed,omitempty"`
	Work   float64  `json:"work,omitempty"`
	Price  *Number  `json:"price,omitempty"`
	Procs  []int    `json:"procs,omitempty"`
	Slices []Slice  `json:"slices,omitempty"`
	Spec   *CoreJob `json:"spec,omitempty"`
}

// Slice is one task's part of a processor.
type Slice struct {
	Job   int64   `json:"job"`
	Speed float64 `json:"speed"`
}

// CoreJob is a job as the core sees it.
type CoreJob struct {
	ID       int64   `json:"id"`
	Submit   Number  `json:"submit"`
	Estimate float64 `json:"estimate"`
	Optional float64 `json:"optional,omitempty"`
	Bonus    float64 `json:"bonus,omitempty"`
	Deadline Number  `json:"deadline"`
	Budget   Number  `json:"budget"`
	Penalty  float64 `json:"penalty,omitempty"`
	Soft     bool    `json:"soft,omitempty"`
	Memory   int64   `json:"memory,omitempty"`
	Disk     int64   `json:"disk,omitempty"`
	Width    int32   `json:"width"`
	Threads  int32   `json:"threads,omitempty"`
	Class    int32   `json:"class,omitempty"`
	Wish     uint8   `json:"wish,omitempty"`
	Owner    string  `json:"owner,omitempty"`
	Name     string  `json:"name,omitempty"`
}

// Number is a float that may be infinite: JSON has no word for that.
type Number float64

// MarshalJSON writes infinities as words.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	switch {
	case math.IsInf(f, 1):
		return []byte(`"never"`), nil
	case math.IsInf(f, -1):
		return []byte(`"ever"`), nil
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (n *Number) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"never"`:
		*n = Number(math.Inf(1))
		return nil
	case `"ever"`:
		*n = Number(math.Inf(-1))
		return nil
	}
	var f float64
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("number %s: %w", text, err)
	}
	*n = Number(f)
	return nil
}

// mostShares is how many shares of one step are written down. They follow from
// what happened, and under proportional share every event changes those of all.
const mostShares = 8

// NewStep writes down a step.
func NewStep(at market.Time, in, out []market.Event) Step {
	s := Step{At: Number(at), N: len(out), Sum: Sum(out)}
	for i := range in {
		s.In = append(s.In, written(&in[i]))
	}
	shares := 0
	for i := range out {
		if isShare(&out[i]) {
			shares++
		}
	}
	for i := range out {
		if shares <= mostShares || !isShare(&out[i]) {
			s.Out = append(s.Out, written(&out[i]))
		}
	}
	return s
}

func isShare(e *market.Event) bool { return e.Kind == market.Granted || e.Kind == market.Shared }

func written(e *market.Event) Event {
	w := Event{
		Kind: e.Kind.String(), Job: int64(e.Job), Reason: e.Reason.String(), Firm: e.Firm, Proc: e.Proc, Node: e.Node,
		Speed: e.Speed, Work: float64(e.Work), Start: number(float64(e.Start)), Finish: number(float64(e.Finish)), Price: number(float64(e.Price)),
	}
	for proc := range e.Procs.All() {
		w.Procs = append(w.Procs, proc)
	}
	for _, s := range e.Slices {
		w.Slices = append(w.Slices, Slice{Job: int64(s.Job), Speed: s.Speed})
	}
	if e.Kind == market.Submitted || e.Kind == market.Reserved {
		w.Spec = coreJob(e.Spec)
	}
	return w
}

func number(f float64) *Number {
	if f == 0 {
		return nil
	}
	n := Number(f)
	return &n
}

func coreJob(j *market.Job) *CoreJob {
	return &CoreJob{
		ID: int64(j.ID), Submit: Number(j.Submit), Estimate: float64(j.Estimate), Deadline: Number(j.SLA.Deadline), Budget: Number(j.SLA.Budget),
		Penalty: float64(j.SLA.Penalty), Soft: j.SLA.Soft, Memory: j.Memory, Disk: j.Disk, Width: j.Width, Threads: j.Threads, Class: j.Class,
		Wish: uint8(j.Objective), Owner: string(j.Owner), Name: j.Name, Optional: float64(j.Optional), Bonus: float64(j.SLA.Bonus),
	}
}

// Happened is the step as the core takes it in.
func (s *Step) Happened() ([]market.Event, error) {
	happened := make([]market.Event, 0, len(s.In))
	for _, w := range s.In {
		kind, ok := market.KindOf(w.Kind)
		if !ok || !kind.Input() {
			return nil, fmt.Errorf("at %v: %q is nothing that happens to a cluster", s.At, w.Kind)
		}
		e := market.Event{Kind: kind, Job: market.JobID(w.Job), Proc: w.Proc, Node: w.Node, Speed: w.Speed, Work: market.Work(w.Work)}
		if w.Price != nil {
			e.Price = market.Price(*w.Price)
		}
		if c := w.Spec; c != nil {
			e.Spec = &market.Job{
				ID: market.JobID(c.ID), Submit: market.Time(c.Submit), Estimate: market.Work(c.Estimate), Memory: c.Memory, Disk: c.Disk,
				Optional: market.Work(c.Optional),
				Width:    c.Width, Threads: c.Threads, Class: c.Class, Objective: market.Objective(c.Wish), Owner: market.Account(c.Owner), Name: c.Name,
				SLA: market.SLA{
					Deadline: market.Time(c.Deadline), Budget: market.Price(c.Budget), Penalty: market.Price(c.Penalty), Bonus: market.Price(c.Bonus),
					Soft: c.Soft,
				},
			}
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
		h.add(uint64(e.Job))
		h.add(uint64(uint32(e.Proc)) | uint64(uint32(e.Node))<<32)
		for _, f := range [...]float64{float64(e.Start), float64(e.Finish), e.Speed, float64(e.Work), float64(e.Price)} {
			h.add(math.Float64bits(f))
		}
		for _, block := range e.Procs {
			h.add(block.Bits)
			h.add(uint64(uint32(block.Index)))
		}
		for _, s := range e.Slices {
			h.add(uint64(s.Job))
			h.add(math.Float64bits(s.Speed))
		}
	}
	return uint64(h)
}

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
