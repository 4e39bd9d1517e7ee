package wire

import (
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Job gives a job out.
func Job(j *trade.Job) v1.Job {
	return v1.Job{
		ID: j.ID, Owner: j.Owner, Account: j.Account, Name: j.Name, Program: j.Program, State: v1.State(j.State), Reason: j.Reason, Detail: j.Detail,
		Request:     Request(&j.Request),
		SubmittedUS: j.SubmittedUS, QuotedUS: j.QuotedUS, StartedUS: j.StartedUS, EndedUS: j.EndedUS,
		BeginUS: j.BeginUS, OnHold: j.OnHold, DueUS: j.DueUS, PromisedUS: j.PromisedUS, Firm: j.Firm, Starting: j.Starting, InTime: j.InTime,
		Price: j.Price, Held: j.Held, Charged: j.Charged, CostNow: j.CostNow, Penalty: j.Penalty, Work: j.Work, Extra: j.Extra,
		Width: j.Width, Attempt: j.Attempt, Policy: j.Policy,
		Part: v1.Part(j.Part), MandatoryUS: j.MandatoryUS, OptionalMS: j.OptionalMS, Optional: j.Optional, TakenOut: j.TakenOut, Storage: maybe(j.Storage, storage),
		Share: j.Share, Places: list(j.Places, func(p *trade.Place) v1.Place { return v1.Place(*p) }),
		Tasks:      list(j.Tasks, TaskStatus),
		Extensions: list(j.Extensions, func(e *trade.Extension) v1.Extension { return v1.Extension(*e) }),
		Timeline:   list(j.Timeline, func(p *trade.Point) v1.Point { return v1.Point(*p) }),
		Receipt:    maybe(j.Receipt, Receipt),
		Quote:      j.Quote,
		Archived:   j.Archived,
	}
}

func storage(s *trade.Storage) v1.Storage { return v1.Storage(*s) }

// TaskStatus gives out how a task stands.
func TaskStatus(s *task.Status) v1.TaskStatus {
	return v1.TaskStatus{
		Job: s.Job, Rank: s.Rank, Attempt: s.Attempt,
		State: v1.TaskState(s.State), Exit: s.Exit, Signal: s.Signal, OOM: s.OOM, Error: s.Error, Limit: v1.Limit(s.Limit), Cancelled: s.Cancelled,
		CPUUS: s.CPUUS, DeclinedUS: s.DeclinedUS, PeakBytes: s.PeakBytes, StartedUS: s.StartedUS, EndedUS: s.EndedUS,
		Elements: list(s.Elements, func(e *task.Element) v1.TaskElement { return v1.TaskElement(*e) }), Batch: s.Batch, BornUS: s.BornUS, Low: s.Low,
		RanUS: s.RanUS, AgoUS: s.AgoUS,
		Part: v1.Part(s.Part), MandatoryCPUUS: s.MandatoryCPUUS, MandatoryDeclinedUS: s.MandatoryDeclinedUS,
		MandatoryUS: s.MandatoryUS, MandatoryAgoUS: s.MandatoryAgoUS,
	}
}

// Receipt gives out the bill of a job.
func Receipt(r *trade.Receipt) v1.Receipt {
	return v1.Receipt{
		Job: r.Job, Policy: r.Policy, Settings: settings(r.Settings), Version: r.Version, Formula: r.Formula,
		Inputs:  list(r.Inputs, func(i *market.Input) v1.Input { return v1.Input(*i) }),
		Lines:   list(r.Lines, line),
		Charged: r.Charged, Penalty: r.Penalty, Net: r.Net, IssuedUS: r.IssuedUS, TxSeqs: r.TxSeqs,
	}
}

func line(l *bill.Line) v1.ReceiptLine {
	return v1.ReceiptLine{What: l.What, Formula: l.Formula, Amount: int64(l.Amount)}
}

// Explanation gives out how a job stands, in words.
func Explanation(e *trade.Explanation) v1.Explanation {
	return v1.Explanation{
		Job: e.Job, State: v1.State(e.State), Summary: e.Summary, Because: e.Because, Share: e.Share, Need: e.Need,
		PredictedUS: e.PredictedUS, DueUS: e.DueUS, Odds: e.Odds, OddsFrom: e.OddsFrom, Ahead: e.Ahead,
		PenaltyNow: e.PenaltyNow, CostNow: e.CostNow, CancelNow: &e.CancelNow, Part: v1.Part(e.Part), OptionalMS: e.OptionalMS, Optional: e.Optional,
	}
}

// Worked says in one line why the price of a job that has its receipt is what it is: as
// its quote did, with amounts in a unit.
func Worked(j *v1.Job, unit string) string {
	if j.Receipt == nil {
		return ""
	}
	inputs := make([]market.Input, len(j.Receipt.Inputs))
	for i, in := range j.Receipt.Inputs {
		inputs[i] = market.Input{Name: in.Name, Value: in.Value, Unit: in.Unit}
	}
	var stored, lent market.Money
	if s := j.Storage; s != nil {
		stored, lent = market.Money(s.Price-s.GPUs), market.Money(s.GPUs)
	}
	return InUnit(bill.Worked(j.Receipt.Formula, inputs, market.Money(j.Price), stored, lent), unit)
}

// Quote gives a quote out.
func Quote(q *trade.Quote) v1.Quote {
	return v1.Quote{
		ID: q.ID, Owner: q.Owner, Request: Request(&q.Request), Price: q.Price, Binding: q.Binding, Firm: q.Firm,
		FinishUS: q.FinishUS, PredictedUS: q.PredictedUS, Odds: q.Odds, Share: q.Share, Width: q.Width,
		MadeUS: q.MadeUS, ExpiresUS: q.ExpiresUS, Formula: q.Formula, Policy: q.Policy, Gain: q.Gain, OptionalMost: q.OptionalMost,
		Held: q.Held, Keeps: q.Keeps, Rent: q.Rent, Storage: maybe(q.Storage, storage), NotBinding: q.NotBinding, Worked: q.Worked,
	}
}

// Refusal gives out the answer no.
func Refusal(r *trade.Refusal) v1.Refusal {
	return v1.Refusal{
		Reason: r.Reason, Detail: r.Detail, Job: r.Job,
		Offers: list(r.Offers, func(o *trade.Offer) v1.Offer {
			return v1.Offer{Change: o.Change, Detail: o.Detail, Quote: Quote(&o.Quote)}
		}),
	}
}

// Chunk gives out a piece of output.
func Chunk(c *task.Chunk) v1.Chunk { return v1.Chunk(*c) }

// Jobs gives a list of jobs out.
func Jobs(jobs []trade.Job) []v1.Job { return list(jobs, Job) }

func settings(set []trade.Setting) []v1.Setting {
	return list(set, func(s *trade.Setting) v1.Setting { return v1.Setting(*s) })
}

// list maps a list; none stays none, because JSON tells it from an empty one.
func list[T, U any](in []T, f func(*T) U) []U {
	if in == nil {
		return nil
	}
	out := make([]U, len(in))
	for i := range in {
		out[i] = f(&in[i])
	}
	return out
}

// maybe maps what may not be there.
func maybe[T, U any](in *T, f func(*T) U) *U {
	if in == nil {
		return nil
	}
	out := f(in)
	return &out
}
