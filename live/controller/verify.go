package controller

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/audit"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
)

// VerifyStore looks for damage in a store that need not have a market running: that
// the file is whole, that the log has no gap and no change, that a state can be made
// of it, and that transactions, jobs and counts are those that follow. It goes on
// after what it finds, and says each; Problem is the first.
func VerifyStore(ctx context.Context, st store.PastCloser) (v1.Verified, []string, error) {
	v := &verification{st: st}
	err := v.run(ctx)
	if len(v.found) > 0 {
		v.Problem = v.found[0]
	}
	return v.Verified, v.found, err
}

// verification is one look at a store.
type verification struct {
	v1.Verified

	st     store.PastCloser
	found  []string
	logged numbers // of the jobs that the log speaks of
	rows   numbers // of those that there are
}

// mostFound is how much is said of a store: one that is broken is broken everywhere.
const mostFound = 100

func (v *verification) say(what string) {
	if len(v.found) < mostFound && !slices.Contains(v.found, what) {
		v.found = append(v.found, what)
	}
}

func (v *verification) run(ctx context.Context) error {
	// 1. What the database keeps for itself.
	if err := v.st.Inspect(ctx, v.say); err != nil {
		return err
	}
	// 2. The log, and the state that it gives.
	var err error
	if v.Entries, err = v.st.VerifyLog(ctx); err != nil {
		v.say(err.Error())
	}
	if v.Unread, err = v.st.Unread(ctx); err != nil {
		v.say(err.Error())
	}
	_, x, err := (&recovery{image: journal.NewImage()}).read(ctx, v.st)
	if err != nil {
		v.say("no state can be made of the log: " + err.Error())
	}
	v.readLog(ctx)
	// 3. The books, by themselves and against that state.
	against := audit.New()
	v.books(ctx, x, against)
	// 4. The jobs, against the books and the log.
	if err = v.jobs(ctx, x, against); err != nil {
		v.say(err.Error())
	}
	for id := range v.logged.less(&v.rows) {
		v.say(fmt.Sprintf("job %d is in the log, and its row is gone", id))
	}
	return ctx.Err()
}

// readLog notes which jobs the log speaks of.
func (v *verification) readLog(ctx context.Context) {
	for e, err := range v.st.Tail(ctx, v.Unread) {
		if err != nil {
			v.say(err.Error())
			return
		}
		var body struct {
			Facts struct {
				Jobs []struct {
					ID int64 `json:"id"`
				} `json:"jobs"`
			} `json:"facts"`
		}
		if err = json.Unmarshal(e.Body, &body); err != nil {
			v.say(fmt.Sprintf("log entry %d: %v", e.Seq, err))
			continue
		}
		for _, j := range body.Facts.Jobs {
			v.logged.add(j.ID)
		}
	}
}

// books adds up all transactions.
func (v *verification) books(ctx context.Context, x *exchange.Exchange, against *audit.Audit) {
	all := func(yield func(ledger.Tx, error) bool) {
		for row, err := range v.st.Txs(ctx, store.TxQuery{}) {
			var tx ledger.Tx
			if err == nil {
				tx, err = FromRow(&row)
			}
			if err == nil {
				v.transaction(&row, &tx)
				against.Tx(&tx)
				v.Transactions, v.Head = tx.Seq, hex.EncodeToString(tx.Hash[:])
			}
			if !yield(tx, err) || err != nil {
				return
			}
		}
	}
	var want *ledger.State
	if x != nil {
		if err := x.CheckBooks(); err != nil {
			v.say(err.Error())
		}
		state := x.LedgerState()
		want = &state
	}
	if _, err := ledger.Verify(ledger.State{}, all, want); err != nil {
		v.say(err.Error())
	}
}

