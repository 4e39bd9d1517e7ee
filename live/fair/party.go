package fair

import "context"

// Kind is what a party is.
type Kind uint8

// The kinds of parties.
const (
	House  Kind = iota // the market itself: its clocks, its pages, its operator's hand
	Person             // a user, with whatever token
	Node               // an agent
)

// Party is somebody who asks.
type Party struct {
	Kind Kind
	Name string
}

type partyOf struct{}

// With says in whose name a call is made.
func With(ctx context.Context, p Party) context.Context { return context.WithValue(ctx, partyOf{}, p) }

// Who says in whose name a call is made; nobody's is the house's own.
func Who(ctx context.Context) Party {
	p, _ := ctx.Value(partyOf{}).(Party)
	return p
}
