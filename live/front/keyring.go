package front

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/store"
)

// Keyring keeps the API's tokens in the store. The number by which people speak
// of a token stands before its name there, and behind a slash that of the token it
// was made with: "3f0c9a51d2b7e846/91aa00c7e2d4b358 laptop".
type Keyring struct{ Kept store.Tokens }

var _ api.Keys = Keyring{}

// Token finds a token by its hash.
func (k Keyring) Token(ctx context.Context, hash []byte) (v1.Token, bool, error) {
	t, found, err := k.Kept.Token(ctx, hash)
	return shown(&t), found, err
}

// AddToken keeps a token.
func (k Keyring) AddToken(ctx context.Context, hash []byte, t v1.Token) error {
	return closedBy(k.Kept.AddToken(ctx, store.Token{
		Hash: hash, User: t.User, Role: string(t.Role), Name: inscription(&t), Created: t.MadeUS, Expires: t.ExpiresUS,
	}))
}

// closedBy says of a store that cannot be written for the moment what the market
// says of it: whoever asks should try again.
func closedBy(err error) error {
	if errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrReadOnly) {
		return fmt.Errorf("%w: %w", trade.ErrUnavailable, err)
	}
	return err
}

// Tokens are those of a user, or all.
func (k Keyring) Tokens(ctx context.Context, user string) ([]v1.Token, error) {
	kept, err := k.Kept.Tokens(ctx, user)
	tokens := make([]v1.Token, len(kept))
	for i := range kept {
		tokens[i] = shown(&kept[i])
	}
	return tokens, err
}

// RevokeToken ends a token, and where wanted those that were made with it.
func (k Keyring) RevokeToken(ctx context.Context, user, id string, children bool, _ int64) (bool, error) {
	kept, err := k.Kept.Tokens(ctx, user)
	if err != nil {
		return false, err
	}
	for i := range kept {
		if shown(&kept[i]).ID != id {
			continue
		}
		err := k.Kept.RevokeToken(ctx, kept[i].Hash)
		if err == nil && children {
			err = k.revokeChildren(ctx, user, id)
		}
		return true, closedBy(err)
	}
	return false, nil
}

// revokeChildren ends what was made with a token that has ended, until nothing is
// left: those it finds could make others meanwhile.
func (k Keyring) revokeChildren(ctx context.Context, user, id string) error {
	for {
		kept, err := k.Kept.Tokens(ctx, user)
		if err != nil {
			return err
		}
		list := make([]v1.Token, len(kept))
		for i := range kept {
			list[i] = shown(&kept[i])
		}
		ends, more := api.Descendants(list, id), false
		for i := range kept {
			if kept[i].Revoked || !ends[list[i].ID] {
				continue
			}
			if err := k.Kept.RevokeToken(ctx, kept[i].Hash); err != nil {
				return err
			}
			more = true
		}
		if !more {
			return nil
		}
	}
}

// inscription is what the store keeps as the name of a token.
func inscription(t *v1.Token) string {
	if t.Parent == "" {
		return t.ID + " " + t.Name
	}
	return t.ID + "/" + t.Parent + " " + t.Name
}

func shown(t *store.Token) v1.Token {
	numbers, name, _ := strings.Cut(t.Name, " ")
	id, parent, _ := strings.Cut(numbers, "/")
	v := v1.Token{ID: id, Parent: parent, User: t.User, Role: v1.Role(t.Role), Name: name, MadeUS: t.Created, ExpiresUS: t.Expires}
	if t.Revoked {
		v.RevokedUS = max(1, t.Created)
	}
	return v
}
