package client

import (
	"context"
	"fmt"
	"net/http"

	"github.com/libra-market/libra/client/v1"
)

// MungeLogin lets the client in without a token, where the market takes munge's word for who
// somebody is; sign makes the credential over a challenge. It is for before the first other
// call. Like a token, what comes of it is sent to nobody but the market.
func (c *Client) MungeLogin(ctx context.Context, sign func(ctx context.Context, challenge string) (string, error)) (v1.MungeSession, error) {
	var s v1.MungeSession
	if !c.private {
		return s, fmt.Errorf("%w: what munge says must not travel in the clear (want https)", ErrAddress)
	}
	var asked v1.Challenge
	if err := c.call(ctx, &ask{method: http.MethodPost, path: "/v1/munge/challenges"}, &asked); err != nil {
		return s, err
	}
	credential, err := sign(ctx, asked.Challenge)
	if err != nil {
		return s, err
	}
	login := v1.MungeLogin{Challenge: asked.Challenge, Credential: credential}
	if err = c.call(ctx, &ask{method: http.MethodPost, path: "/v1/munge/sessions", body: login, once: true}, &s); err != nil {
		return s, err
	}
	c.bearer = "Munge " + s.Session
	return s, nil
}
