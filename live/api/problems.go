package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
)

// kind is one type of problem.
type kind struct {
	name   string // of its type: /problems/<name>
	status int
	title  string
	text   string // what GET /problems/<name> says beside the title
	reason string // of a refusal; empty: it is none
}

func (k *kind) problem(detail string) v1.Problem {
	return v1.Problem{Type: v1.ProblemPath + k.name, Title: k.title, Status: k.status, Detail: detail}
}

// The problems that are no refusals.
var (
	kindMalformed = &kind{
		name: v1.ProblemMalformed, status: http.StatusBadRequest, title: "The request cannot be read",
		text: "The body is not JSON, or not JSON of the right shape, or a header or parameter is not what it should be. Sending it again will not help.",
	}
	kindInvalid = &kind{
		name: v1.ProblemInvalid, status: http.StatusBadRequest, title: "A field of the request makes no sense",
		text: "The member \"field\" names it, and the detail says what would make sense. Unknown fields are refused so that a misspelt one does not go unnoticed.",
	}
	kindUnauthenticated = &kind{
		name: v1.ProblemUnauthenticated, status: http.StatusUnauthorized, title: "The server does not know who you are",
		text: "Send a token: Authorization: Bearer libra_... It may be missing, unknown, expired or revoked. Agents may show a certificate instead.",
	}
	kindForbidden = &kind{
		name: v1.ProblemForbidden, status: http.StatusForbidden, title: "Not with this role",
		text: "Some things are for the owner of the cluster, some for its nodes. What belongs to somebody else is not forbidden but not found.",
	}
	kindNotFound = &kind{
		name: v1.ProblemNotFound, status: http.StatusNotFound, title: "Not found",
		text: "There is no such thing, or it is somebody else's: the answer is the same, so that it tells nothing.",
	}
	kindMethod = &kind{
		name: v1.ProblemMethod, status: http.StatusMethodNotAllowed, title: "Not with this method",
		text: "The header Allow lists the methods that this path knows.",
	}
	kindConflict = &kind{
		name: v1.ProblemConflict, status: http.StatusConflict, title: "Not possible as things stand",
		text: "The job has ended already, the account is not empty, the name is taken: things are not as the request supposes.",
	}
	kindTooLarge = &kind{
		name: v1.ProblemTooLarge, status: http.StatusRequestEntityTooLarge, title: "The body is too large",
		text: "Bodies are limited to 2 MiB, reports of agents to 8 MiB. Put large input into files.",
	}
	kindMedia = &kind{
		name: v1.ProblemMedia, status: http.StatusUnsupportedMediaType, title: "The body must be JSON",
		text: "Send Content-Type: application/json; where a job is asked for, its specification as application/yaml will do.",
	}
	kindKeyReused = &kind{
		name: v1.ProblemKeyReused, status: http.StatusUnprocessableEntity, title: "This idempotency key was used for another request",
		text: "A key stands for one request. Draw a new one for a new request; send the same body to hear the first answer again.",
	}
	kindTooMany = &kind{
		name: v1.ProblemTooMany, status: http.StatusTooManyRequests, title: "Too many streams at a time",
		text: "Every user may follow a few streams (events, output, pages) at a time, with all tokens together. Close one, or try again later.",
	}
	kindTooFast = &kind{
		name: v1.ProblemTooFast, status: http.StatusTooManyRequests, title: "Too much in too short a time",
		text: "Every user has a rate of commands, of reads and of what they send, and a number of calls at a time; the member \"limit\" names the one that was met. " +
			"Wait as long as Retry-After says. Limits are settings of the market.",
	}
	kindTooMuch = &kind{
		name: v1.ProblemTooMuch, status: http.StatusTooManyRequests, title: "Too much under way",
		text: "Every user may have a number of jobs that are held, waiting or running, and so much of scripts and environments of these. " +
			"Wait until some have ended, or cancel some. Limits are settings of the market.",
	}
	kindUnavailable = &kind{
		name: v1.ProblemUnavailable, status: http.StatusServiceUnavailable, title: "The market is closed for the moment",
		text: "It is starting, or cannot write its log, or what was waited for did not come. Try again after the time in Retry-After; with an idempotency key that is safe.",
	}
	kindInternal = &kind{
		name: v1.ProblemInternal, status: http.StatusInternalServerError, title: "A mistake of the server",
		text: "The log of the server says what happened.",
	}
)

// refusal is a type of problem for which the market is the reason: 422, because
// the request is understood and well-formed and still not taken; 402 where
// money alone would help.
func refusal(reason string, status int, title, text string) *kind {
	return &kind{
		name: strings.ReplaceAll(reason, "_", "-"), status: status,
		title: title, text: text, reason: reason,
	}
}

