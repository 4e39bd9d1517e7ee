package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/store"
)

// entry is a job of the broker.
type entry struct {
	id int64

	flying atomic.Bool // somebody is placing it

	mu     sync.Mutex
	facts  facts
	denied int // how often the cluster said that it does not know the job
}

// facts are what was asked, whom it was handed to, and what is known of it. They
// are written down before they are acted upon.
//
// Their way: handed to a cluster (Cluster and Nonce are set, Remote is not), taken
// there (Remote is set), ended. A job that is to be handed to another has no
// Cluster until one is chosen.
type facts struct {
	Job v1.Job `json:"job"` // as people see it, without the script

	Cluster  string  `json:"cluster,omitempty"`
	Nonce    string  `json:"nonce,omitempty"`  // its idempotency key at the cluster, and in a tag there
	Remote   int64   `json:"remote,omitempty"` // its number at the cluster
	Quote    string  `json:"quote,omitempty"`  // of the cluster
	Quoted   int64   `json:"quoted_micros"`    // the firm price of that quote; -1: it was not firm
	Optional int64   `json:"optional_micros"`  // that an optional part may cost beside it
	Account  string  `json:"account,omitempty"`
	After    []int64 `json:"after,omitempty"`  // by their numbers at the cluster
	Follow   *follow `json:"follow,omitempty"` // the same of those that need not succeed, where there are any
	Deadline int64   `json:"deadline_ms,omitempty"`
	HandedUS int64   `json:"handed_us,omitempty"` // when it was last sent there

	Promised int64      `json:"promised_us,omitempty"` // as it was accepted, whatever the cluster says later
	Agreed   int64      `json:"agreed_micros"`         // likewise
	Fixed    bool       `json:"fixed,omitempty"`       // no other cluster may be asked: a quote was taken, or the account names it
	Resubmit bool       `json:"resubmit,omitempty"`
	Tried    []string   `json:"tried,omitempty"` // clusters that had it and lost it
	Key      api.Key    `json:"key,omitzero"`    // of the request that brought it
	Left     []leftover `json:"left,omitempty"`
}

// leftover is something that a cluster may have of ours and should not: a job
// that was given up while the cluster was gone.
type leftover struct {
	Cluster string `json:"cluster"`
	Nonce   string `json:"nonce"`
	Remote  int64  `json:"remote,omitempty"`
	SentUS  int64  `json:"sent_us"`
}

// setFollow notes what it follows at the cluster. Those that have to succeed are apart: they
// were before there were others.
func (f *facts) setFollow(of follow) {
	f.After, f.Follow = of.After, nil
	if of.After = nil; of.any() {
		f.Follow = &of
	}
}

// follows is what it follows there.
func (f *facts) follows() follow {
	var of follow
	if f.Follow != nil {
		of = *f.Follow
	}
	of.After = f.After
	return of
}

// unsettled reports whether nobody knows yet who has the job.
func (f *facts) unsettled() bool { return f.Remote == 0 && !f.Job.State.Final() }

// done reports whether nothing more is to be done about it.
func (f *facts) done() bool { return f.Job.State.Final() && len(f.Left) == 0 }

// is reports whether a job of a cluster is the one that was handed over. Its
// number alone does not tell: a cluster that was set up anew begins at one.
func (f *facts) is(j *v1.Job) bool { return slices.Contains(j.Request.Tags, nonceTag+f.Nonce) }

// now is what is known at the moment.
func (e *entry) now() facts {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.facts
}

func readEntry(row *store.Job) (*entry, error) {
	e := &entry{id: row.ID}
	if err := json.Unmarshal(row.Body, &e.facts); err != nil {
		return nil, fmt.Errorf("job %d in the store: %w", row.ID, err)
	}
	return e, nil
}

// request reads the request of a job with all that may be large.
func (b *Broker) request(ctx context.Context, id int64) (v1.Request, error) {
	var r v1.Request
	row, found, err := b.store.Job(ctx, id)
	if err != nil {
		return r, err
	}
	if !found {
		return r, fmt.Errorf("job %d: %w", id, trade.ErrUnknown)
	}
	if err := json.Unmarshal(row.Spec, &r); err != nil {
		return r, fmt.Errorf("job %d in the store: %w", id, err)
	}
	return r, nil
}

