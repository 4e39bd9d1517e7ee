package exchange

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// submit takes in a job, or says why not.
func (x *Exchange) submit(by trade.Identity, s *trade.Submit) (trade.Outcome, error) {
	if s.Quote != "" {
		return x.submitOnQuote(by, s)
	}
	return x.submitNew(by, s.Request, s.Settled)
}

// submitNew is a submission without a quote.
func (x *Exchange) submitNew(by trade.Identity, r trade.Request, settled []trade.Settled) (trade.Outcome, error) {
	if err := x.validate(&r); err != nil {
		return trade.Outcome{}, err
	}
	account, err := x.payer(by, r.Account)
	if err != nil {
		return trade.Outcome{}, err
	}
	waits, broken, err := x.dependencies(by, r.After, settled)
	if err != nil {
		return trade.Outcome{}, err
	}
	j := x.newJob(by, r, account)
	if broken != "" {
		return x.refuse(j, trade.ReasonDependency, broken), nil
	}
	if why := x.onlyPrecise(&r); why != "" {
		return x.refuse(j, trade.ReasonImprecise, why), nil
	}
	if r.Budget != nil || account == "" {
		if reason, why := x.cannotHold(account, x.mostCost(&r, 0, 0)); reason != "" {
			return x.refuse(j, reason, why), nil
		}
	}
	if len(waits) > 0 {
		return x.waitForOthers(j, waits)
	}
	return x.admit(j)
}

// newJob numbers a job. It is not under way yet.
func (x *Exchange) newJob(by trade.Identity, r trade.Request, account string) *activeJob {
	id := x.next
	x.next++
	if r.Output == "" {
		r.Output = "libra-%j.out"
		if r.Array != nil {
			r.Output = "libra-%j-%a.out"
		} else if r.Procs() > r.PerProgram() {
			r.Output = "libra-%j-%r.out"
		}
	}
	if r.Error == "" {
		r.Error = r.Output
	}
	j := &activeJob{Job: trade.Job{
		ID: id, Owner: by.User, Account: account, Name: r.Name, Request: r, SubmittedUS: x.now, Policy: x.epoch().Policy,
	}}
	if r.DeadlineMS > 0 {
		j.DueUS = x.now + r.DeadlineMS*1000
	}
	if j.Name == "" {
		j.Name = nameOf(&r)
	}
	return j
}

// nameOf is what a job without a name is called.
func nameOf(r *trade.Request) string {
	if r.Script != "" {
		return "script"
	}
	name := r.Argv[0]
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			name = name[i+1:]
			break
		}
	}
	return name[:min(len(name), trade.MaxName)]
}

// refuse says no to a job at the door, with what would be taken instead. The
// refusal is kept: it is part of the history.
func (x *Exchange) refuse(j *activeJob, reason, detail string) trade.Outcome {
	r := &trade.Refusal{Reason: reason, Detail: detail, Offers: x.offers(j, reason), Job: j.ID}
	if j.State == "" {
		j.State, j.Reason, j.Detail, j.EndedUS = trade.Rejected, reason, detail, x.now
		x.over(j)
	}
	v := j.Job
	return trade.Outcome{Job: &v, Refusal: r}
}

// admit hands a job to the cluster, and pays for it what the answer asks.
func (x *Exchange) admit(j *activeJob) (trade.Outcome, error) {
	if x.cluster == nil {
		return x.refuse(j, market.CannotMeetResources.String(), "no node has joined the cluster yet"), nil
	}
	asked := x.fitting(j)
	j.Width, j.Era, j.Policy = int(asked.Width), len(x.epochs), x.epoch().Policy
	x.jobs[j.ID] = j
	if err := x.step(market.Event{Kind: market.Submitted, Job: asked.ID, Spec: &asked}); err != nil {
		delete(x.jobs, j.ID)
		return trade.Outcome{}, err
	}
	if j.State == trade.Rejected {
		return x.refuse(j, j.Reason, j.Detail), nil
	}
	x.prepareWorking(j, &asked)
	return x.reserveFunds(j)
}

