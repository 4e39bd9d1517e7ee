package store

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"time"
)

// RepliesKept is how long an answer is kept: a caller who has not heard it by then
// does not ask again.
const RepliesKept = 30 * 24 * time.Hour

// Reply is what was answered to a key of an owner.
func (d *database) Reply(ctx context.Context, owner, key string) (Reply, bool, error) {
	r := Reply{Owner: owner, Key: key}
	if err := checkKeys(owner, key); err != nil {
		return Reply{}, false, fmt.Errorf("reply: %w", err)
	}
	found, err := d.row(ctx, "SELECT digest, body, at FROM replies WHERE owner = ? AND key = ?",
		[]any{owner, key}, []any{&r.Digest, &r.Body, &r.At})
	if err != nil {
		return Reply{}, false, fmt.Errorf("reply: %w", err)
	}
	if !found {
		return Reply{}, false, nil
	}
	r.Digest, r.Body = none(r.Digest), none(r.Body)
	return r, true, nil
}

// replyKeysAtOnce is how many keys are read in one step, so that no reader is
// kept from its end for long.
const replyKeysAtOnce = 5000

// ReplyKeys yields the keys that were answered.
func (d *database) ReplyKeys(ctx context.Context) iter.Seq2[ReplyKey, error] {
	return func(yield func(ReplyKey, error) bool) {
		var last ReplyKey
		for {
			keys, err := d.replyKeysAfter(ctx, last)
			if err != nil {
				yield(ReplyKey{}, fmt.Errorf("keys of replies: %w", err))
				return
			}
			for _, k := range keys {
				if !yield(k, nil) {
					return
				}
			}
			if len(keys) < replyKeysAtOnce {
				return
			}
			last = keys[len(keys)-1]
		}
	}
}

func (d *database) replyKeysAfter(ctx context.Context, last ReplyKey) ([]ReplyKey, error) {
	keys := make([]ReplyKey, 0, replyKeysAtOnce)
	err := d.each(ctx, d.reads, "SELECT owner, key FROM replies WHERE (owner, key) > (?, ?) ORDER BY owner, key LIMIT ?",
		[]any{last.Owner, last.Key, replyKeysAtOnce}, func(rows *sql.Rows) error {
			var k ReplyKey
			err := rows.Scan(&k.Owner, &k.Key)
			keys = append(keys, k)
			return err
		})
	return keys, err
}

// forgetAtOnce is how many answers are dropped in one step, so that an append
// never waits for many.
const forgetAtOnce = 1000

// ForgetReplies drops the answers given before a time. Times go with the order
// in which the answers were given, so it ends where one is not old enough.
func (d *database) ForgetReplies(ctx context.Context, before int64) error {
	for {
		n, err := d.exec(ctx, "DELETE FROM replies WHERE id IN (SELECT id FROM replies ORDER BY id LIMIT ?) AND at < ?",
			forgetAtOnce, before)
		if err != nil {
			return fmt.Errorf("forget replies: %w", err)
		}
		if n < forgetAtOnce {
			return nil
		}
	}
}