// transaction compares what a transaction is looked up by with the transaction, where the
// row says it twice; else both are what its hash is held against.
func (v *verification) transaction(row *store.Tx, tx *ledger.Tx) {
	want, err := txRow(tx)
	if err != nil {
		v.say(err.Error())
		return
	}
	if row.Seq != want.Seq || row.At != want.At || row.Kind != want.Kind || row.Job != want.Job || row.Memo != want.Memo || !bytes.Equal(row.Hash, want.Hash) {
		v.say(fmt.Sprintf("transaction %d: its row says another number, time, kind, job or hash than it does", row.Seq))
	}
	if !slices.Equal(row.Postings, want.Postings) {
		v.say(fmt.Sprintf("transaction %d: its postings were changed", row.Seq))
	}
}

// jobs goes through the rows of jobs.
func (v *verification) jobs(ctx context.Context, x *exchange.Exchange, against *audit.Audit) error {
	underway := map[int64]trade.State{}
	if x != nil {
		for j := range x.Live() {
			underway[j.ID] = j.State
		}
	}
	for row, err := range eachRow(ctx, v.st) {
		if err != nil {
			return err
		}
		v.rows.add(row.ID)
		j, err := fromRow(&row)
		if err != nil {
			v.say(err.Error())
			continue
		}
		submitted := j.SubmittedUS
		if j.QuotedUS > 0 {
			submitted = j.QuotedUS
		}
		if j.ID != row.ID || j.Owner != row.Owner || j.Account != row.Account || j.Name != row.Name || string(j.State) != row.State || submitted != row.Submitted || j.EndedUS != row.Ended {
			v.say(fmt.Sprintf("job %d: it is listed under another number, owner, account, name, state or time than its own", row.ID))
		}
		if state, goesOn := underway[j.ID]; x != nil && goesOn && j.State != state {
			v.say(fmt.Sprintf("job %d: it is listed as %s, and by the log it is %s", row.ID, j.State, state))
		} else if x != nil && !goesOn && !j.State.Final() {
			v.say(fmt.Sprintf("job %d: it is listed as %s, and by the log it has ended", row.ID, j.State))
		}
		if err = against.Job(&j); err != nil {
			v.say(err.Error())
		}
	}
	return nil
}

// eachRow yields the rows of all jobs, oldest first.
func eachRow(ctx context.Context, from store.Jobs) iter.Seq2[store.Job, error] {
	return func(yield func(store.Job, error) bool) {
		newest, err := from.Jobs(ctx, store.Query{Limit: 1})
		const page = 1000
		for after := int64(0); err == nil && len(newest) > 0 && after < newest[0].ID; after += page {
			var rows []store.Job
			if rows, err = from.Jobs(ctx, store.Query{After: after, Before: after + page + 1, Limit: page}); err != nil {
				break
			}
			for _, row := range slices.Backward(rows) {
				if !yield(row, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(store.Job{}, err)
		}
	}
}

// numbers is a set of job numbers, which are close to each other but for a gap after
// each restore.
type numbers struct{ pages map[int64]*[1 << 10]uint64 }

const numbersPage = 64 << 10

func (n *numbers) add(id int64) {
	if n.pages == nil {
		n.pages = map[int64]*[1 << 10]uint64{}
	}
	if id < 0 {
		return
	}
	page := n.pages[id/numbersPage]
	if page == nil {
		page = new([1 << 10]uint64)
		n.pages[id/numbersPage] = page
	}
	page[id%numbersPage/64] |= 1 << (id % 64)
}

func (n *numbers) has(id int64) bool {
	page := n.pages[id/numbersPage]
	return page != nil && page[id%numbersPage/64]&(1<<(id%64)) != 0
}

// less yields what is not in others, in order.
func (n *numbers) less(others *numbers) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		var at []int64
		for page := range n.pages {
			at = append(at, page)
		}
		slices.Sort(at)
		for _, page := range at {
			for id := page * numbersPage; id < (page+1)*numbersPage; id++ {
				if n.has(id) && !others.has(id) && !yield(id) {
					return
				}
			}
		}
	}
}
