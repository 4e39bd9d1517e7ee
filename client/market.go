package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// Nodes lists the nodes.
func (c *Client) Nodes(ctx context.Context) ([]v1.NodeView, error) {
	var l v1.NodeList
	err := c.get(ctx, "/v1/nodes", nil, &l)
	return l.Nodes, err
}

// Prices is what the market asks now.
func (c *Client) Prices(ctx context.Context) (p v1.Prices, err error) {
	err = c.get(ctx, "/v1/prices", nil, &p)
	return p, err
}

// Epochs lists the epochs, oldest first.
func (c *Client) Epochs(ctx context.Context) ([]v1.EpochView, error) {
	var l v1.EpochList
	err := c.get(ctx, "/v1/epochs", nil, &l)
	return l.Epochs, err
}

// SetEpoch begins a new epoch.
func (c *Client) SetEpoch(ctx context.Context, e v1.Epoch) (v v1.EpochView, err error) {
	err = c.post(ctx, "/v1/epochs", e, &v)
	return v, err
}

// Tally is the business of a period; two zeros are the month under way.
func (c *Client) Tally(ctx context.Context, fromUS, toUS int64) (t v1.Tally, err error) {
	v := url.Values{}
	setNumber(v, "from", fromUS)
	setNumber(v, "to", toUS)
	err = c.get(ctx, "/v1/report", v, &t)
	return t, err
}

// Accounts lists an account and all below it; "" is all that one may see.
func (c *Client) Accounts(ctx context.Context, prefix string) ([]v1.Account, error) {
	v := url.Values{}
	set(v, "prefix", prefix)
	var l v1.AccountList
	err := c.get(ctx, "/v1/accounts", v, &l)
	return l.Accounts, err
}

// Account reads one account.
func (c *Client) Account(ctx context.Context, path string) (a v1.Account, err error) {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	err = c.get(ctx, "/v1/accounts/"+strings.Join(parts, "/"), nil, &a)
	return a, err
}

// ChangeAccount opens, limits, credits or closes an account.
func (c *Client) ChangeAccount(ctx context.Context, change v1.AccountChange) (a v1.Account, err error) {
	err = c.post(ctx, "/v1/accounts", change, &a)
	return a, err
}

// Transfer moves money and returns the account it came from.
func (c *Client) Transfer(ctx context.Context, t v1.Transfer) (a v1.Account, err error) {
	err = c.post(ctx, "/v1/transfers", t, &a)
	return a, err
}

// Grant gives money to an account and returns it.
func (c *Client) Grant(ctx context.Context, g v1.Grant) (a v1.Account, err error) {
	err = c.post(ctx, "/v1/grants", g, &a)
	return a, err
}

// Period says which account and which time a statement is about. Without a time
// it is the month under way.
type Period struct {
	Account string // "": one's own
	Subtree bool
	Month   string // 2026-11, UTC; or
	FromUS  int64
	ToUS    int64
}

func (p *Period) query(format string) url.Values {
	v := url.Values{}
	set(v, "account", p.Account)
	set(v, "month", p.Month)
	set(v, "format", format)
	setNumber(v, "from", p.FromUS)
	setNumber(v, "to", p.ToUS)
	if p.Subtree {
		v.Set("subtree", "1")
	}
	return v
}

// Statement is what happened on an account.
func (c *Client) Statement(ctx context.Context, p Period) (s v1.Statement, err error) {
	err = c.get(ctx, "/v1/statements", p.query(""), &s)
	return s, err
}

