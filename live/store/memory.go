package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Memory is a database that is not on any disk: for worlds that are simulated.
// It may be opened several times, and what is in it stays when it is closed. It is
// as simple as it can be: what it does is what the others must do, too.
type Memory struct {
	mu      sync.Mutex
	content content
	last    written
	leader  *memory
	term    int64         // of the lead
	free    chan struct{} // closed when nobody leads any more
}

// content is all that a database keeps. Nothing in it is written to once it is
// there, so that a copy is as cheap as its lists.
type content struct {
	entries    []Entry
	end        head
	jobs       map[int64]Job
	txs        []Tx
	replies    map[ReplyKey]Reply
	snapshots  []savedSnapshot
	tokens     map[string]Token
	meta       map[string]string
	notes      map[[2]string]Note
	archives   []Archive
	generation string
}

type savedSnapshot struct {
	Snapshot

	digest [sha256.Size]byte
}

// NewMemory is an empty database with a name for its generation.
func NewMemory(generation string) *Memory {
	return &Memory{free: make(chan struct{}), content: content{
		jobs: map[int64]Job{}, replies: map[ReplyKey]Reply{}, tokens: map[string]Token{}, meta: map[string]string{},
		notes: map[[2]string]Note{}, generation: generation,
	}}
}

// Copy is what a backup would have, restored under a generation of its own; with
// the same name it is the same store at an earlier time.
func (m *Memory) Copy(generation string) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.content
	c.entries, c.txs, c.snapshots = slices.Clone(c.entries), slices.Clone(c.txs), slices.Clone(c.snapshots)
	c.jobs, c.replies, c.tokens = maps.Clone(c.jobs), maps.Clone(c.replies), maps.Clone(c.tokens)
	c.meta, c.notes, c.generation = maps.Clone(c.meta), maps.Clone(c.notes), generation
	c.archives = slices.Clone(c.archives)
	return &Memory{content: c, free: make(chan struct{})}
}

// Cut is a copy as it was after an entry: what the log alone says, and the
// snapshots of before.
func (m *Memory) Cut(seq int64) *Memory {
	c := m.Copy(m.content.generation)
	c.content.entries = c.content.entries[:c.content.index(seq+1)]
	if n := len(c.content.entries); n > 0 {
		c.content.end.seq, c.content.end.hash = c.content.entries[n-1].Seq, c.content.entries[n-1].Hash
	}
	c.content.snapshots = slices.DeleteFunc(c.content.snapshots, func(s savedSnapshot) bool { return s.Seq > seq })
	return c
}

// Spoil flips a bit of an entry of the log.
func (m *Memory) Spoil(seq int64, bit int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := &m.content.entries[m.content.index(seq)]
	e.Body = flipped(e.Body, bit)
}

// SpoilSnapshot flips a bit of the newest snapshot, and says whether there is one.
func (m *Memory) SpoilSnapshot(bit int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.content.snapshots) == 0 {
		return false
	}
	s := &m.content.snapshots[len(m.content.snapshots)-1]
	s.Body = flipped(s.Body, bit)
	return true
}

func flipped(body []byte, bit int) []byte {
	body = bytes.Clone(body)
	if len(body) > 0 {
		body[bit/8%len(body)] ^= 1 << (bit % 8)
	}
	return body
}

// Open is a store in it.
func (m *Memory) Open() Store {
	return &memory{on: m, closed: make(chan struct{})}
}

// memory is an opened Memory.
type memory struct {
	on     *Memory
	once   sync.Once
	closed chan struct{}
	lost   chan struct{} // of the lead, while it has it
}

var _ Store = (*memory)(nil)

// begin locks the content, unless there is a reason not to.
func (s *memory) begin(ctx context.Context, what string) (*content, error) {
	s.on.mu.Lock()
	select {
	case <-s.closed:
		s.on.mu.Unlock()
		return nil, fmt.Errorf("%s: %w", what, ErrClosed)
	default:
	}
	if err := ctx.Err(); err != nil {
		s.on.mu.Unlock()
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return &s.on.content, nil
}

func (s *memory) end() { s.on.mu.Unlock() }

func (s *memory) Append(ctx context.Context, b Batch) error {
	w, err := newWork(b)
	if err != nil {
		return fmt.Errorf("append: %w", err)
	}
	c, err := s.begin(ctx, "append")
	if err != nil {
		return err
	}
	defer s.end()
	if w.empty() {
		return nil
	}
	if err := cmp.Or(s.fenced(), w.follow(c.end)); err != nil {
		return fmt.Errorf("append: %w", err)
	}
	last := int64(0)
	if n := len(c.txs); n > 0 {
		last = c.txs[n-1].Seq
	}
	for i := range w.txs {
		if w.txs[i].Seq <= last {
			return fmt.Errorf("append: %w: transaction %d is there", ErrConflict, w.txs[i].Seq)
		}
		last = w.txs[i].Seq
	}
	s.on.last = c.remember(w)
	for i := range w.entries {
		e := w.entries[i]
		e.Version, e.Body, e.Hash = e.version(), none(bytes.Clone(e.Body)), w.hashes[i]
		c.entries = append(c.entries, e)
	}
	for i := range w.jobs {
		j := w.jobs[i]
		if j.Spec == nil {
			j.Spec = c.jobs[j.ID].Spec
		}
		j.Spec, j.Body = none(bytes.Clone(j.Spec)), none(bytes.Clone(j.Body))
		c.jobs[j.ID] = j
	}
	for i := range w.txs {
		tx := w.txs[i]
		tx.Hash, tx.Body, tx.Postings = none(bytes.Clone(tx.Hash)), none(bytes.Clone(tx.Body)), slices.Clone(tx.Postings)
		c.txs = append(c.txs, tx)
	}
	for i := range w.replies {
		r := w.replies[i]
		r.Digest, r.Body = none(bytes.Clone(r.Digest)), none(bytes.Clone(r.Body))
		c.replies[ReplyKey{r.Owner, r.Key}] = r
	}
	c.end = w.next
	return nil
}

// index is where an entry is, or would be.
func (c *content) index(seq int64) int {
	at, _ := slices.BinarySearchFunc(c.entries, seq, func(e Entry, seq int64) int { return cmp.Compare(e.Seq, seq) })
	return at
}

// tailPart is how many entries are taken in one look.
const tailPart = 512

func (s *memory) Tail(ctx context.Context, after int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for {
			c, err := s.begin(ctx, "read log")
			if err != nil {
				yield(Entry{}, err)
				return
			}
			first := c.index(after + 1)
			part := slices.Clone(c.entries[first:min(len(c.entries), first+tailPart)])
			last, _ := checkpoint(c.archives)
			s.end()
			if len(part) == 0 {
				return
			}
			if part[0].Seq != after+1 && after < last {
				yield(Entry{}, fmt.Errorf("read log after %d: %w (up to entry %d)", after, ErrArchived, last))
				return
			}
			for i := range part {
				if !yield(part[i], nil) {
					return
				}
			}
			after = part[len(part)-1].Seq
		}
	}
}

