package controller_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// spoil makes a store with a few jobs and changes it behind the market's back.
func spoil(t *testing.T, change string) string {
	t.Helper()
	address := filepath.Join(t.TempDir(), "libra.db")
	f := openOn(t, address, nil)
	done := f.submit("a", trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000})
	f.submit("b", trade.Request{EstimateMS: 10_000, DeadlineMS: 90_000})
	f.do(trade.Command{By: alice, Quote: &trade.AskQuote{Request: trade.Request{EstimateMS: 1000, DeadlineMS: 20_000}}}, "q")
	key := f.orders("n1", 2)[0].Spec.Key
	key.Job = done.Job.ID
	f.ended("n1", key, 5e9)
	f.stop()
	<-f.Done()
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	if change != "" {
		db, err := sql.Open("sqlite", address)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		res, err := db.ExecContext(t.Context(), change)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := res.RowsAffected(); n == 0 {
			t.Fatalf("%s changes nothing", change)
		}
	}
	return address
}

// A store is looked at without a market, and each kind of damage is found and named.
func TestDamageIsFound(t *testing.T) {
	for name, c := range map[string]struct{ change, says string }{
		"as it is":         {"", ""},
		"a changed charge": {`UPDATE jobs SET body = CAST(replace(body, '"charged_micros":', '"charged_micros":1') AS BLOB) WHERE id = (SELECT min(id) FROM jobs)`, "job 1"},
		"a deleted job":    {"DELETE FROM jobs WHERE id = (SELECT min(id) FROM jobs)", "job 1 is in the log, and its row is gone"},
		"a job's column":   {"UPDATE jobs SET state = 'lost' WHERE id = 1", "job 1: it is listed under another"},
		"a job's state":    {`UPDATE jobs SET state = 'running', body = CAST(replace(body, '"completed"', '"running"') AS BLOB) WHERE id = 1`, "job 1: it is listed as running, and by the log it has ended"},
		"another state":    {`UPDATE jobs SET state = 'queued', body = CAST(replace(body, '"running"', '"queued"') AS BLOB) WHERE id = 2`, "job 2: it is listed as queued, and by the log it is running"},
		"postings":         {`UPDATE txs SET postings = CAST(replace(postings, '1000', '1001') AS BLOB) WHERE seq = 2`, "transaction 2: "},
		"a transaction":    {`UPDATE txs SET body = CAST(replace(body, 'a', 'b') AS BLOB) WHERE seq = 2`, "transaction 2: "},
		"the last one":     {"DELETE FROM txs WHERE seq = (SELECT max(seq) FROM txs)", "transaction"},
		"a count":          {"UPDATE job_counts SET n = n + 1", "are counted"},
		"a total":          {"UPDATE job_totals SET n = n + 1", "are counted"},
		"an index":         {"DELETE FROM tx_accounts WHERE tx = 2", "statements of accounts"},
		"a snapshot":       {"UPDATE snapshot_parts SET body = CAST(replace(body, 'alice', 'malic') AS BLOB)", "the snapshot at entry"},
		"an entry":         {"UPDATE log SET body = CAST(replace(body, '10000', '10001') AS BLOB) WHERE seq = (SELECT max(seq) - 3 FROM log)", "the log is broken at entry"},
		"the end":          {"DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)", "the log ends at entry"},
	} {
		t.Run(name, func(t *testing.T) {
			st, err := store.OpenPast(t.Context(), spoil(t, c.change))
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			v, found, err := controller.VerifyStore(t.Context(), st)
			all := strings.Join(found, "\n")
			if err != nil || (all == "") != (c.says == "") || !strings.Contains(all, c.says) {
				t.Errorf("found %q, %v", all, err)
			}
			if c.says == "" && (v.Entries == 0 || v.Transactions == 0 || v.Head == "") {
				t.Errorf("looked at %+v", v)
			}
		})
	}
}

// A store that was emptied or cut off does not become another market.
func TestAStoreThatIsGoneIsNoNewMarket(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		spoil  func(t *testing.T, path string) error
		says   error
	}{
		"the log is emptied": {change: "DELETE FROM log", says: store.ErrDamaged},
		"log and end":        {change: "DELETE FROM log; UPDATE head SET seq = 0, hash = NULL", says: store.ErrDamaged},
		"its end is cut off": {change: "DELETE FROM log WHERE seq > 3", says: store.ErrDamaged},
		"the file is emptied": {spoil: func(t *testing.T, path string) error {
			t.Helper()
			return errors.Join(os.WriteFile(path+".lock", []byte("1\n"), 0o600), os.Truncate(path, 0))
		}, says: store.ErrDamaged},
		"the file is gone": {spoil: func(t *testing.T, path string) error {
			t.Helper()
			return errors.Join(os.WriteFile(path+".lock", []byte("1\n"), 0o600), os.Remove(path))
		}, says: store.ErrDamaged},
		"the file is cut off": {spoil: func(t *testing.T, path string) error {
			t.Helper()
			at, err := os.Stat(path)
			return errors.Join(err, os.Truncate(path, at.Size()/2/4096*4096))
		}, says: store.ErrDamaged},
		"it is something else": {spoil: func(t *testing.T, path string) error {
			t.Helper()
			return os.WriteFile(path, []byte(strings.Repeat("nothing that anybody can read ", 1000)), 0o600)
		}, says: store.ErrNotDatabase},
	} {
		t.Run(name, func(t *testing.T) {
			path := spoil(t, c.change)
			if c.spoil != nil {
				if err := c.spoil(t, path); err != nil {
					t.Fatal(err)
				}
			}
			st, err := store.Open(t.Context(), path)
			if err == nil {
				_ = st.Close()
			}
			if !errors.Is(err, c.says) || !strings.Contains(err.Error(), "backup") {
				t.Errorf("it opens: %v", err)
			}
			left, _ := filepath.Glob(path)
			if len(left) != 1 && name != "the file is gone" || len(left) != 0 && name == "the file is gone" {
				t.Errorf("left: %v", left)
			}
		})
	}
}
