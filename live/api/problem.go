package api

import (
	"errors"

	"github.com/libra-market/libra/core/exchange"
)

// Problem is why an answer is not what was asked for: an RFC 9457 problem with
// members of its own. It is an error, so a client returns it as it came.
type Problem struct {
	Type     string `json:"type"` // /problems/ and a name; programs switch on it, or on Reason
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance,omitempty"` // the path that was asked

	Reason string           `json:"reason,omitempty"` // of a refusal: exchange's and market's words
	Field  string           `json:"field,omitempty"`  // what is wrong in the request
	Job    int64            `json:"job,omitempty"`    // the number under which a refused submission is kept
	Offers []exchange.Offer `json:"offers,omitempty"` // what would be taken instead
}

// Error is the detail, which says all that a person needs.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// ExitCode is what a command that met this problem exits with: 3 if the market
// said no, 2 if the request made no sense, 1 otherwise.
func (p *Problem) ExitCode() int {
	if k := kindOfType(p.Type); k != nil {
		return k.exit
	}
	return exitFailure
}

// fault is a problem on its way out: what kind it is, and what there is to say.
type fault struct {
	kind   *kind
	detail string
	field  string
}

func (f *fault) Error() string { return f.detail }

// notFound is the answer to everything that is not there, and to everything
// that is somebody else's.
func notFound(what string) error { return &fault{kind: kindNotFound, detail: what + ": not found"} }

func malformed(detail string) error { return &fault{kind: kindMalformed, detail: detail} }

func badField(field, want string) error {
	return &fault{kind: kindInvalid, detail: field + ": want " + want, field: field}
}

// refused carries a refusal of the market to where problems are written.
type refused struct{ *exchange.Refusal }

func (r *refused) Error() string { return r.Detail }

// problemOf finds out what to say about an error, and whether it is one that
// only the log may know.
func problemOf(err error) (p Problem, secret bool) {
	if r, ok := errors.AsType[*refused](err); ok {
		p = kindOfReason(r.Reason).problem(r.Detail)
		p.Reason, p.Job, p.Offers = r.Reason, r.Job, r.Offers
		return p, false
	}
	if f, ok := errors.AsType[*fault](err); ok {
		p = f.kind.problem(f.detail)
		p.Field = f.field
		return p, false
	}
	if f, ok := errors.AsType[*exchange.FieldError](err); ok {
		p = kindInvalid.problem(f.Error())
		p.Field = f.Field
		return p, false
	}
	for _, s := range sentinels {
		if !errors.Is(err, s.err) {
			continue
		}
		if s.kind == kindUnavailable { // what is broken, and where, is the owner's business
			return s.kind.problem("the market is closed for the moment; try again in a while"), true
		}
		p = s.kind.problem(err.Error())
		p.Reason = s.kind.reason
		return p, false
	}
	return kindInternal.problem("something went wrong here; the log of the server says what"), true
}
