package api

import (
	"errors"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
)

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
type refused struct{ *v1.Refusal }

func (r *refused) Error() string { return r.Detail }

// problemOf finds out what to say about an error, and whether it is one that
// only the log may know.
func problemOf(err error) (p v1.Problem, secret bool) {
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
	if o, ok := errors.AsType[*fair.Over](err); ok {
		return overLimit(o), false
	}
	if f, ok := errors.AsType[*trade.FieldError](err); ok {
		p = kindInvalid.problem(f.Error())
		p.Field = f.Field
		return p, false
	}
	for _, s := range sentinels {
		if !errors.Is(err, s.err) {
			continue
		}
		if s.kind == kindUnavailable { // what is broken, and where, is the owner's business
			return s.kind.problem("the market is closed for the moment" + because(err) + "; try again in a while"), true
		}
		p = s.kind.problem(err.Error())
		p.Reason = s.kind.reason
		return p, false
	}
	return kindInternal.problem("something went wrong here; the log of the server says what"), true
}

// because is the reason that the market is closed, where everybody may know it.
func because(err error) string {
	if why := closedFor(err); why != "" {
		return ": " + why
	}
	return ""
}

func closedFor(err error) string {
	if why, ok := errors.AsType[*trade.Closed](err); ok {
		return why.Why
	}
	return ""
}
