package market

import (
	"errors"
	"fmt"
	"strings"
)

// Where says on which nodes a job may be. It is not changed once it is said.
type Where struct {
	Nodes      string `json:"nodes,omitempty"`      // by name, with commas: on no others; empty: on any
	Exclude    string `json:"exclude,omitempty"`    // by name, with commas: on none of these
	Constraint string `json:"constraint,omitempty"` // what a node must be: fast&ib, amd|intel
	Partition  string `json:"partition,omitempty"`  // whose node it must be; empty: anybody's

	// Reservation is the one whose nodes it is on; empty: on none that is set aside. Nodes are
	// set aside and given back: it is no reason why a job could never be on one.
	Reservation string `json:"reservation,omitempty"`
}

// Takes reports whether a job that may be there can be on a node, whatever that is set aside
// for. Nil takes every node.
// Who asks of many nodes takes a Chooser.
func (w *Where) Takes(n *Node) bool { return w.Chooser()(n) }

// Chooser answers that for one node after the other. Lists are read once and not once for each
// node: there may be ten thousand of both.
func (w *Where) Chooser() func(*Node) bool {
	if w == nil {
		return func(*Node) bool { return true }
	}
	on, off, suits := set(w.Nodes), set(w.Exclude), map[string]bool{}
	return func(n *Node) bool {
		if w.Nodes != "" && !on[n.Name] || off[n.Name] || w.Partition != "" && n.Partition != w.Partition {
			return false
		}
		good, known := suits[n.Features]
		if !known {
			good = w.suits(n)
			suits[n.Features] = good
		}
		return good
	}
}

// Admits reports whether a node is set aside for a job that may be there, or for nobody as the
// job asks for no such node.
func (w *Where) Admits(n *Node) bool { return n.Reserved == w.in() }

// in is the reservation that a job is in; empty: in none.
func (w *Where) in() string {
	if w == nil {
		return ""
	}
	return w.Reservation
}

// set is the words of a list with commas, to be looked up.
func set(list string) map[string]bool {
	words := map[string]bool{}
	for _, word := range split(list) {
		words[word] = true
	}
	return words
}

// suits reports whether a node has the features.
func (w *Where) suits(n *Node) bool {
	if w.Constraint == "" {
		return true
	}
	words, any := alternatives(w.Constraint)
	for _, word := range words {
		if lists(n.Features, word) == any {
			return any
		}
	}
	return !any
}

// Names are the nodes that are named to be on.
func (w *Where) Names() []string { return split(w.Nodes) }

// Features are those that a node is asked for, in the order in which they are named.
func (w *Where) Features() []string {
	if w.Constraint == "" {
		return nil
	}
	words, _ := alternatives(w.Constraint)
	return words
}

// CheckFeatures says what is wrong with a list of features.
func CheckFeatures(list string) error {
	for _, word := range split(list) {
		if !Word(word) {
			return Wrong("features", "words of letters, digits, - _ and ., with commas")
		}
	}
	return nil
}

// FeatureList are the features of a node.
func (n *Node) FeatureList() []string { return split(n.Features) }

// split is the words of a list with commas.
func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// alternatives are the words of a constraint, and whether any of them will do.
func alternatives(constraint string) (words []string, any bool) {
	if strings.Contains(constraint, "|") {
		return strings.Split(constraint, "|"), true
	}
	return strings.Split(constraint, "&"), false
}

var errConstraint = errors.New("want one feature, several of which a node has all (fast&ib) or several of which it has one (amd|intel)")

// CheckConstraint says what is wrong with a constraint.
func CheckConstraint(text string) error {
	words, any := alternatives(text)
	for _, word := range words {
		if !Word(word) || any && strings.Contains(word, "&") {
			return fmt.Errorf("%q: %w", text, errConstraint)
		}
	}
	return nil
}

// Word reports whether a text is a name as batch systems have them: of a node, a feature, a
// kind of GPUs.
func Word(text string) bool {
	const most = 128
	return text != "" && len(text) <= most && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	})
}

// lists reports whether a word is in a list with commas.
func lists(list, word string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one == word {
			return true
		}
	}
	return false
}
