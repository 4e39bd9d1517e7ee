package directive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/task"
)

// Comment marks a comment of a job in Slurm as the market's.
const Comment = "libra:"

// comment reads terms for Libra in a comment: libra:budget=5;penalty=0.1. Without the mark they
// are read where all of it is such terms; another comment is its user's, for Slurm to show: a
// word that happens to be one of the market's (hold) says nothing.
func (o *occurrence) comment() error {
	said, marked := strings.CutPrefix(o.value, Comment)
	parts := strings.Split(strings.TrimRight(said, "; "), ";")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	switch {
	case marked && parts[0] == "" && len(parts) == 1: // it says nothing
		return nil
	case !marked && !areTerms(parts):
		o.own(parts)
		return nil
	}
	for _, part := range parts {
		t, value, given, found := findTerm(part)
		switch {
		case !found:
			name, _, _ := strings.Cut(part, "=")
			return fmt.Errorf("%s: %w", name, unknown(name, Terms()))
		case !given && !t.bare:
			return fmt.Errorf("%s: %w", t.name, errNoValue)
		}
		if err := t.set(o.Head, value); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// areTerms reports whether all of a comment is clearly the market's: name=value, and beside
// them words that need no value.
func areTerms(parts []string) bool {
	sure := slices.ContainsFunc(parts, isTerm)
	return sure && !slices.ContainsFunc(parts, func(part string) bool {
		t, _, _, _ := findTerm(part)
		return !isTerm(part) && (part != t.name || !t.bare)
	})
}

// isTerm reports whether a part of a comment is name=value in the market's words.
func isTerm(part string) bool {
	_, _, given, found := findTerm(part)
	return found && given && part[0] != '-' && !strings.ContainsAny(part, " \t")
}

// own takes a comment along that is its user's, with a note if it could have been meant for the
// market.
func (o *occurrence) own(parts []string) {
	switch {
	case o.sbatch:
		if o.pass(task.Comment, o.value); slices.ContainsFunc(strings.Fields(strings.Join(parts, " ")), isTerm) {
			o.note("a comment, for Slurm to show: as terms of the market it would be read behind " + Comment)
		}
	default:
		o.note("a comment; it would be read if it were like budget=5;penalty=0.1")
	}
}
