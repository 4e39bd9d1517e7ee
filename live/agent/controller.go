package agent

import (
	"context"
	"time"

	"github.com/libra-market/libra/core/task"
)

// Controller is who the agent works for.
type Controller interface {
	// Register introduces the node. It may be called again at any time.
	Register(ctx context.Context, hello task.Hello) (task.Welcome, error)
	// Desired returns what the node should be doing as soon as its version is
	// newer than after, and otherwise after some 25 s. The agent asks with -1
	// when it wants an answer at once.
	Desired(ctx context.Context, node string, after int64) (task.Desired, error)
	// Report says how things stand.
	Report(ctx context.Context, report task.Report) (task.Reply, error)
	// Tail answers one of Desired.Tails.
	Tail(ctx context.Context, id string, chunk task.Chunk) error
}

// How long a call may take, and how long the agent waits after one that did not
// succeed. A cut cable is silent: without a limit a call waits for minutes.
const (
	callTime    = 10 * time.Second
	pollTime    = 40 * time.Second
	backoffLow  = 100 * time.Millisecond
	backoffHigh = 5 * time.Second
)

// backoff is the wait after a failure: twice as long each time, up to a limit,
// and spread so that the agents of a cluster do not all come back at once.
type backoff struct {
	next   time.Duration
	jitter func() float64 // in [0, 1)
}

func (b *backoff) reset() { b.next = 0 }

// wait waits for its time, and reports false if ctx ended first.
func (b *backoff) wait(ctx context.Context) bool {
	b.next = min(max(2*b.next, backoffLow), backoffHigh)
	return pause(ctx, time.Duration(float64(b.next)*(0.5+0.5*b.jitter())))
}

// pause waits, and reports false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