// kindRefused is a refusal for a reason that has no type of its own.
var kindRefused = &kind{
	name: v1.ProblemRefused, status: http.StatusUnprocessableEntity, title: "The market said no",
	text: "The member \"reason\" says why, for programs; the detail says it for people.",
}

var (
	kindFunds = refusal(v1.ReasonFunds, http.StatusPaymentRequired, "Not enough money",
		"The account, with those above it, has less than the job may cost or the transfer takes. A grant or a smaller budget helps.")
	kindLimit = refusal(v1.ReasonLimit, http.StatusUnprocessableEntity, "Over the limit of the month",
		"The account or one above it has a limit on what may be spent in a month, and this would exceed it.")
)

// kinds is all problems there are.
var kinds = []*kind{
	kindMalformed, kindInvalid, kindUnauthenticated, kindForbidden, kindNotFound, kindMethod, kindConflict, kindTooLarge,
	kindMedia, kindKeyReused, kindTooMany, kindTooFast, kindTooMuch, kindUnavailable, kindInternal, kindRefused, kindFunds, kindLimit,
	refusal(v1.ReasonAccount, http.StatusUnprocessableEntity, "No such account",
		"The account that was named is not there. Accounts are opened by the owner of the market."),
	refusal(v1.ReasonResources, http.StatusUnprocessableEntity, "No such cluster could hold it",
		"The job asks for more processors, memory or disk than there are, whatever the time and the money."),
	refusal(v1.ReasonDeadline, http.StatusUnprocessableEntity, "Not in time",
		"With the promises made to others, the job cannot be done by its deadline. The offers say what would be possible."),
	refusal(v1.ReasonBudget, http.StatusUnprocessableEntity, "Not for this money",
		"The price is beyond the budget. The offers say what would be possible."),
	refusal(v1.ReasonNotWorthIt, http.StatusUnprocessableEntity, "It would lower what the cluster earns",
		"Taking the job would cost more, in penalties to others or in optional work that has no room beside it, than it brings."),
	refusal(v1.ReasonAdmission, http.StatusUnprocessableEntity, "Not admitted",
		"The admission control of the cluster said no to this one; another like it may be taken."),
	refusal(v1.ReasonNotFirm, http.StatusUnprocessableEntity, "Nothing firm can be promised",
		"A quote that binds needs a promise, and under this policy, or as things stand, there is none. The job can still be submitted."),
	refusal(v1.ReasonPenalty, http.StatusUnprocessableEntity, "This penalty is not sold",
		"The rate asked for is above what the owner allows, which the detail names; or the owner can promise no more at the moment. Without a penalty the job may be taken."),
	refusal(v1.ReasonImprecise, http.StatusUnprocessableEntity, "No optional parts here",
		"The policy in force, or what runs the jobs, knows no optional work. Leave it out, or ask where mf-edf or mf-hbf is in force."),
	refusal(v1.ReasonDependency, http.StatusUnprocessableEntity, "A job it depends on did not succeed",
		"A job named in \"after\" has ended without success."),
	refusal(v1.ReasonQuoteGone, http.StatusUnprocessableEntity, "The quote has expired",
		"A quote binds for the time it names. Ask for a new one."),
	refusal(v1.ReasonDraining, http.StatusUnprocessableEntity, "The cluster takes no new jobs",
		"It is being emptied. Jobs under way go on."),
}

// sentinels says what kind of problem an error is.
var sentinels = []struct {
	err  error
	kind *kind
}{
	{trade.ErrUnknown, kindNotFound},
	{trade.ErrForbidden, kindNotFound}, // somebody else's: it must not show that it is there
	{trade.ErrConflict, kindConflict},
	{trade.ErrKeyReused, kindKeyReused},
	{trade.ErrUnavailable, kindUnavailable},
	{ledger.ErrShort, kindFunds},
	{ledger.ErrLimit, kindLimit},
	{ledger.ErrUnknown, kindNotFound},
	{ledger.ErrPath, kindInvalid},
	{ledger.ErrMemo, kindInvalid},
	{ledger.ErrSystem, kindInvalid},
	{ledger.ErrExists, kindConflict},
	{ledger.ErrClosed, kindConflict},
	{ledger.ErrInUse, kindConflict},
	{market.ErrAmount, kindInvalid},
	{context.DeadlineExceeded, kindUnavailable},
}

func kindOfReason(reason string) *kind {
	for _, k := range kinds {
		if k.reason != "" && k.reason == reason {
			return k
		}
	}
	return kindRefused
}

func kindOfName(name string) *kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	return nil
}
