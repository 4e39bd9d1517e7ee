package webtest

import (
	"context"
	"encoding/hex"

	"libra/api"
	"libra/controller"
	"libra/exchange"
)

// served is a controller as the pages ask for it.
type served struct{ *controller.Controller }

var _ api.Market = served{}

func (s served) Do(ctx context.Context, c exchange.Command, key api.Key) (exchange.Outcome, bool, error) {
	return s.Controller.Do(ctx, c, controller.Key{Owner: key.Owner, Key: key.Key, Digest: key.Digest})
}

func (s served) Jobs(ctx context.Context, q api.JobQuery) ([]exchange.Job, error) {
	return s.Controller.Jobs(ctx, controller.Query{
		Owner: q.Owner, States: q.States, Name: q.Name, Account: q.Account, Before: q.Before, Limit: q.Limit,
	})
}

func (s served) VerifyLedger(ctx context.Context) (api.Verified, error) {
	v, err := s.Controller.VerifyLedger(ctx)
	return api.Verified{Transactions: v.Transactions, Entries: v.Entries, Head: v.Head, Problem: v.Problem}, err
}

func (s served) Log(ctx context.Context, after int64, limit int) ([]api.LogEntry, error) {
	entries, err := s.Entries(ctx, after, limit)
	lines := make([]api.LogEntry, len(entries))
	for i, e := range entries {
		lines[i] = api.LogEntry{Seq: e.Seq, AtUS: e.At, Kind: e.Kind, Body: e.Body, Hash: hex.EncodeToString(e.Hash)}
	}
	return lines, err
}
