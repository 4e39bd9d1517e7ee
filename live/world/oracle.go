package world

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/core/audit"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// jobs are all jobs of the store as they stand.
func (w *World) jobs() []trade.Job {
	rows, err := w.disk.Open().Jobs(context.Background(), store.Query{Limit: 1 << 30})
	if err != nil {
		w.fail("jobs: %v", err)
	}
	jobs := make([]trade.Job, len(rows))
	for i := range rows {
		if err := json.Unmarshal(rows[i].Body, &jobs[i]); err != nil {
			w.fail("job %d: %v", rows[i].ID, err)
		}
		jobs[i].ID, jobs[i].State = rows[i].ID, trade.State(rows[i].State)
	}
	return jobs
}

// idle reports whether nothing is under way.
func (w *World) idle() bool {
	w.mu.Lock()
	disk := w.disk
	w.mu.Unlock()
	counts, err := disk.Open().CountJobs(context.Background(), store.Query{})
	if err != nil {
		w.fail("jobs: %v", err)
	}
	for state := range counts {
		if !trade.State(state).Final() {
			return false
		}
	}
	return true
}

func (w *World) pending() string {
	var left []string
	jobs := w.jobs()
	for i := range jobs {
		if !jobs[i].State.Final() {
			left = append(left, fmt.Sprintf("%d %s %s", jobs[i].ID, jobs[i].State, jobs[i].Detail))
		}
	}
	return strings.Join(left, "; ")
}

// check looks at the store while no controller runs.
func (w *World) check() {
	s := w.disk.Open()
	ctx := context.Background()
	if _, err := s.VerifyLog(ctx); err != nil {
		w.fail("the log: %v", err)
	}
	if err := controller.VerifyBooks(s.Txs(ctx, store.TxQuery{})); err != nil {
		w.fail("the books: %v", err)
	}
	if err := controller.Readable(ctx, s); err != nil {
		w.fail("the store cannot be read: %v", err)
	}
	w.damaged()
}

// audit asks the market to verify itself, at the end of the day: what was broken last may
// still be.
func (w *World) audit() {
	var problem string
	for range 60 {
		if problem = w.asked(); problem == "" {
			return
		}
		time.Sleep(5 * time.Second)
	}
	w.fail("%s", problem)
}

func (w *World) asked() (problem string) {
	s := w.leader()
	s.mu.Lock()
	c := s.ctrl
	s.mu.Unlock()
	if c == nil {
		return "nobody leads at the end of the day"
	}
	v, err := c.VerifyLedger(w.alive)
	if err != nil || v.Problem != "" {
		return fmt.Sprintf("the market says of its books: %v %s", err, v.Problem)
	}
	return ""
}

// judge looks at everything when the day is over.
func (w *World) judge() {
	w.check()
	jobs := w.jobs()
	w.once(jobs)
	w.kept(jobs)
	w.booked(jobs)
	w.prefixes()
}

// once checks that what was acknowledged happened, once.
func (w *World) once(jobs []trade.Job) {
	byName := map[string][]int64{}
	for i := range jobs {
		if strings.HasPrefix(jobs[i].Name, "deed-") {
			byName[jobs[i].Name] = append(byName[jobs[i].Name], jobs[i].ID)
		}
	}
	for name, ids := range byName {
		if len(ids) > 1 {
			w.fail("%s was asked for once and is there %d times: %v", name, len(ids), ids)
		}
	}
	for _, o := range w.outcomes {
		ids := byName[fmt.Sprintf("deed-%d", o.deed)]
		if w.undone(&o) {
			continue
		}
		if o.job >= 0 && (len(ids) != 1 || ids[0] != o.job) {
			w.fail("deed %d was acknowledged as job %d, and is there as %v", o.deed, o.job, ids)
		}
	}
}

// undone reports whether what was acknowledged may have been lost with the store: the answer
// to what was asked before that was put back can be on its way until after.
func (w *World) undone(o *outcome) bool {
	return slices.ContainsFunc(w.restored, func(s span) bool { return s.from <= o.at && o.asked <= s.to })
}

// booked holds the books against the jobs, and the jobs against what happened on the
// nodes.
func (w *World) booked(jobs []trade.Job) {
	books := audit.New()
	sent := map[int64]int{} // by amount
	for row, err := range w.disk.Open().Txs(context.Background(), store.TxQuery{}) {
		var tx ledger.Tx
		if err == nil {
			tx, err = controller.FromRow(&row)
		}
		if err != nil {
			w.fail("transaction %d: %v", row.Seq, err)
			return
		}
		books.Tx(&tx)
		if tx.Kind == ledger.KindTransfer && len(tx.Postings) > 0 {
			sent[max(int64(tx.Postings[0].Amount), -int64(tx.Postings[0].Amount))]++
		}
	}
	w.sentOnce(sent)
	runs := w.runsOf(jobs)
	for i := range jobs {
		j := &jobs[i]
		if err := books.Job(j); err != nil {
			w.fail("%v", err)
		}
		if j.Charged > 0 && len(runs[j.ID]) == 0 {
			w.fail("job %d (%s) is charged %d, and nothing of it ran", j.ID, j.State, j.Charged)
		}
		if j.State == trade.Completed && len(runs[j.ID]) == 0 {
			w.fail("job %d is completed, and nothing of it ran", j.ID)
		}
		w.failed(j, runs[j.ID])
		w.measured(j, runs[j.ID])
	}
}

// sentOnce checks that money that was sent is booked: once if that was acknowledged, at
// most once if it was asked for, and else not.
func (w *World) sentOnce(sent map[int64]int) {
	asked, heard := map[int64]int{}, map[int64]int{}
	for i := range w.day.Deeds {
		if w.day.Deeds[i].Kind == sends {
			asked[w.amountOf(i)]++
		}
	}
	for _, o := range w.outcomes {
		if o.amount > 0 && !w.undone(&o) {
			heard[o.amount]++
		}
	}
	for amount, most := range asked {
		if n := sent[amount]; n < heard[amount] || n > most {
			w.fail("%d was sent %d times by what was acknowledged, %d times by what was asked, and is booked %d times", amount, heard[amount], most, n)
		}
	}
}

// prefixes checks that the market could have begun again after any entry of its log: after
// every one on some days, which takes as long as the day did, on the others after two.
func (w *World) prefixes() {
	last, found, err := w.disk.Open().Last(context.Background())
	if err != nil || !found {
		w.fail("there is no log: %v", err)
		return
	}
	r := w.chance("prefix")
	if r.IntN(everyPrefix) == 0 {
		n, err := controller.Prefixes(context.Background(), w.disk.Open(), "world")
		if err == nil && int64(n) != last.Seq {
			err = fmt.Errorf("%d of %d entries", n, last.Seq)
		}
		if err != nil {
			w.fail("every prefix of the log: %v", err)
		}
		return
	}
	for range 2 {
		at := 1 + r.Int64N(last.Seq)
		if err := controller.Readable(context.Background(), w.disk.Cut(at).Open()); err != nil {
			w.fail("the log up to entry %d of %d cannot be read: %v", at, last.Seq, err)
		}
	}
}

// everyPrefix is on how many days one asks for all.
const everyPrefix = 8
