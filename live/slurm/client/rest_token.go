package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/live/secrets"
)

// token is the right to ask slurmrestd, renewed before it runs out: from a file
// that someone keeps fresh, or from Slurm itself.
type token struct {
	file     string
	user     string
	scontrol *commands // nil: it is not here
	now      func() time.Time

	mu     sync.Mutex
	secret string
	renew  time.Time // when to get another
}

const (
	tokenLife = time.Hour
	fileAge   = 10 * time.Second // a file is read again so often
)

// get is a token that is good for a while. Anew: the last one was refused.
func (t *token) get(ctx context.Context, anew bool) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if t.secret != "" && !anew && now.Before(t.renew) {
		return t.secret, nil
	}
	var secret string
	var err error
	var life time.Duration
	if t.file != "" {
		secret, err = t.read()
		life = fileAge
	} else {
		secret, err = t.request(ctx)
		life = tokenLife / 2
	}
	if err != nil {
		return "", err
	}
	t.secret, t.renew = secret, now.Add(life)
	return secret, nil
}

func (t *token) read() (string, error) {
	text, err := secrets.Read(t.file)
	if err != nil {
		return "", fmt.Errorf("token for slurmrestd: %w", err)
	}
	secret := strings.TrimPrefix(strings.TrimSpace(string(text)), "SLURM_JWT=")
	if err = plausible(secret); err != nil {
		return "", fmt.Errorf("token for slurmrestd in %s: %w", t.file, err)
	}
	if end, ok := expiry(secret); ok && !t.now().Before(end) {
		return "", fmt.Errorf("%w: the token in %s ran out at %s", ErrAway, t.file, end.UTC().Format(time.RFC3339))
	}
	return secret, nil
}

// request has Slurm make a token, which it does for root and SlurmUser.
func (t *token) request(ctx context.Context) (string, error) {
	if t.scontrol == nil {
		return "", fmt.Errorf("token for slurmrestd: neither a file with one nor scontrol is here")
	}
	out, err := t.scontrol.run(ctx, call{argv: []string{
		"scontrol", "token", "username=" + t.user, fmt.Sprintf("lifespan=%d", int(tokenLife.Seconds())),
	}})
	if err != nil {
		return "", fmt.Errorf("token for slurmrestd: %w", err)
	}
	secret, ok := strings.CutPrefix(strings.TrimSpace(out), "SLURM_JWT=")
	if err = plausible(secret); err != nil || !ok {
		return "", fmt.Errorf("%w: scontrol makes no token", ErrAway)
	}
	return secret, nil
}

// plausible checks what goes into a header. It never repeats it.
func plausible(secret string) error {
	if len(secret) < 20 || strings.ContainsFunc(secret, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return fmt.Errorf("it is no token")
	}
	return nil
}

// expiry is when a token runs out, if it says so where anyone can read it.
func expiry(secret string) (time.Time, bool) {
	parts := strings.Split(secret, ".")
	if len(parts) != 3 {
		return time.Time{}, false
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}, false
	}
	var claims struct {
		Exp int64 `json:"exp"`
	}
	if json.Unmarshal(text, &claims) != nil || claims.Exp <= 0 {
		return time.Time{}, false
	}
	return time.Unix(claims.Exp, 0), true
}