func (s *memory) Last(ctx context.Context) (Entry, bool, error) {
	c, err := s.begin(ctx, "last entry")
	if err != nil {
		return Entry{}, false, err
	}
	defer s.end()
	if len(c.entries) == 0 {
		return Entry{}, false, nil
	}
	return c.entries[len(c.entries)-1], true, nil
}

func (s *memory) VerifyLog(ctx context.Context) (int64, error) {
	c, err := s.begin(ctx, "verify log")
	if err != nil {
		return 0, err
	}
	last, hash := checkpoint(c.archives)
	check := newVerifier(c.end, last, hash)
	s.end()
	for e, err := range s.Tail(ctx, last) {
		if err != nil {
			return check.sound, err
		}
		if err := check.see(&e); err != nil {
			return check.sound, err
		}
	}
	return check.sound, check.finish()
}

func (s *memory) SaveSnapshot(ctx context.Context, snap Snapshot) error {
	if err := checkKeys(snap.Version); err != nil {
		return fmt.Errorf("save snapshot: %w", err)
	}
	c, err := s.begin(ctx, "save snapshot")
	if err != nil {
		return err
	}
	defer s.end()
	snap.Body = none(bytes.Clone(snap.Body))
	c.snapshots = append(c.snapshots, savedSnapshot{snap, sha256.Sum256(snap.Body)})
	slices.SortStableFunc(c.snapshots, func(a, b savedSnapshot) int { return cmp.Compare(a.Seq, b.Seq) })
	c.snapshots = slices.Clone(c.snapshots[max(0, len(c.snapshots)-snapshotKept):])
	return nil
}

func (s *memory) LatestSnapshot(ctx context.Context) (Snapshot, bool, error) {
	c, err := s.begin(ctx, "latest snapshot")
	if err != nil {
		return Snapshot{}, false, err
	}
	defer s.end()
	for _, snap := range slices.Backward(c.snapshots) {
		if sha256.Sum256(snap.Body) == snap.digest {
			return snap.Snapshot, true, nil
		}
	}
	return Snapshot{}, false, nil
}

func (s *memory) Job(ctx context.Context, id int64) (Job, bool, error) {
	c, err := s.begin(ctx, "job")
	if err != nil {
		return Job{}, false, err
	}
	defer s.end()
	j, found := c.jobs[id]
	return j, found, nil
}

func (s *memory) Jobs(ctx context.Context, q Query) ([]Job, error) {
	found, err := s.find(ctx, &q)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(j Job) bool { return q.Before != 0 && j.ID >= q.Before || q.After != 0 && j.ID <= q.After })
	most := q.Limit
	if most <= 0 {
		most = PageSize
	}
	return found[:min(len(found), most)], nil
}

func (s *memory) CountJobs(ctx context.Context, q Query) (map[string]int64, error) {
	found, err := s.find(ctx, &q)
	counts := map[string]int64{}
	for i := range found {
		counts[found[i].State]++
	}
	return counts, err
}

// find are the jobs asked for, newest first, whatever the page.
func (s *memory) find(ctx context.Context, q *Query) ([]Job, error) {
	if err := cmp.Or(checkTexts(q.Owner, q.Account, q.Name), checkTexts(q.States...)); err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	c, err := s.begin(ctx, "jobs")
	if err != nil {
		return nil, err
	}
	defer s.end()
	var found []Job
	for _, j := range c.jobs {
		if (q.Owner == "" || j.Owner == q.Owner) && below(j.Account, q.Account) && (len(q.States) == 0 || slices.Contains(q.States, j.State)) &&
			strings.Contains(j.Name, q.Name) && (q.From == 0 || j.Submitted >= q.From) && (q.To == 0 || j.Submitted < q.To) {
			if !q.WithSpec {
				j.Spec = nil
			}
			found = append(found, j)
		}
	}
	slices.SortFunc(found, func(a, b Job) int { return cmp.Compare(b.ID, a.ID) })
	return found, nil
}

// below reports whether an account is another or below it.
func below(account, root string) bool {
	return root == "" || account == root || strings.HasPrefix(account, root+"/")
}
