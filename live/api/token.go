package api

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/passwd"
)

const (
	secretPrefix = "libra_"
	secretBytes  = 32

	defaultTokenLife = 90 * 24 * time.Hour
	maxTokenLife     = 10 * 365 * 24 * time.Hour
	maxTokenName     = 64
)

var secretLength = len(secretPrefix) + base64.RawURLEncoding.EncodedLen(secretBytes)

// NewSecret draws the secret of a token. Only its hash is ever kept.
func NewSecret() (secret string, hash []byte) {
	var random [secretBytes]byte
	rand.Read(random[:]) // it never returns an error: without randomness the program ends
	secret = secretPrefix + base64.RawURLEncoding.EncodeToString(random[:])
	return secret, HashSecret(secret)
}

// HashSecret is what is kept of a secret.
func HashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// NewTokenID draws the public name of a token.
func NewTokenID() string {
	var random [8]byte
	rand.Read(random[:])
	return hex.EncodeToString(random[:])
}

func wellFormed(secret string) bool {
	return len(secret) == secretLength && strings.HasPrefix(secret, secretPrefix)
}

func listTokens(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	user := q.text("user")
	switch {
	case user == "":
		user = c.who.User
	case user == c.who.User:
	case !c.owner():
		return notFound("user " + user)
	case user == "*":
		user = ""
	}
	list, err := c.h.door.keys.Tokens(c.r.Context(), user)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, v1.TokenList{Tokens: some(list)})
}

// makeToken makes a token. An idempotency key has no effect on it: the secret
// is not kept, so it cannot be said again.
func makeToken(c *call) error {
	var want v1.TokenRequest
	if err := c.decode(&want); err != nil {
		return err
	}
	t, err := c.wanted(&want)
	if err != nil {
		return err
	}
	if err = c.tooManyTokens(); err != nil {
		return err
	}
	secret, hash := NewSecret()
	if err := c.h.door.keys.AddToken(c.r.Context(), hash, t); err != nil {
		return err
	}
	if err := c.parentIsGood(&t); err != nil {
		return err
	}
	return c.answer(http.StatusCreated, v1.NewToken{Token: t, Secret: secret})
}

// mostTokens is how many good tokens somebody may have who is not the owner of the
// market, and mostTokensADay how many they may make within a day: those that were
// revoked are kept too, so that they can be listed.
const (
	mostTokens     = 100
	mostTokensADay = 300
)

// tooManyTokens says why somebody may not make another token.
func (c *call) tooManyTokens() error {
	if c.owner() {
		return nil
	}
	list, err := c.h.door.keys.Tokens(c.r.Context(), c.who.User)
	if err != nil {
		return err
	}
	const day = 24 * time.Hour
	now, good, made := c.nowUS(), 0, 0
	for i := range list {
		if list[i].RevokedUS == 0 && (list[i].ExpiresUS == 0 || list[i].ExpiresUS > now) {
			good++
		}
		if list[i].MadeUS > now-day.Microseconds() {
			made++
		}
	}
	switch {
	case good >= mostTokens:
		return fair.TooMany("tokens", time.Hour, "%d tokens of yours are good, and no more than %d may be: revoke some (libra token list, libra token revoke)", good, mostTokens)
	case made >= mostTokensADay:
		return fair.TooMany("tokens", time.Hour, "you have made %d tokens within a day, and no more than %d may be made: use those you have", made, mostTokensADay)
	}
	return nil
}

// parentIsGood looks once more at the token that another was made with. Whoever
// revokes a token with its children looks for them afterwards: one that was on
// its way meanwhile, and not seen, ends here.
func (c *call) parentIsGood(t *v1.Token) error {
	if c.token == nil {
		return nil // a certificate
	}
	_, secret, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	parent, found, err := c.h.door.keys.Token(c.r.Context(), HashSecret(secret))
	if err != nil || found && parent.RevokedUS == 0 {
		return err
	}
	if _, err = c.h.door.keys.RevokeToken(c.r.Context(), t.User, t.ID, false, c.nowUS()); err != nil {
		return err
	}
	return &fault{kind: kindUnauthenticated, detail: "this token was revoked"}
}

