package fair

import (
	"context"
	"sync/atomic"
	"time"
)

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

// Ticket is a call in somebody's name, and how much of its time it only waited:
// that is the fault of others as well.
type Ticket struct {
	Party
	idle atomic.Int64 // nanoseconds
}

// Idle says that the call has waited for others. Nobody's ticket counts nothing.
func (t *Ticket) Idle(d time.Duration) {
	if t != nil {
		t.idle.Add(int64(d))
	}
}

type ticketOf struct{}

// With says in whose name a call is made.
func With(ctx context.Context, p Party) (context.Context, *Ticket) {
	t := &Ticket{Party: p}
	return context.WithValue(ctx, ticketOf{}, t), t
}

// TicketOf is that of a call; nil: it is the house's own.
func TicketOf(ctx context.Context) *Ticket {
	t, _ := ctx.Value(ticketOf{}).(*Ticket)
	return t
}

// Who says in whose name a call is made; nobody's is the house's own.
func Who(ctx context.Context) Party {
	if t := TicketOf(ctx); t != nil {
		return t.Party
	}
	return Party{}
}
