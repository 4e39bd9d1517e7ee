package wire

import (
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// Node gives out how a node stands.
func Node(n *trade.NodeView) v1.NodeView {
	return v1.NodeView{
		Node: n.Node, Processors: n.Processors, Rating: n.Rating, MemoryMB: n.MemoryMB, DiskMB: n.DiskMB, GPUs: n.GPUs, GPUKind: n.GPUKind, Features: n.Features, Partition: n.Partition, Reserved: n.Reserved, FreeGPUs: n.FreeGPUs, OthersGPUs: n.OthersGPUs, Boot: n.Boot,
		Agent: n.Agent, Limits: n.Limits, User: n.User, Speed: n.Speed, Missing: n.Missing, Runs: n.Runs, Seat: n.Seat, Elements: n.Elements, Holds: n.Holds,
		Index: n.Index, Up: n.Up, Why: n.Why, Closed: n.Closed, Rates: v1.Rates(n.Rates), SeenUS: n.SeenUS,
		Loads: list(n.Loads, func(p *trade.ProcessorView) v1.ProcessorView {
			return v1.ProcessorView{
				Share: p.Share, Kept: p.Kept, Jobs: list(p.Jobs, func(t *trade.Tenant) v1.Tenant { return v1.Tenant(*t) }),
			}
		}),
		FreeMB: n.FreeMB, Given: n.Given, Kept: n.Kept, More: n.More,
	}
}

// Nodes gives a list of nodes out.
func Nodes(nodes []trade.NodeView) []v1.NodeView { return list(nodes, Node) }

// Prices gives out what the market asks.
func Prices(p *trade.Prices) v1.Prices {
	return v1.Prices{
		AtUS: p.AtUS, Policy: p.Policy, Settings: settings(p.Settings), Rates: v1.Rates(p.Rates), Utilization: p.Utilization,
		Kept: p.Kept, Quoted: p.Quoted, Quotes: p.Quotes, Processors: p.Processors, Up: p.Up,
		Samples: list(p.Samples, func(s *trade.PricePoint) v1.PricePoint { return v1.PricePoint(*s) }),
	}
}

// Epoch gives out a span of the log under one policy.
func Epoch(e *trade.EpochView) v1.EpochView {
	return v1.EpochView{
		Number: e.Number, FromUS: e.FromUS, Policy: e.Policy, Settings: settings(e.Settings), Rates: v1.Rates(e.Rates),
	}
}

// Epochs gives a list of epochs out.
func Epochs(epochs []trade.EpochView) []v1.EpochView { return list(epochs, Epoch) }

// Tally gives out the business of a period.
func Tally(t *trade.Tally) v1.Tally { return v1.Tally(*t) }

// Account gives out how an account stands.
func Account(a *trade.Account) v1.Account { return v1.Account(*a) }

// Accounts gives a list of accounts out.
func Accounts(accounts []trade.Account) []v1.Account { return list(accounts, Account) }

// JobNotice gives out what changed of a job.
func JobNotice(j *trade.Job) v1.JobNotice {
	return v1.JobNotice{ID: j.ID, State: v1.State(j.State), Share: j.Share, Work: j.Work, Price: j.Price, Penalty: j.Penalty, Starting: j.Starting}
}

// Statement gives out what happened on an account.
func Statement(s *ledger.Statement) v1.Statement {
	return v1.Statement{
		Account: string(s.Account), Subtree: s.Subtree, Period: v1.Period(s.Period),
		Opening: int64(s.Opening), Closing: int64(s.Closing), Held: int64(s.Held),
		Lines: list(s.Lines, func(l *ledger.Line) v1.StatementLine {
			return v1.StatementLine{
				Seq: l.Seq, At: l.At, Kind: string(l.Kind), Job: l.Job, Quote: l.Quote, Memo: l.Memo, Amount: int64(l.Amount), Balance: int64(l.Balance),
			}
		}),
	}
}

// ToStatement takes in what another market says of an account.
func ToStatement(s *v1.Statement) ledger.Statement {
	return ledger.Statement{
		Account: market.Account(s.Account), Subtree: s.Subtree, Period: ledger.Period(s.Period),
		Opening: market.Money(s.Opening), Closing: market.Money(s.Closing), Held: market.Money(s.Held),
		Lines: list(s.Lines, func(l *v1.StatementLine) ledger.Line {
			return ledger.Line{
				Seq: l.Seq, At: l.At, Kind: ledger.Kind(l.Kind), Job: l.Job, Quote: l.Quote, Memo: l.Memo,
				Amount: market.Money(l.Amount), Balance: market.Money(l.Balance),
			}
		}),
	}
}
