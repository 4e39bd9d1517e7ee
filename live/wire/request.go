package wire

import (
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// Validate names the first field of a request that makes no sense, as an
// [trade.FieldError].
func Validate(r *v1.Request) error {
	in := ToRequest(r)
	return in.Validate()
}

// ValidateTerms is Validate without the program.
func ValidateTerms(r *v1.Request) error {
	in := ToRequest(r)
	return in.ValidateTerms()
}

// ToRequest takes a request in.
func ToRequest(r *v1.Request) trade.Request {
	return trade.Request{
		Name: r.Name, Account: r.Account, Argv: r.Argv, Script: r.Script, Dir: r.Dir, Env: r.Env, Output: r.Output, Error: r.Error,
		EstimateMS: r.EstimateMS, DeadlineMS: r.DeadlineMS, Soft: r.Soft, Budget: r.Budget, PenaltyMicros: r.PenaltyMicros,
		Processors: r.Processors, Threads: r.Threads, Spread: r.Spread, Once: r.Once, MemoryMB: r.MemoryMB, DiskMB: r.DiskMB, GPUs: r.GPUs, GPUKind: r.GPUKind, Class: r.Class,
		Nodelist: r.Nodelist, Exclude: r.Exclude, Constraint: r.Constraint, Partition: r.Partition, Reservation: r.Reservation, QOS: r.QOS, BeginMS: r.BeginMS, Hold: r.Hold,
		Wish: r.Wish, Overrun: trade.Overrun(r.Overrun), NoRestart: r.NoRestart, After: r.After, AfterAny: r.AfterAny, AfterFailed: r.AfterFailed, AfterEach: r.AfterEach,
		AfterBegun:   list(r.AfterBegun, func(b *v1.Begun) trade.Begun { return trade.Begun(*b) }),
		AfterElement: list(r.AfterElement, func(p *v1.Ahead) trade.Ahead { return trade.Ahead(*p) }),
		Array:        (*trade.Array)(r.Array), Tags: r.Tags, GraceMS: r.GraceMS, Optional: (*trade.Optional)(r.Optional),
	}
}

// Request gives a request out.
func Request(r *trade.Request) v1.Request {
	return v1.Request{
		Name: r.Name, Account: r.Account, Argv: r.Argv, Script: r.Script, Dir: r.Dir, Env: r.Env, Output: r.Output, Error: r.Error,
		EstimateMS: r.EstimateMS, DeadlineMS: r.DeadlineMS, Soft: r.Soft, Budget: r.Budget, PenaltyMicros: r.PenaltyMicros,
		Processors: r.Processors, Threads: r.Threads, Spread: r.Spread, Once: r.Once, MemoryMB: r.MemoryMB, DiskMB: r.DiskMB, GPUs: r.GPUs, GPUKind: r.GPUKind, Class: r.Class,
		Nodelist: r.Nodelist, Exclude: r.Exclude, Constraint: r.Constraint, Partition: r.Partition, Reservation: r.Reservation, QOS: r.QOS, BeginMS: r.BeginMS, Hold: r.Hold,
		Wish: r.Wish, Overrun: v1.Overrun(r.Overrun), NoRestart: r.NoRestart, After: r.After, AfterAny: r.AfterAny, AfterFailed: r.AfterFailed, AfterEach: r.AfterEach,
		AfterBegun:   list(r.AfterBegun, func(b *trade.Begun) v1.Begun { return v1.Begun(*b) }),
		AfterElement: list(r.AfterElement, func(p *trade.Ahead) v1.Ahead { return v1.Ahead(*p) }),
		Array:        (*v1.Array)(r.Array), Tags: r.Tags, GraceMS: r.GraceMS, Optional: (*v1.Optional)(r.Optional),
	}
}

// ToSubmit takes a job in that is handed in.
func ToSubmit(s *v1.SubmitRequest) *trade.Submit {
	return &trade.Submit{Request: ToRequest(&s.Request), Quote: s.Quote}
}

// ToAskQuote takes in what a binding quote is asked for.
func ToAskQuote(q *v1.QuoteRequest) *trade.AskQuote {
	return &trade.AskQuote{TTLMS: q.TTLMS, Request: ToRequest(&q.Request)}
}

// ToEpoch takes a change of policy in.
func ToEpoch(e *v1.Epoch) *trade.Epoch {
	return &trade.Epoch{Policy: e.Policy, Settings: e.Settings, Rates: (*trade.Rates)(e.Rates)}
}
