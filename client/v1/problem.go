package v1

import (
	"slices"
	"strings"
)

// ProblemPath is what the types of problems begin with.
const ProblemPath = "/problems/"

// The problems that are no refusals: what follows [ProblemPath] in their types. A
// refusal is called by its reason, with hyphens (cannot-meet-deadline).
const (
	ProblemMalformed       = "malformed"
	ProblemInvalid         = "invalid-field"
	ProblemUnauthenticated = "unauthenticated"
	ProblemForbidden       = "forbidden"
	ProblemNotFound        = "not-found"
	ProblemMethod          = "method-not-allowed"
	ProblemConflict        = "conflict"
	ProblemTooLarge        = "too-large"
	ProblemMedia           = "unsupported-media-type"
	ProblemKeyReused       = "key-reused"
	ProblemTooMany         = "too-many-streams"
	ProblemTooFast         = "too-many-requests"
	ProblemTooMuch         = "too-many-jobs"
	ProblemUnavailable     = "unavailable"
	ProblemInternal        = "internal"
	ProblemRefused         = "refused" // for a reason that has no type of its own
)

// The exit codes of commands that met a problem.
const (
	exitFailure = 1
	exitUsage   = 2
	exitRefused = 3
)

// Problem is why an answer is not what was asked for: an RFC 9457 problem with
// members of its own. It is an error, so a client returns it as it came.
type Problem struct {
	Type     string `json:"type"` // /problems/ and a name; programs switch on it, or on Reason
	Title    string `json:"title"`
	Status   int    `json:"status"`
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance,omitempty"` // the path that was asked

	Reason string  `json:"reason,omitempty"` // of a refusal: a word of a closed set
	Field  string  `json:"field,omitempty"`  // what is wrong in the request
	Limit  string  `json:"limit,omitempty"`  // of too much: which limit was met
	Job    int64   `json:"job,omitempty"`    // the number under which a refused submission is kept
	Offers []Offer `json:"offers,omitempty"` // what would be taken instead
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
	name, ok := strings.CutPrefix(p.Type, ProblemPath)
	switch {
	case !ok:
		return exitFailure
	case name == ProblemMalformed, name == ProblemInvalid, name == ProblemTooLarge:
		return exitUsage
	case name == ProblemRefused, slices.Contains(Reasons(), strings.ReplaceAll(name, "-", "_")):
		return exitRefused
	}
	return exitFailure
}
