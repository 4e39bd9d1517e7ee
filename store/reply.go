package store

import (
	"context"
	"fmt"
)

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
