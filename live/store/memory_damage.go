package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
)

// The last batch that was written, as far as it takes to undo a part of it: for worlds
// in which a disk tears what is being written when the power goes.
type written struct {
	end          head // before
	entries, txs int  // likewise, how many
	jobs         map[int64]Job
	replies      map[ReplyKey]Reply // those that are new
	known        bool
}

// remember notes what is there before a batch is written.
func (c *content) remember(w *work) written {
	last := written{end: c.end, entries: len(c.entries), txs: len(c.txs), jobs: map[int64]Job{}, replies: map[ReplyKey]Reply{}, known: true}
	for i := range w.jobs {
		last.jobs[w.jobs[i].ID] = c.jobs[w.jobs[i].ID]
	}
	for i := range w.replies {
		k := ReplyKey{w.replies[i].Owner, w.replies[i].Key}
		last.replies[k] = c.replies[k]
	}
	return last
}

// Torn says what of the last batch has reached the disk.
type Torn struct {
	Entries int // of its entries, so many; beyond: all
	Bytes   int // of the body of the one after those, so many; 0: nothing of it
	Head    bool
	Jobs    bool // and the replies
	Txs     bool
}

// Torn is a copy as a disk could have it that wrote the last batch in pieces, and not
// all of them; false: there is none that could be torn. No engine under a Store leaves
// such a thing: it is what is found on a disk that lies.
func (m *Memory) Torn(t Torn) (*Memory, bool) {
	m.mu.Lock()
	last := m.last
	m.mu.Unlock()
	if !last.known || last.entries >= len(m.content.entries) {
		return nil, false
	}
	copied := m.Copy(m.content.generation)
	c := &copied.content
	if at := last.entries + t.Entries; at < len(c.entries) {
		torn := c.entries[at]
		c.entries = c.entries[:at]
		if t.Bytes > 0 && len(torn.Body) > 0 {
			torn.Body = bytes.Clone(torn.Body[:t.Bytes%len(torn.Body)])
			c.entries = append(c.entries, torn)
		}
	}
	if !t.Head {
		c.end = last.end
	}
	if !t.Txs {
		c.txs = c.txs[:last.txs]
	}
	if !t.Jobs {
		restore(c.jobs, last.jobs, func(j *Job) bool { return j.ID == 0 })
		restore(c.replies, last.replies, func(r *Reply) bool { return r.Key == "" })
	}
	return copied, true
}

// restore puts back what was there before; what was not is removed.
func restore[K comparable, V any](now, before map[K]V, none func(*V) bool) {
	maps.Copy(now, before)
	maps.DeleteFunc(now, func(k K, v V) bool { _, touched := before[k]; return touched && none(&v) })
}

// Same reports whether two have the same transactions, and the same jobs in the same
// states.
func (m *Memory) Same(o *Memory) bool {
	a, b := m.Copy("").content, o.Copy("").content
	return len(a.txs) == len(b.txs) && maps.EqualFunc(a.jobs, b.jobs, func(x, y Job) bool { return x.State == y.State })
}

// Sound refuses a store whose log does not end where it was last known to end, as
// opening one on a disk does.
func (m *Memory) Sound() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, last := &m.content, Entry{}
	if n := len(c.entries); n > 0 {
		last = c.entries[n-1]
	}
	why := ""
	switch {
	case last.Seq != c.end.seq:
		why = fmt.Sprintf("the log ends at entry %d, and it once ended at %d", last.Seq, c.end.seq)
	case last.Seq > 0 && !bytes.Equal(last.Hash, c.end.hash):
		why = fmt.Sprintf("entry %d, the last of the log, is not the one that was written", last.Seq)
	case last.Seq == 0 && len(c.txs)+len(c.snapshots) > 0:
		why = "there are transactions or snapshots, and the log that they follow from is gone"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s; %s", ErrDamaged, why, Advice)
}

// Inspect looks for damage in what the database keeps for itself.
func (s *memory) Inspect(ctx context.Context, say func(string)) error {
	if err := s.on.Sound(); err != nil {
		say(err.Error())
	}
	c, err := s.begin(ctx, "inspect")
	if err != nil {
		return err
	}
	snapshots := slices.Clone(c.snapshots)
	s.end()
	for i := range snapshots {
		if sha256.Sum256(snapshots[i].Body) != snapshots[i].digest {
			say(fmt.Sprintf("the snapshot at entry %d is not the one that was written: a start reads the one before it, or the whole log", snapshots[i].Seq))
		}
	}
	return nil
}

// Inspected is a memory as somebody opens it who looks for damage.
func (m *Memory) Inspected() PastCloser { return &memory{on: m, closed: make(chan struct{})} }