// row is how the store keeps it.
func (f *facts) row() (store.Job, error) {
	body, err := json.Marshal(f)
	return store.Job{
		ID: f.Job.ID, Owner: f.Job.Owner, Account: f.Job.Account, Name: f.Job.Name, State: string(f.Job.State),
		Submitted: f.Job.SubmittedUS, Ended: f.Job.EndedUS, Body: body,
	}, err
}

// enter numbers a new job and writes it down, with what is answered.
func (b *Broker) enter(f facts, r *v1.Request, answer func(*facts) ([]store.Reply, error)) (*entry, error) {
	spec, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	b.entering.Lock()
	defer b.entering.Unlock() // numbers go with the order in which jobs are written
	f.Job.ID = b.next + 1
	var batch store.Batch
	if answer != nil {
		if batch.Replies, err = answer(&f); err != nil {
			return nil, err
		}
	}
	row, err := f.row()
	if err != nil {
		return nil, err
	}
	row.Spec = spec
	batch.Jobs = []store.Job{row}
	err = b.store.Append(context.WithoutCancel(b.ctx), batch)
	if err == nil || errors.Is(err, store.ErrUncertain) {
		b.next++ // the number may be taken
	}
	if err != nil {
		return nil, err
	}
	e := &entry{id: f.Job.ID, facts: f}
	e.flying.Store(f.unsettled()) // by whoever entered it
	b.hold(e, &f)
	return e, nil
}

// hold keeps at hand what something is still to be done about, by number and, as
// long as nobody knows who has it, by the key of the request.
func (b *Broker) hold(e *entry, f *facts) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.done() {
		delete(b.entries, e.id)
	} else {
		b.entries[e.id] = e
	}
	if name := keyName(&f.Key); f.Key.Given() && f.unsettled() {
		b.unplaced[name] = e
	} else if b.unplaced[name] == e {
		delete(b.unplaced, name)
	}
}

// change changes what is known of a job and writes it down; what could not be
// written is not so. The change replaces parts, never writes into them, and says
// whether it is worth writing down; what is not is known until the broker ends.
func (b *Broker) change(e *entry, do func(f *facts) bool, replies ...store.Reply) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.facts
	if !do(&f) {
		e.facts = f
		return nil
	}
	return b.write(e, &f, replies)
}

// conclude changes a job that has not ended yet, with what is answered.
func (b *Broker) conclude(e *entry, how func(f *facts) ([]store.Reply, error)) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.facts
	if f.Job.State.Final() {
		return nil
	}
	replies, err := how(&f)
	if err != nil {
		return err
	}
	return b.write(e, &f, replies)
}

func (b *Broker) write(e *entry, f *facts, replies []store.Reply) error {
	row, err := f.row()
	if err != nil {
		return err
	}
	if err := b.store.Append(context.WithoutCancel(b.ctx), store.Batch{Jobs: []store.Job{row}, Replies: replies}); err != nil {
		return err
	}
	e.facts = *f
	b.index(f)
	b.hold(e, f)
	return nil
}

// index remembers under which number a job of a cluster is known here.
func (b *Broker) index(f *facts) {
	if f.Remote == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.numbers[place{f.Cluster, f.Remote}] = f.Job.ID
}

// number is what a job of a cluster is called here; 0: it is none of ours.
func (b *Broker) number(cluster string, job int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.numbers[place{cluster, job}]
}

// entry finds a job: under way, or in the store.
func (b *Broker) entry(ctx context.Context, id int64) (*entry, error) {
	b.mu.Lock()
	e := b.entries[id]
	b.mu.Unlock()
	if e != nil {
		return e, nil
	}
	row, found, err := b.store.Job(ctx, id)
	switch {
	case err != nil:
		return nil, closed(err)
	case !found:
		return nil, fmt.Errorf("job %d: %w", id, trade.ErrUnknown)
	}
	return readEntry(&row)
}

// underway lists the jobs under way, by their numbers.
func (b *Broker) underway() []*entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]*entry, 0, len(b.entries))
	for _, e := range b.entries {
		all = append(all, e)
	}
	slices.SortFunc(all, func(x, y *entry) int { return int(x.id - y.id) })
	return all
}

// reply is the answer to a request that carried a key, as it is kept.
func (b *Broker) reply(key api.Key, o *api.Outcome) ([]store.Reply, error) {
	if !key.Given() {
		return nil, nil
	}
	body, err := json.Marshal(o)
	return []store.Reply{{Owner: key.Owner, Key: key.Key, Digest: key.Digest, Body: body, At: b.now()}}, err
}
