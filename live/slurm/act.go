package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// do carries an action out beside the loop. The lock is held.
func (b *Backend) do(r *run, next action) {
	var what func(context.Context, *run)
	switch next {
	case wait:
		return
	case submit:
		what = b.submit
	case release:
		what = b.release
	case advance:
		what = b.advance
	case jot:
		what = b.jot
	case cancel:
		what = func(ctx context.Context, r *run) { b.cancel(ctx, r, false) }
	case kill:
		what = func(ctx context.Context, r *run) { b.cancel(ctx, r, true) }
	case look:
		b.pollSoon()
		return
	case recount:
		what = b.recount
	case inquire:
		what = b.inquire
	case report:
		what = b.report
	case remove:
		what = b.remove
	}
	r.busy = true
	b.acts.do(func() {
		what(b.ctx, r)
		b.mu.Lock()
		r.busy = false
		b.dirty[r] = true
		if b.runs[r.key] != r {
			delete(b.dirty, r)
		}
		b.mu.Unlock()
		b.wakeLoop()
	})
}

// call does something with Slurm beside the loop, when there is room for it.
func (b *Backend) call(what func()) {
	b.going.Go(func() { b.inSlurm(what) })
}

// errNotAsked is what became of a question that was not put: the backend ends, another
// controller may lead by now, or Slurm has given the number to another run.
var errNotAsked = errors.New("no call was made: this controller ends, or does not lead any more, or the number is another's")

// inSlurm bounds how much is asked of Slurm at a time. Who does not lead any more
// orders nothing.
func (b *Backend) inSlurm(what func()) {
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
		if b.cfg.Leads == nil || b.cfg.Leads() == nil {
			what()
		}
	case <-b.ctx.Done():
	}
}

