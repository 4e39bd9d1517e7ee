package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/store"
)

// byAgents is a market whose agents run the jobs themselves.
type byAgents struct{ front.Market }

var _ api.Market = byAgents{}

// Hello takes only nodes that do.
func (m byAgents) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	if h.Runs != "" {
		return task.Welcome{}, &exchange.FieldError{Field: "runs", Want: "nothing: agents run the jobs of this market (it was not started with --backend " + h.Runs + ")"}
	}
	return m.Market.Hello(ctx, h)
}

// keyring keeps the API's tokens in the store. The number by which people speak
// of a token stands before its name.
type keyring struct{ kept store.Tokens }

var _ api.Keys = keyring{}

func (k keyring) Token(ctx context.Context, hash []byte) (v1.Token, bool, error) {
	t, found, err := k.kept.Token(ctx, hash)
	return shown(&t), found, err
}

func (k keyring) AddToken(ctx context.Context, hash []byte, t v1.Token) error {
	return closedBy(k.kept.AddToken(ctx, store.Token{
		Hash: hash, User: t.User, Role: string(t.Role), Name: t.ID + " " + t.Name, Created: t.MadeUS, Expires: t.ExpiresUS,
	}))
}

// closedBy says of a store that cannot be written for the moment what the market
// says of it: whoever asks should try again.
func closedBy(err error) error {
	if errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrReadOnly) {
		return fmt.Errorf("%w: %w", exchange.ErrUnavailable, err)
	}
	return err
}

func (k keyring) Tokens(ctx context.Context, user string) ([]v1.Token, error) {
	kept, err := k.kept.Tokens(ctx, user)
	tokens := make([]v1.Token, len(kept))
	for i := range kept {
		tokens[i] = shown(&kept[i])
	}
	return tokens, err
}

func (k keyring) RevokeToken(ctx context.Context, user, id string, _ int64) (bool, error) {
	kept, err := k.kept.Tokens(ctx, user)
	if err != nil {
		return false, err
	}
	for i := range kept {
		if shown(&kept[i]).ID == id {
			return true, closedBy(k.kept.RevokeToken(ctx, kept[i].Hash))
		}
	}
	return false, nil
}

func shown(t *store.Token) v1.Token {
	id, name, _ := strings.Cut(t.Name, " ")
	v := v1.Token{ID: id, User: t.User, Role: v1.Role(t.Role), Name: name, MadeUS: t.Created, ExpiresUS: t.Expires}
	if t.Revoked {
		v.RevokedUS = max(1, t.Created)
	}
	return v
}
