package wire

import (
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// ToJob takes in what another market says of a job, for what is reckoned of jobs
// wherever they ran: tallies, epilogues, replays.
func ToJob(j *v1.Job) trade.Job {
	return trade.Job{
		ID: j.ID, Owner: j.Owner, Account: j.Account, Name: j.Name, Program: j.Program, State: trade.State(j.State), Reason: j.Reason, Detail: j.Detail,
		Request:     ToRequest(&j.Request),
		SubmittedUS: j.SubmittedUS, QuotedUS: j.QuotedUS, StartedUS: j.StartedUS, EndedUS: j.EndedUS,
		BeginUS: j.BeginUS, OnHold: j.OnHold, DueUS: j.DueUS, PromisedUS: j.PromisedUS, Firm: j.Firm, Starting: j.Starting, InTime: j.InTime,
		Price: j.Price, Held: j.Held, Charged: j.Charged, CostNow: j.CostNow, Penalty: j.Penalty, Work: j.Work, Extra: j.Extra,
		Width: j.Width, Attempt: j.Attempt, Policy: j.Policy,
		Part: task.Part(j.Part), MandatoryUS: j.MandatoryUS, OptionalMS: j.OptionalMS, Optional: j.Optional,
		TakenOut: j.TakenOut, Storage: maybe(j.Storage, func(s *v1.Storage) trade.Storage { return trade.Storage(*s) }),
		Share: j.Share, Places: list(j.Places, func(p *v1.Place) trade.Place { return trade.Place(*p) }),
		Tasks:      list(j.Tasks, toTaskStatus),
		Extensions: list(j.Extensions, func(e *v1.Extension) trade.Extension { return trade.Extension(*e) }),
		Timeline:   list(j.Timeline, func(p *v1.Point) trade.Point { return trade.Point(*p) }),
		Receipt:    maybe(j.Receipt, toReceipt),
		Quote:      j.Quote,
		Archived:   j.Archived,
	}
}

func toTaskStatus(s *v1.TaskStatus) task.Status {
	return task.Status{
		Key:   task.Key{Job: s.Job, Rank: s.Rank, Attempt: s.Attempt},
		State: task.State(s.State), Exit: s.Exit, Signal: s.Signal, OOM: s.OOM, Error: s.Error, Limit: task.Limit(s.Limit), Cancelled: s.Cancelled,
		CPUUS: s.CPUUS, DeclinedUS: s.DeclinedUS, PeakBytes: s.PeakBytes, StartedUS: s.StartedUS, EndedUS: s.EndedUS,
		Elements: list(s.Elements, func(e *v1.TaskElement) task.Element { return task.Element(*e) }), Batch: s.Batch, BornUS: s.BornUS, Low: s.Low,
		RanUS: s.RanUS, AgoUS: s.AgoUS,
		Part: task.Part(s.Part), MandatoryCPUUS: s.MandatoryCPUUS, MandatoryDeclinedUS: s.MandatoryDeclinedUS,
		MandatoryUS: s.MandatoryUS, MandatoryAgoUS: s.MandatoryAgoUS,
	}
}

func toReceipt(r *v1.Receipt) trade.Receipt {
	return trade.Receipt{
		Job: r.Job, Policy: r.Policy, Version: r.Version, Formula: r.Formula,
		Settings: list(r.Settings, func(s *v1.Setting) trade.Setting { return trade.Setting(*s) }),
		Inputs:   list(r.Inputs, func(i *v1.Input) market.Input { return market.Input(*i) }),
		Lines:    list(r.Lines, toLine),
		Charged:  r.Charged, Penalty: r.Penalty, Net: r.Net, IssuedUS: r.IssuedUS, TxSeqs: r.TxSeqs,
	}
}

func toLine(l *v1.ReceiptLine) bill.Line {
	return bill.Line{What: l.What, Formula: l.Formula, Amount: market.Money(l.Amount)}
}
