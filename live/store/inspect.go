package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/libra-market/libra/core/market"
)

// Advice is what to do about a store that is damaged.
const Advice = "put it back as it was, or start from a backup (libra restore)"

// sound refuses a store whose log does not end where it was last known to end: it was
// cut off or emptied, and a market that goes on from there would forget what it has
// said. It is one question, so that it is of one state while others write. Jobs alone
// are no sign of a log that is gone: a broker keeps jobs, and no log.
func (d *database) sound(ctx context.Context) error {
	var end, last int64
	var known, hash []byte
	var rest bool
	found, err := d.row(ctx, "SELECT h.seq, h.hash, coalesce((SELECT max(seq) FROM log), 0), (SELECT l.hash FROM log l WHERE l.seq = h.seq),"+
		" EXISTS (SELECT 1 FROM txs) OR EXISTS (SELECT 1 FROM snapshots) FROM head h", nil,
		[]any{&end, &known, &last, &hash, &rest})
	why := ""
	switch {
	case err != nil:
		return err
	case !found:
		why = "where the log ends is not written down any more"
	case last != end:
		why = fmt.Sprintf("the log ends at entry %d, and it once ended at %d", last, end)
	case !bytes.Equal(known, hash):
		why = fmt.Sprintf("entry %d, the last of the log, is not the one that was written", end)
	case end == 0 && rest:
		why = "there are transactions or snapshots, and the log that they follow from is gone"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s; %s", ErrDamaged, why, Advice)
}

// Inspect looks for damage in what a database keeps for itself: its pages, where the
// log ends, snapshots, counts, and which transactions touch an account. It says each
// thing that it finds, and goes on.
func (d *database) Inspect(ctx context.Context, say func(string)) error {
	for _, look := range []func(context.Context, func(string)) error{d.inspectPages, d.inspectEnd, d.inspectSnapshots, d.inspectCounts, d.inspectAccounts} {
		if err := look(ctx, say); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			say(err.Error())
		}
	}
	return nil
}

func (d *database) inspectPages(ctx context.Context, say func(string)) error {
	if d.integrity == "" {
		return nil
	}
	return d.each(ctx, d.reads, d.integrity, nil, func(rows *sql.Rows) error {
		var line string
		err := rows.Scan(&line)
		if err == nil && line != "ok" {
			say("the file: " + line)
		}
		return err
	})
}

func (d *database) inspectEnd(ctx context.Context, say func(string)) error {
	if file, ok := d.engine.(*sqlite); ok {
		lost, err := file.lostEnd(ctx)
		if err != nil {
			return err
		}
		if lost != "" {
			say(lost)
		}
	}
	return d.sound(ctx)
}

func (d *database) inspectSnapshots(ctx context.Context, say func(string)) error {
	return d.view(ctx, func(tx *sql.Tx) error {
		type one struct {
			id, seq int64
			digest  []byte
		}
		var all []one
		err := d.each(ctx, tx, "SELECT id, seq, digest FROM snapshots WHERE done = 1 ORDER BY id", nil, func(rows *sql.Rows) error {
			var s one
			err := rows.Scan(&s.id, &s.seq, &s.digest)
			all = append(all, s)
			return err
		})
		if err != nil {
			return err
		}
		for _, s := range all {
			body, err := d.snapshotBody(ctx, tx, s.id)
			if err != nil {
				return fmt.Errorf("the snapshot at entry %d: %w", s.seq, err)
			}
			if digest := sha256.Sum256(body); !bytes.Equal(digest[:], s.digest) {
				say(fmt.Sprintf("the snapshot at entry %d is not the one that was written: a start reads the one before it, or the whole log", s.seq))
			}
		}
		return nil
	})
}

// inspectCounts counts the jobs and compares with the counts that are kept.
func (d *database) inspectCounts(ctx context.Context, say func(string)) error {
	return d.view(ctx, func(tx *sql.Tx) error {
		count := func(statement string) (map[place]int64, error) {
			n := map[place]int64{}
			err := d.each(ctx, tx, statement, nil, func(rows *sql.Rows) error {
				var p place
				var some int64
				err := rows.Scan(&p.owner, &p.account, &p.state, &some)
				n[p] += some
				return err
			})
			return n, err
		}
		jobs, err := count("SELECT owner, account, state, count(*) FROM jobs GROUP BY owner, account, state")
		if err != nil {
			return err
		}
		totals := map[place]int64{}
		for p, n := range jobs {
			totals[place{state: p.state}] += n
		}
		for _, kept := range []struct {
			statement string
			want      map[place]int64
		}{
			{"SELECT owner, account, state, n FROM job_counts WHERE n <> 0", jobs},
			{"SELECT '', '', state, n FROM job_totals WHERE n <> 0", totals},
		} {
			have, err := count(kept.statement)
			if err != nil {
				return err
			}
			for p := range kept.want {
				have[p] += 0
			}
			for _, p := range slices.SortedFunc(maps.Keys(have), comparePlaces) {
				if have[p] != kept.want[p] {
					say(fmt.Sprintf("there are %d jobs%s, and %d are counted: one was deleted or put in, or a count was changed", kept.want[p], p.words(), have[p]))
				}
			}
		}
		return nil
	})
}

func (p place) words() string {
	text := " in state " + p.state
	if p.owner != "" || p.account != "" {
		text += fmt.Sprintf(" of %s in %s", p.owner, p.account)
	}
	return text
}

// inspectAccounts compares what transactions post to with where they are looked up.
func (d *database) inspectAccounts(ctx context.Context, say func(string)) error {
	var posted, found, sumPosted, sumFound uint64
	for tx, err := range d.Txs(ctx, TxQuery{}) {
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, p := range tx.Postings {
			if !seen[p.Account] {
				seen[p.Account] = true
				posted++
				sumPosted += mixed(p.Account, tx.Seq)
			}
		}
	}
	err := d.each(ctx, d.reads, "SELECT account, tx FROM tx_accounts", nil, func(rows *sql.Rows) error {
		var account string
		var seq int64
		err := rows.Scan(&account, &seq)
		found++
		sumFound += mixed(account, seq)
		return err
	})
	if err == nil && (posted != found || sumPosted != sumFound) {
		say(fmt.Sprintf("transactions touch accounts %d times, and are found under them %d times: statements of accounts are not whole", posted, found))
	}
	return err
}

// mixed is a number for an account and a transaction; sums of them do not depend on
// the order.
func mixed(account string, seq int64) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s", market.Bits(seq), account)
	return h.Sum64()
}
