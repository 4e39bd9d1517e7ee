package apitest

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
)

// Keys keeps tokens in memory. It is an api.Keys.
type Keys struct {
	Lookups int   // how often it was asked for a token
	Err     error // what it answers, if not nil

	mu     sync.Mutex
	tokens map[string]v1.Token
}

// Make makes a token that never expires and returns its secret.
func (k *Keys) Make(user string, role v1.Role) string {
	return k.MakeToken(v1.Token{ID: "t-" + user, User: user, Role: role, Name: "test"})
}

// MakeToken makes a token as it is given and returns its secret.
func (k *Keys) MakeToken(t v1.Token) string {
	secret, hash := api.NewSecret()
	if err := k.AddToken(context.Background(), hash, t); err != nil {
		panic(err)
	}
	return secret
}

// Token finds a token.
func (k *Keys) Token(_ context.Context, hash []byte) (v1.Token, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Lookups++
	t, ok := k.tokens[string(hash)]
	return t, ok, k.Err
}

// AddToken keeps a token.
func (k *Keys) AddToken(_ context.Context, hash []byte, t v1.Token) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tokens == nil {
		k.tokens = map[string]v1.Token{}
	}
	k.tokens[string(hash)] = t
	return k.Err
}

// Tokens lists tokens, oldest first.
func (k *Keys) Tokens(_ context.Context, user string) ([]v1.Token, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []v1.Token
	for _, t := range k.tokens {
		if user == "" || t.User == user {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b v1.Token) int { return strings.Compare(a.ID, b.ID) })
	return out, k.Err
}

// RevokeToken ends a token, with those that were made with it if they are asked for.
func (k *Keys) RevokeToken(ctx context.Context, user, id string, children bool, atUS int64) (bool, error) {
	list, err := k.Tokens(ctx, user)
	if err != nil {
		return false, err
	}
	var ends map[string]bool
	if children {
		ends = api.Descendants(list, id)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	found := false
	for hash, t := range k.tokens {
		if (t.ID == id || ends[t.ID]) && (user == "" || t.User == user) {
			found = found || t.ID == id
			t.RevokedUS = atUS
			k.tokens[hash] = t
		}
	}
	return found, k.Err
}

// Times is how often the store was asked for a token.
func (k *Keys) Times() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.Lookups
}