// reserveFunds holds the most that a job taken in can cost; who cannot pay is put out
// again.
func (x *Exchange) reserveFunds(j *activeJob) (trade.Outcome, error) {
	if j.State.Final() { // it has come and gone in this very instant
		v := j.Job
		return trade.Outcome{Job: &v}, nil
	}
	reason, why := x.payable(j)
	if reason != "" {
		j.End, j.Reason, j.Detail = trade.Rejected, reason, why
		if err := x.step(market.Event{Kind: market.Cancelled, Job: market.JobID(j.ID)}); err != nil {
			return trade.Outcome{}, err
		}
		return x.refuse(j, reason, why), nil
	}
	x.changed(j)
	v := x.view(j)
	return trade.Outcome{Job: &v}, nil
}

// payable prices a job and holds the money; it says why it cannot.
func (x *Exchange) payable(j *activeJob) (reason, detail string) {
	price, err := x.amount(&j.Request, j.Width, j.Owed)
	if err != nil {
		return market.CannotMeetBudget.String(), nameBudget(x.epoch().Policy)
	}
	j.Price = int64(max(0, price))
	if j.Quote == "" { // else it was promised with the quote
		if reason, detail = x.cannotPromise(&j.Request, price, j.Width, j.ID); reason != "" {
			return reason, detail
		}
	}
	if err := x.holdFunds(j); err != nil {
		if reason, detail = shortage(err); reason == "" {
			reason, detail = trade.ReasonFunds, err.Error()
		}
	}
	return reason, detail
}

// fitting is what the core is asked: of an array without a limit, the most
// lanes that the market takes.
func (x *state) fitting(j *activeJob) market.Job {
	t := x.time()
	first := j.Request.Asked(j.ID, j.Owner, t, x.nodes.processorsUp())
	if j.DueUS > 0 { // part of the deadline may be gone, waiting for others
		first.SLA.Deadline = max(0, x.timeOf(j.DueUS)-t)
	}
	budget := first.SLA.Budget
	first.SLA.Budget = budget * market.Price(x.pieces(&j.Request, int(first.Width)))
	if j.Request.Array == nil || j.Request.Array.Limit > 0 {
		return first
	}
	for try := first; ; {
		if _, err := x.cluster.Quote(t, try); err == nil {
			return try
		}
		if try.Width == 1 {
			return first
		}
		width, estimate := j.Request.Width(int(try.Width) / 2)
		try.Width, try.Estimate = width, estimate
		try.SLA.Budget = budget * market.Price(x.pieces(&j.Request, int(width)))
	}
}

// cancel takes a job or a quote back.
func (x *Exchange) cancel(by trade.Identity, c *trade.Cancel) (trade.Outcome, error) {
	if c.Quote != "" {
		return x.cancelQuote(by, c.Quote)
	}
	j := x.jobs[c.Job]
	if j == nil || by.Role != trade.RoleOwner && j.Owner != by.User {
		return trade.Outcome{}, fmt.Errorf("job %d: %w, or it has ended", c.Job, trade.ErrUnknown)
	}
	detail := "cancelled by its user"
	if by.User != j.Owner {
		detail = "cancelled by " + by.User
	}
	if x.unheard(j) {
		if err := x.abandon(j, detail); err != nil {
			return trade.Outcome{}, err
		}
	} else if err := x.stop(j, task.Terminate, trade.Cancelled, market.ByUser.String(), detail); err != nil {
		return trade.Outcome{}, err
	}
	if err := x.todo.run(); err != nil {
		return trade.Outcome{}, err
	}
	v := x.view(j)
	return trade.Outcome{Job: &v}, nil
}

// stop asks for the end of a job. Where it runs, its promise ends at once, so
// that it takes nothing from others while it winds up.
func (x *Exchange) stop(j *activeJob, how task.Stop, end trade.State, reason, detail string) error {
	switch j.State {
	case trade.Held:
		x.end(j, end, reason, detail)
		return nil
	case trade.Queued:
		j.End, j.Reason, j.Detail = end, reason, detail
		return x.step(market.Event{Kind: market.Cancelled, Job: market.JobID(j.ID)})
	case trade.Running:
		x.cut(j)
		j.State, j.End, j.Reason, j.Detail, j.Stop, j.Void, j.Firm = trade.Stopping, end, reason, detail, how, true, false
		j.StopUS = x.now
	case trade.Stopping:
		j.Stop = task.Kill // asked twice, it is urgent
	default:
		return nil
	}
	for i := range j.Ranks {
		x.fx.mark(x.nodes[j.Ranks[i].Node], tasks)
	}
	x.changed(j)
	return x.step(market.Event{Kind: market.Released, Job: market.JobID(j.ID)})
}

