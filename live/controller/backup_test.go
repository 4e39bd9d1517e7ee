package controller_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
	"github.com/libra-market/libra/live/store/storetest"
)

// TestBackupOfARunningMarket makes a backup while users submit, and starts
// another market on it: it knows a whole past, and goes on.
func TestBackupOfARunningMarket(t *testing.T) {
	databases := map[string]func(testing.TB) string{"sqlite": newFile, "postgres": storetest.Postgres}
	for from, source := range databases {
		for to, target := range databases {
			t.Run(from+" to "+to, func(t *testing.T) { testRunningBackup(t, source(t), target(t)) })
		}
	}
}

func testRunningBackup(t *testing.T, source, target string) {
	t.Helper()
	f := openOn(t, source, nil)
	done, wrote := make(chan struct{}), make(chan struct{}, 1)
	var users sync.WaitGroup
	for u := range 4 {
		users.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				case wrote <- struct{}{}:
				default:
				}
				key := fmt.Sprintf("%d of %d", n, u)
				if _, _, err := f.Do(t.Context(), trade.Command{By: alice, Submit: &trade.Submit{
					Request: trade.Request{Argv: []string{"true"}, EstimateMS: 1000, DeadlineMS: 1e9},
				}}, trade.Key{Owner: "alice", Key: key, Digest: []byte(key)}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 20 { // of each user a few, at least
		<-wrote
	}
	var backup bytes.Buffer
	about, err := store.Save(t.Context(), source, &backup, 0, nil)
	close(done)
	users.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Load(t.Context(), target, have(store.ReadBackup(&backup))(t), controller.VerifyBooks, nil); err != nil {
		t.Fatal(err)
	}
	r := &floor{T: t, store: storetest.Open(t, target), cfg: f.cfg}
	r.start(r.store)
	r.verify() // the log has no gap, and the books are those of the log
	jobs, txs := int64(0), int64(0)
	for _, n := range have(r.CountJobs(t.Context(), ""))(t) {
		jobs += n
	}
	for range r.store.Txs(t.Context(), store.TxQuery{}) {
		txs++
	}
	if jobs == 0 || jobs != about.Rows["jobs"] || txs != about.Rows["txs"] {
		t.Errorf("%d jobs and %d transactions of %v", jobs, txs, about.Rows)
	}
	newest := have(r.store.Jobs(t.Context(), store.Query{Limit: 1}))(t)[0].ID
	if o := r.submit("after", trade.Request{EstimateMS: 1000, DeadlineMS: 1e9}); o.Job == nil || o.Job.ID <= newest+trade.Skipped ||
		o.Job.ID > newest+1+trade.Skipped+5*60*trade.SkippedSecond { // the backup is some moments old
		t.Errorf("the next job after %d: %s", newest, text(t, o))
	}
	r.verify()
}