// StatementFile is the same as a file: "csv" or "focus".
func (c *Client) StatementFile(ctx context.Context, p Period, format string) (io.ReadCloser, error) {
	res, err := c.open(ctx, &ask{method: http.MethodGet, path: "/v1/statements", query: p.query(format), accept: "text/csv"}, nil)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// VerifyLedger has the whole ledger checked.
func (c *Client) VerifyLedger(ctx context.Context) (v v1.Verified, err error) {
	err = c.call(ctx, &ask{method: http.MethodGet, path: "/v1/ledger/verify", wait: 10 * time.Minute}, &v)
	return v, err
}

// History reads jobs in order of submission.
func (c *Client) History(ctx context.Context, after int64, limit int) (h v1.History, err error) {
	err = c.get(ctx, "/v1/history", page(after, limit), &h)
	return h, err
}

// Log reads raw records.
func (c *Client) Log(ctx context.Context, after int64, limit int) (l v1.LogPage, err error) {
	err = c.get(ctx, "/v1/log", page(after, limit), &l)
	return l, err
}

// Archives lists the files that old parts of the log are in.
func (c *Client) Archives(ctx context.Context) (a v1.Archives, err error) {
	err = c.get(ctx, "/v1/archive", nil, &a)
	return a, err
}

// Clusters lists what a broker has seen of each of its clusters.
func (c *Client) Clusters(ctx context.Context) (l v1.ClusterList, err error) {
	err = c.get(ctx, "/v1/clusters", nil, &l)
	return l, err
}

// MoveOld moves entries of the log that are older than said into the next file; a
// negative time is what the market is set to. As long as there is more, ask again.
func (c *Client) MoveOld(ctx context.Context, keep time.Duration) (s v1.ArchiveStep, err error) {
	var request v1.ArchiveRequest
	if ms := keep.Milliseconds(); keep >= 0 {
		request.Keep = &ms
	}
	err = c.call(ctx, &ask{method: http.MethodPost, path: "/v1/archive", body: request, wait: 10 * time.Minute}, &s)
	return s, err
}

func page(after int64, limit int) url.Values {
	v := url.Values{"after": {strconv.FormatInt(after, 10)}}
	setNumber(v, "limit", int64(limit))
	return v
}

// Tokens lists tokens: one's own (""), or for the owner of the cluster those of
// a user or of all ("*").
func (c *Client) Tokens(ctx context.Context, user string) ([]v1.Token, error) {
	v := url.Values{}
	set(v, "user", user)
	var l v1.TokenList
	err := c.get(ctx, "/v1/tokens", v, &l)
	return l.Tokens, err
}

// MakeToken makes a token. It is never sent twice: the secret of the first
// would be lost.
func (c *Client) MakeToken(ctx context.Context, t v1.TokenRequest) (n v1.NewToken, err error) {
	err = c.call(ctx, &ask{method: http.MethodPost, path: "/v1/tokens", body: t, once: true}, &n)
	return n, err
}

// RevokeToken ends a token.
func (c *Client) RevokeToken(ctx context.Context, id string) error {
	return c.delete(ctx, "/v1/tokens/"+url.PathEscape(id))
}

// RevokeTokenTree ends a token, and those that were made with it, and with those.
func (c *Client) RevokeTokenTree(ctx context.Context, id string) error {
	return c.call(ctx, &ask{method: http.MethodDelete, path: "/v1/tokens/" + url.PathEscape(id), query: url.Values{"children": {"true"}}}, nil)
}

// Whoami is who the server takes this client for.
func (c *Client) Whoami(ctx context.Context) (w v1.Whoami, err error) {
	err = c.get(ctx, "/v1/whoami", nil, &w)
	return w, err
}

// LoginLink is an address of the page that signs whoever opens it in as this
// client's user: once, and for ten minutes.
func (c *Client) LoginLink(ctx context.Context) (string, error) {
	var link struct {
		Path string `json:"path"`
		URL  string `json:"url"` // for browsers on the market's machine
	}
	err := c.post(ctx, "/login/link", nil, &link)
	s, _ := c.current()
	if s.local && link.URL != "" {
		return link.URL, err
	}
	return s.base + link.Path, err
}

// Healthy asks, once, whether the market takes commands.
func (c *Client) Healthy(ctx context.Context) error {
	return c.call(ctx, &ask{method: http.MethodGet, path: "/healthz", once: true}, nil)
}
