package task

import "fmt"

// Leader is under whose lead an agent is spoken to. Of two of one generation of the
// store the one with the larger term is the later.
type Leader struct {
	Generation string `json:"generation"` // of the store
	Term       int64  `json:"term"`
}

// String names it.
func (l *Leader) String() string { return fmt.Sprintf("term %d of %.8s", l.Term, l.Generation) }

// Refusal is what an agent tells a controller that it does not obey, because the store
// that this stands on was replaced by another: only its operator can know which of the
// two is to go on.
type Refusal struct {
	Of      Leader `json:"of"`      // as it said
	Follows Leader `json:"follows"` // the one that came after
}

// TurnedAway is a controller's answer that it does not take a node as it is: it is there,
// and says why.
type TurnedAway struct{ Why error }

func (t *TurnedAway) Error() string { return t.Why.Error() }
func (t *TurnedAway) Unwrap() error { return t.Why }