// submit hands a run in, held.
func (b *Backend) submit(ctx context.Context, r *run) {
	b.mu.Lock()
	orders, complete, partition := r.inOrder(), r.complete(), b.partitionOf(r.Nodes)
	b.mu.Unlock()
	switch {
	case !complete:
		return // some were taken back meanwhile
	case partition == "":
		b.failed(r, "not handed in", errUnplaced)
		return
	case b.comesBack(&orders[0].Spec), b.mayArray(&orders[0].Spec):
		b.mu.Lock()
		r.tried = b.cfg.Now()
		b.mu.Unlock()
		return
	}
	s, err := b.submission(r, orders, partition)
	site, processors := b.site(ctx, partition), max(1, len(s.Nodes))*s.CPUs
	if most := site.LongestFor(s.User, s.QOS, processors); most > 0 && (s.Limit == 0 || s.Limit > most) {
		s.Limit = most // with more it would wait for good
	}
	if room := site.RoomFor(asked(&orders[0].Spec, &s)); orders[0].Spec.DueUS > 0 && room > 0 && s.Limit > room && !time.UnixMicro(orders[0].Spec.DueUS).After(b.cfg.Now().Add(room)) {
		s.Limit = room // alike, and it is long enough
	}
	s.Limit = b.beforeReserved(ctx, r.Nodes, orders[0].Spec.DueUS, s.Limit)
	if why := b.license(ctx, r, &orders[0].Spec, partition); why != "" && err == nil {
		if b.mayYetBe(r) {
			return
		}
		err = errors.New(why)
	}
	over, away := b.intoReservation(ctx, &orders[0].Spec, &s)
	switch {
	case away != nil:
		b.failed(r, "not handed in", away)
		return
	case over != "":
		err = errors.New(over)
	}
	if err != nil {
		b.mu.Lock()
		r.ends(verdict{state: task.Refused, why: err.Error()}, b.cfg.Now())
		b.mu.Unlock()
		return
	}
	var id, given int64
	went := false
	b.inSlurm(func() {
		b.mu.Lock()
		r.on(sent)
		r.sentAt = b.cfg.Now()
		b.mu.Unlock()
		went = true
		id, given, err = b.handIn(ctx, r.key, &orders[0].Spec, s)
	})
	if !went {
		b.failed(r, "not handed in", errNotAsked)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r.acted = b.cfg.Now()
	switch {
	case err == nil && (b.numbers.spent(id, r.key, cmp.Or(given, r.acted.Unix())) && !(given != 0 && r.cameBackAs(id)) || b.occupied(id, r)):
		// It stays held, is listed as nobody's, and is cancelled: another is handed in.
		b.cfg.Log.Warn("Slurm gives a number out again", "run", r.key, "slurm", id)
		r.on(unlisted)
	case err == nil && id > 0:
		r.array.is = s.Array != ""
		r.moved()
		b.assignID(r, id)
		b.taken++
	case errors.Is(err, client.ErrRefused):
		r.ends(verdict{state: task.Refused, why: err.Error()}, r.acted)
		b.cfg.Log.Warn("Slurm refuses a job", "run", r.key, "error", err)
	case errors.Is(err, errWithdrawn): // its orders are taken back in a moment
		r.sentAt, r.tried = r.acted, r.acted
		b.cfg.Log.Info("a job is not handed in", "run", r.key, "because", err)
	default:
		r.sentAt, r.tried = r.acted, r.acted
		b.cfg.Log.Warn("nobody knows whether a job was submitted", "run", r.key, "error", err)
		b.pollSoon()
	}
}

// inOrder are the orders by rank.
func (r *run) inOrder() []task.Order {
	var orders []task.Order
	for rank := range r.size {
		if o, here := r.orders[rank]; here {
			orders = append(orders, o)
		}
	}
	return orders
}

// asked is what Slurm is asked for by a submission.
func asked(first *task.Spec, s *client.Submission) limit.Ask {
	nodes := max(1, len(s.Nodes))
	each := int64(max(1, first.Processors()))
	return limit.Ask{
		User: s.User, QOS: s.QOS, Processors: nodes * s.CPUs, Programs: nodes, MemoryMB: (megabytes(first.Memory) + each - 1) / each,
		GPUs: first.GPUs * s.Tasks, GPUKind: first.GPUKind,
	}
}

// submission is the one Slurm job of all tasks of a run.
func (b *Backend) submission(r *run, orders []task.Order, partition string) (client.Submission, error) {
	specs := make([]task.Spec, len(orders))
	for i := range orders {
		specs[i] = orders[i].Spec
	}
	if b.mayRequeue(&specs[0]) { // whatever node it is begun on again, Slurm was told all of it
		s, err := b.laterOn(specs[0], b.commentOf(r), partition)
		s.Later, s.Nodes = false, slices.Clone(r.Nodes)
		return s, err
	}
	if b.arraysOf(specs, b.site(b.ctx, partition).MostElements()) {
		return b.describe([]task.Spec{elementOf(specs[0])}, nil, b.commentOf(r), partition, inLanes(specs))
	}
	return b.describe(specs, slices.Clone(r.Nodes), b.commentOf(r), partition, "")
}

// describe is what Slurm is told of the tasks of a job that is on some nodes; none: on one that
// is not known yet, and that all that is told must not depend on. Of an array it is one of its
// elements.
func (b *Backend) describe(specs []task.Spec, nodes []string, comment, partition, elements string) (client.Submission, error) {
	onNode := map[string]int{}
	most := 0
	for i := range specs {
		name := specs[i].Nodes[i]
		onNode[name]++
		most = max(most, onNode[name])
	}
	first := &specs[0]
	narrowest := b.narrowest(nodes)
	l := layoutOf(specs, narrowest)
	l.later, l.array = len(nodes) == 0, elements != ""
	l.devices = b.haveGPUs(nodes)
	cpus := min(most*first.Processors(), narrowest)
	l.memory = memoryOf(first, most, cpus)
	if first.Len() == 0 || len(specs) == 1 { // else they are several elements, which are told their own
		l.onNode = memoryOnNode(first, most)
	}
	site := b.site(b.ctx, partition)
	l.usual = site.Partition.DefMemoryMB
	if bySbatch(first) {
		l.launchers, l.perTaskToo = site.Launchers, site.PerTask
	}
	text, err := script(specs, l)
	if err != nil {
		return client.Submission{}, err
	}
	s := client.Submission{
		Name: nameOf(first), Comment: withText(comment, valueOf(first.Env, task.Comment)), User: first.User, Partition: partition, QOS: first.QOS, Nodes: nodes, Later: l.later, Array: elements,
		Tasks: len(specs), CPUs: cpus, MemoryMB: megabytes(first.Memory) * int64(most), Limit: limitOf(first.DueUS, b.cfg.Now()),
		Dir: first.Dir, Env: b.surroundings(specs, &l), Output: l.shownFile(specs, first.Output), Script: text, Command: shownCommand(first),
		MailType: valueOf(first.Env, task.MailType), MailUser: valueOf(first.Env, task.MailUser), Signal: valueOf(first.Env, task.Signal), Licenses: licensesInWords(first, l.elements),
		Requeue: b.mayRequeue(first),
	}
	askGPUs(&s, specs, onNode)
	if first.Error != first.Output {
		s.Error = l.shownFile(specs, first.Error)
	}
	switch {
	case l.memory > 0:
		s.MemoryMB, s.MemoryEachMB = 0, l.memory
	case l.onNode > 0:
		s.MemoryMB = l.onNode
	}
	if l.even {
		s.PerTask = l.perTask
	}
	if l.onNode == 0 && (l.even || l.fits && first.Once && bySbatch(first)) {
		if each := site.Partition.DefMemoryMB; megabytes(first.Memory) == each*int64(first.Processors()) {
			s.MemoryMB = 0 // what Slurm gives anyway
		}
	}
	return s, nil
}

// narrowest is how many processors the smallest of some nodes has.
func (b *Backend) narrowest(names []string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	least := math.MaxInt
	for _, name := range names {
		if n := b.nodes[name]; n != nil && n.slurm.Processors > 0 {
			least = min(least, n.slurm.Processors)
		}
	}
	return least
}

func nameOf(s *task.Spec) string {
	if s.Name == "" {
		return fmt.Sprintf("libra-%d", s.Job)
	}
	return s.Name
}

func megabytes(bytes int64) int64 { return (bytes + 1<<20 - 1) >> 20 }

// release lets a run start. Before, it is written down that it may have: from
// then on it is not handed in again.
func (b *Backend) release(ctx context.Context, r *run) {
	if err := b.arm(ctx, r); err != nil {
		b.failed(r, "not released", err)
		b.pollSoon()
		return
	}
	b.mu.Lock()
	n := note{binding: r.binding, Released: true}
	of := r.array.is
	known := r.note == durable
	b.mu.Unlock()
	var placed []client.Link
	var others, err error
	if of {
		others = errNotAsked
		b.inSlurm(func() {
			if b.stillOwns(r, n.ID) {
				placed, others = b.place(ctx, r, n.ID)
			}
		})
		switch {
		case errors.Is(others, errSpent):
			b.another(r, n.ID)
			return
		case len(placed) == 0 && others != nil:
			b.mu.Lock()
			r.acted = b.cfg.Now()
			b.mu.Unlock()
			b.failed(r, "not released", others)
			b.pollSoon()
			return
		}
	}
	b.mu.Lock()
	r.note = max(r.note, attempted)
	b.mu.Unlock()
	if !known {
		err = b.keep.put(ctx, r.key, n)
	}
	if err != nil {
		b.failed(r, "not released", err)
		return
	}
	b.mu.Lock()
	r.note = durable
	r.on(noted)
	b.numbers.spend(n.ID, r.key)
	b.mu.Unlock()
	err = errNotAsked
	b.inSlurm(func() {
		switch {
		case !b.stillOwns(r, n.ID):
		case of:
			err = b.letGo(ctx, n.ID, placed, others)
		default:
			err = b.slurm.Release(ctx, n.ID, n.Nodes)
		}
	})
	b.mu.Lock()
	r.acted = b.cfg.Now() // an error may be a lost answer
	r.tried = r.acted
	b.mu.Unlock()
	if err != nil {
		b.failed(r, "not released", err)
		b.pollSoon() // some of it may have begun
		return
	}
	b.mu.Lock()
	r.on(confirmed)
	if r.job != nil {
		now := *r.job
		now.Held = false
		r.job = &now
	}
	b.mu.Unlock()
	b.pollSoon()
}

// stillOwns reports whether a number is still that of a run, after what Slurm has said
// while there was no room for the call.
func (b *Backend) stillOwns(r *run, id int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return r.ID == id && !r.vouched.IsZero()
}

// cancel ends a run in Slurm. Why is written down before, where it is nobody's wish: who finds it
// ended, and does not know that, takes it for ended by its user.
func (b *Backend) cancel(ctx context.Context, r *run, urgent bool) {
	b.mu.Lock()
	id := r.ID
	n := note{binding: r.binding, Released: r.state.mayHaveStarted(), Done: maps.Clone(r.array.done), Lost: r.lost, Unfit: r.unfit, Barred: r.barred}
	write := n.cutShort() && !r.cut
	if write && r.note == unwritten {
		r.note = attempted
	}
	b.mu.Unlock()
	var err error
	if write {
		if err = b.keep.put(ctx, r.key, n); err != nil {
			b.failed(r, "not cancelled", err)
			return
		}
		b.mu.Lock()
		r.cut = true
		b.mu.Unlock()
	}
	err = errNotAsked
	b.inSlurm(func() {
		if b.stillOwns(r, id) {
			err = b.slurm.Cancel(ctx, id, urgent)
		}
	})
	if err != nil {
		b.failed(r, "not cancelled", err)
		return
	}
	b.pollSoon()
}

// failed notes that something did not succeed: it is tried again a little later.
func (b *Backend) failed(r *run, what string, err error) {
	if b.ctx.Err() != nil {
		return
	}
	b.cfg.Log.Warn(what, "run", r.key, "error", err)
	b.mu.Lock()
	defer b.mu.Unlock()
	r.tried = b.cfg.Now()
}

// report tells the market how a run ended, for each node what ended there.
func (b *Backend) report(ctx context.Context, r *run) {
	b.mu.Lock()
	if r.end.state == task.Lost {
		b.cfg.Log.Warn("a job was lost in Slurm", "run", r.key, "slurm", r.ID, "because", r.end.why)
	}
	b.weigh(r)
	byNode := map[string][]task.Status{}
	all := true
	for _, rank := range slices.Sorted(maps.Keys(r.orders)) {
		name := r.orders[rank].Spec.Nodes[rank]
		if n := b.nodes[name]; n != nil && n.membership.lost() {
			all = false // to speak for it would bring it back; its tasks are lost with it
			continue
		}
		byNode[name] = append(byNode[name], r.status(rank, b.cfg.Control))
	}
	b.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(byNode)) {
		tasks := byNode[name]
		reply, err := b.fleet.Report(ctx, task.Report{Node: name, Tasks: tasks})
		if err != nil {
			b.failed(r, "end not reported", err)
			return
		}
		all = all && len(reply.Forget) == len(tasks)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r.tried = b.cfg.Now()
	if all {
		r.on(told)
	}
	b.refresh(r)
}

// remove forgets a run that nobody wants anything of any more.
func (b *Backend) remove(ctx context.Context, r *run) {
	if r.note != unwritten { // a write that was said not to succeed may have
		if err := b.keep.remove(ctx, r.key); err != nil {
			b.failed(r, "not forgotten", err)
			return
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(r.orders) > 0 { // it is wanted after all
		r.note = unwritten
		return
	}
	delete(b.runs, r.key)
	b.drops(r)
	b.leaves(r)
	b.releaseID(r.ID, r)
}