// dependencies sorts out for which of the jobs named a new one has to wait;
// broken says which of them can no longer succeed.
func (x *state) dependencies(by trade.Identity, after []int64, settled []trade.Settled) (waits []int64, broken string, err error) {
	for _, id := range after {
		if j := x.jobs[id]; j != nil && (by.Role == trade.RoleOwner || j.Owner == by.User) {
			if !slices.Contains(waits, id) {
				waits = append(waits, id)
			}
			continue
		}
		i := slices.IndexFunc(settled, func(s trade.Settled) bool { return s.Job == id })
		switch {
		case i < 0 || by.Role != trade.RoleOwner && settled[i].Owner != by.User:
			return nil, "", fmt.Errorf("after: job %d: %w", id, trade.ErrUnknown)
		case settled[i].State != trade.Completed:
			broken = fmt.Sprintf("job %d, which it was to follow, is %s", id, settled[i].State)
		}
	}
	return waits, broken, nil
}

// waitForOthers keeps a job back until others have succeeded. Its budget is held, its
// deadline runs, nothing is promised.
func (x *Exchange) waitForOthers(j *activeJob, waits []int64) (trade.Outcome, error) {
	j.State, j.Waits = trade.Held, waits
	if j.Request.Budget != nil {
		if err := x.holdFunds(j); err != nil {
			return trade.Outcome{}, err
		}
	}
	x.jobs[j.ID] = j
	for _, id := range waits {
		x.waits[id] = append(x.waits[id], j.ID)
	}
	x.changed(j)
	v := x.view(j)
	return trade.Outcome{Job: &v}, nil
}

// releaseDependents tells those who waited for a job how it ended.
func (x *Exchange) releaseDependents(ended *activeJob) {
	waiting := x.waits[ended.ID]
	delete(x.waits, ended.ID)
	for _, id := range waiting {
		j := x.jobs[id]
		if j == nil || j.State != trade.Held {
			continue
		}
		if ended.State != trade.Completed {
			detail := fmt.Sprintf("job %d, which it was to follow, is %s", ended.ID, ended.State)
			x.todo.add(func() error { x.end(j, trade.Cancelled, trade.ReasonDependency, detail); return nil })
			continue
		}
		x.touched.job(j.ID, true)
		j.Waits = slices.DeleteFunc(j.Waits, func(w int64) bool { return w == ended.ID })
		if len(j.Waits) == 0 {
			x.todo.add(func() error { return x.admitDependent(j) })
		}
	}
}

// admitDependent hands a job to the cluster whose time has come.
func (x *Exchange) admitDependent(j *activeJob) error {
	if j.State != trade.Held {
		return nil
	}
	if j.Held > 0 {
		x.releaseHold(j)
	}
	j.State = ""
	delete(x.jobs, j.ID)
	if why := x.onlyPrecise(&j.Request); why != "" { // another policy came while it waited
		x.refuse(j, trade.ReasonImprecise, why)
		x.releaseDependents(j)
		return nil
	}
	if j.Request.Budget != nil {
		if reason, why := x.cannotHold(j.Account, x.mostCost(&j.Request, 0, 0)); reason != "" {
			x.refuse(j, reason, why)
			x.releaseDependents(j)
			return nil
		}
	}
	o, err := x.admit(j)
	if err == nil && o.Refusal != nil {
		x.releaseDependents(j)
	}
	return err
}

// onlyPrecise says why a request with an optional part cannot be taken here; ""
// where it can, or has none.
func (x *state) onlyPrecise(r *trade.Request) string {
	if r.Optional == nil {
		return ""
	}
	if !x.kind.Imprecise {
		return fmt.Sprintf("under %s there are no optional parts: leave it out, or ask where mf-edf or mf-hbf is in force", x.epoch().Policy)
	}
	if n := x.nodes.batch(); n != nil {
		return fmt.Sprintf("%s runs the jobs of node %s, and knows no optional parts", n.Runs, n.Node)
	}
	return ""
}