// wanted is the token that somebody asks for, if they may have it. Nobody but
// the owner of the cluster makes tokens that open more, or open longer, than
// the one they came with.
func (c *call) wanted(want *v1.TokenRequest) (v1.Token, error) {
	now := c.nowUS()
	t := v1.Token{ID: NewTokenID(), User: want.User, Role: want.Role, Name: want.Name, MadeUS: now}
	if c.token != nil {
		t.Parent = c.token.ID
	}
	if t.User == "" {
		t.User = c.who.User
	}
	if t.Role == "" {
		t.Role = v1.RoleUser
	}
	life := want.TTLMS
	if life == 0 {
		life = defaultTokenLife.Milliseconds()
	}
	switch {
	case !validUser(t.User):
		return v1.Token{}, badField("user", "a name of letters, digits, dots, hyphens and underscores")
	case roleSet(t.Role) == everyone:
		return v1.Token{}, badField("role", "user, owner or node")
	case !validLabel(t.Name, maxTokenName):
		return v1.Token{}, badField("name", "at most 64 printable characters")
	case life < 0 || life > maxTokenLife.Milliseconds():
		return v1.Token{}, badField("ttl_ms", "0 (90 days) to ten years")
	case !c.owner() && (t.User != c.who.User || t.Role != v1.RoleUser):
		return v1.Token{}, &fault{kind: kindForbidden, detail: "a token for somebody else, or for another role, is made by the owner of the cluster"}
	case t.Role != v1.RoleNode && want.User != "" && !want.SystemUser && passwd.IsSystem(t.User): // another of one's own opens nothing new
		return v1.Token{}, badField("user", fmt.Sprintf("somebody who is no user of the system: a token with which jobs may run as %s is made with --system-user (system_user)", t.User))
	}
	t.ExpiresUS = now + life*1000
	switch {
	case c.owner():
	case c.token == nil: // who came by the socket is a user of this host today, and may be none in ten years
		t.ExpiresUS = min(t.ExpiresUS, now+defaultTokenLife.Microseconds())
	case c.token.ExpiresUS != 0:
		t.ExpiresUS = min(t.ExpiresUS, c.token.ExpiresUS)
	}
	return t, nil
}

func revokeToken(c *call) error {
	id := c.r.PathValue("id")
	if !validID(id) {
		return notFound("token")
	}
	user := c.who.User
	if c.owner() {
		user = ""
	}
	q, err := c.query()
	if err != nil {
		return err
	}
	children := q.flag("children")
	if q.err != nil {
		return q.err
	}
	found, err := c.h.door.keys.RevokeToken(c.r.Context(), user, id, children, c.nowUS())
	// Whatever became of it, what is remembered may be wrong now.
	c.h.door.forget()
	switch {
	case err != nil:
		return err
	case !found:
		return notFound("token " + id)
	}
	return c.nothing()
}

// Descendants are the tokens of a list that were made with one of them, or with a
// token that was, and so on.
func Descendants(list []v1.Token, id string) map[string]bool {
	children := map[string][]string{}
	for i := range list {
		if t := &list[i]; t.Parent != "" {
			children[t.Parent] = append(children[t.Parent], t.ID)
		}
	}
	found := map[string]bool{}
	for todo := children[id]; len(todo) > 0; {
		one := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if one != id && !found[one] {
			found[one] = true
			todo = append(todo, children[one]...)
		}
	}
	return found
}

func whoami(c *call) error {
	w := v1.Whoami{User: c.who.User, Role: v1.Role(c.who.Role), Token: c.token}
	if c.who.Role != trade.RoleNode {
		account, err := c.h.accounts.AccountOf(c.r.Context(), c.who.User)
		if err != nil {
			return err
		}
		w.Account = account
	}
	return c.answer(http.StatusOK, w)
}
