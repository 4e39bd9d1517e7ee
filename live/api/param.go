package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
)

// query is the parameters of a call, each at most once and all of them known.
type query struct {
	values url.Values
	err    error // the first thing that was wrong
}

// query reads the parameters. What the route does not know is refused: a
// filter that is misspelt must not be silently dropped.
func (c *call) query() (*query, error) {
	if c.r.URL.RawQuery == "" {
		return &query{}, nil
	}
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, malformed("the query cannot be read")
	}
	for name, given := range values {
		if !slices.ContainsFunc(c.route.params, func(p param) bool { return p.name == name }) {
			return nil, &fault{kind: kindInvalid, field: name, detail: "there is no parameter " + strconv.Quote(name)}
		}
		if len(given) > 1 {
			return nil, badField(name, "it once")
		}
		if !utf8.ValidString(given[0]) || strings.ContainsFunc(given[0], unicode.IsControl) {
			return nil, badField(name, "printable text")
		}
	}
	return &query{values: values}, nil
}

func (q *query) text(name string) string { return q.values.Get(name) }

// number reads a whole number between bounds.
func (q *query) number(name string, otherwise, least, most int64) int64 {
	text := q.values.Get(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		q.fail(badField(name, "a whole number from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10)))
		return otherwise
	}
	return n
}

func (q *query) flag(name string) bool {
	switch q.values.Get(name) {
	case "", "0", "false":
		return false
	case "1", "true":
		return true
	}
	q.fail(badField(name, "1 or 0"))
	return false
}

func (q *query) choice(name, otherwise string, choices ...string) string {
	text := q.values.Get(name)
	if text == "" {
		return otherwise
	}
	if !slices.Contains(choices, text) {
		q.fail(badField(name, strings.Join(choices, ", ")))
		return otherwise
	}
	return text
}

func (q *query) fail(err error) {
	if q.err == nil {
		q.err = err
	}
}

// id reads the number of a job from the path.
func (c *call) id() (int64, error) {
	text := c.r.PathValue("id")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 || strconv.FormatInt(id, 10) != text {
		return 0, notFound("job " + short(text))
	}
	return id, nil
}

// validUser reports whether a text can be the name of a user, here and on the
// nodes.
func validUser(name string) bool {
	return name != "" && len(name) <= 64 && name[0] != '-' && name[0] != '.' && every(name, func(b byte) bool {
		return letterOrDigit(b) || strings.IndexByte("._-@", b) >= 0
	})
}

// validNode reports whether a text can be the name of a node: a host name.
func validNode(name string) bool {
	return name != "" && len(name) <= 253 && letterOrDigit(name[0]) && !strings.Contains(name, "..") &&
		every(name, func(b byte) bool { return letterOrDigit(b) || b == '.' || b == '-' || b == '_' })
}

// validID reports whether a text can be an ID that this system drew.
func validID(id string) bool {
	return id != "" && len(id) <= 64 && every(id, func(b byte) bool { return letterOrDigit(b) || b == '-' || b == '_' })
}

// validAccount reports whether a text can be the path of an account.
func validAccount(path string) bool {
	return ledger.CheckPath(market.Account(path)) == nil || ledger.System(market.Account(path))
}

func validLabel(text string, most int) bool {
	return len(text) <= most && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func every(text string, ok func(byte) bool) bool {
	for i := range len(text) {
		if !ok(text[i]) {
			return false
		}
	}
	return true
}

func letterOrDigit(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

// short keeps what a stranger sent from filling an answer.
func short(text string) string {
	if len(text) > 64 {
		return strconv.QuoteToASCII(text[:64]) + "..."
	}
	return strconv.QuoteToASCII(text)
}

// some is a list that JSON writes as [] when it is empty, and not as null.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
