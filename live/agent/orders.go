package agent

import (
	"context"
	"errors"
	"time"

	"github.com/libra-market/libra/core/task"
)

// orderLoop hears from the controller what should be so. While the controller is
// away, what it wanted last goes on being so.
func (a *Agent) orderLoop(ctx context.Context) {
	wait := &backoff{jitter: a.jitter("orders")}
	for ctx.Err() == nil {
		err := a.register(ctx)
		for after := int64(-1); err == nil && ctx.Err() == nil; {
			after, err = a.fetchOrders(ctx, after)
			wait.reset()
		}
		if ctx.Err() != nil {
			return
		}
		a.log.Warn(whyApart(err), "error", err)
		wait.wait(ctx)
	}
}

// whyApart is why nothing is heard from a controller, in the words by which an operator
// knows where to look.
func whyApart(err error) string {
	if _, ok := errors.AsType[*task.TurnedAway](err); ok {
		return "controller does not take this node"
	}
	if errors.Is(err, errOlder) {
		return "controller is not obeyed"
	}
	return "controller is away"
}

// register introduces the node: at the start, and whenever the controller has
// been away, for it may have forgotten.
func (a *Agent) register(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	sent := a.machine.SinceBoot()
	welcome, err := a.controller.Register(ctx, a.hello)
	if err == nil {
		err = a.obeys(ctx, welcome.Leader)
	}
	if err != nil {
		return err
	}
	a.terms(welcome.LeaseMS, welcome.ReportMS)
	a.renew(sent)
	select {
	case <-a.registered:
	default:
		close(a.registered)
	}
	return nil
}

// fetchOrders waits for something newer than what is known, and makes it so.
func (a *Agent) fetchOrders(ctx context.Context, after int64) (int64, error) {
	call, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	a.mu.Lock()
	a.again = cancel
	a.mu.Unlock()

	sent := a.machine.SinceBoot()
	desired, err := a.controller.Desired(call, a.config.Node, after)
	if err != nil {
		return after, errors.Join(err, context.Cause(call))
	}
	if err = a.obeys(call, desired.Leader); err != nil {
		return after, err
	}
	a.terms(desired.LeaseMS, desired.ReportMS)
	a.renew(sent)
	a.apply(ctx, desired)
	if desired.Version == after && len(desired.Named) == 0 && a.machine.SinceBoot()-sent < backoffLow {
		pause(ctx, backoffLow) // a controller that does not wait is asked less often
	}
	return desired.Version, nil
}

// terms are how long the node may be on its own, and how often it reports.
func (a *Agent) terms(leaseMS, reportMS int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.leaseTime = time.Duration(leaseMS) * time.Millisecond
	a.reportEvery = max(time.Duration(reportMS)*time.Millisecond, 50*time.Millisecond)
	if reportMS <= 0 {
		a.reportEvery = time.Second
	}
}

// renew lets the tasks go on after the controller has answered a call. It
// counts from when the call was sent: the controller has not heard later than
// that, and must not give up earlier than the node does.
func (a *Agent) renew(sent time.Duration) {
	a.mu.Lock()
	length := a.leaseTime
	a.mu.Unlock()
	if a.config.OnLease == LeaseContinue {
		length = 0
	}
	if err := a.lease.renew(sent, length); err != nil {
		a.log.Error("lease not renewed", "error", err)
	}
}

// apply hands each task's order to its runner, makes runners for new ones, and
// tells the others that they are not wanted.
func (a *Agent) apply(ctx context.Context, desired task.Desired) {
	if a.control != nil {
		a.control.apply(ctx, desired.Orders, desired.Named)
		a.mu.Lock()
		a.version = desired.Version
		a.mu.Unlock()
		a.answer(ctx, desired.Tails)
		return
	}
	a.mu.Lock()
	a.version = desired.Version
	clear(a.follows)
	wanted := make(map[task.Key]bool, len(desired.Orders))
	for i := range desired.Orders {
		order := &desired.Orders[i]
		key := order.Spec.Key
		if r, known := a.runners[key]; known && r.isOther(order.Spec.BornUS) {
			a.follows[key] = func() { a.begin(ctx, order) }
			continue
		}
		wanted[key] = true
		a.begin(ctx, order)
	}
	for i := range desired.Named {
		key := desired.Named[i].Key
		if r, known := a.runners[key]; known && !r.isOther(desired.Named[i].BornUS) {
			wanted[key] = true
			r.setOrder(r.named(&desired.Named[i]))
		}
	}
	for key, r := range a.runners {
		if !wanted[key] {
			r.setOrder(nil)
		}
	}
	a.mu.Unlock()
	a.sweep()
	a.answer(ctx, desired.Tails)
}

// begin hands an order to the runner of its task, or makes one; a.mu is held.
func (a *Agent) begin(ctx context.Context, order *task.Order) {
	key := order.Spec.Key
	r, known := a.runners[key]
	if !known {
		r = newRunner(a, key)
		a.runners[key] = r
		a.running.Go(func() { r.run(ctx) })
	}
	r.setOrder(order)
}

// sweep forgets tasks whose end has been written down by the controller and
// which it does not want any more. Not earlier: what it wanted a moment ago may
// still be on its way here, and must not start the task again.
func (a *Agent) sweep() {
	a.mu.Lock()
	var gone []*runner
	for key, r := range a.runners {
		if r.done() {
			gone = append(gone, r)
			delete(a.runners, key)
		}
	}
	a.mu.Unlock()
	for _, r := range gone {
		r.undo()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range gone { // who has its name may begin
		if next := a.follows[r.key]; next != nil {
			delete(a.follows, r.key)
			next()
		}
	}
}
