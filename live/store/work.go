package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// work is a batch made ready: checked, folded, in the order of the tables.
type work struct {
	entries  []Entry
	hashes   [][]byte // of each entry, by follow
	jobs     []Job    // one per ID, ascending
	txs      []Tx
	postings [][]byte // of each transaction
	touched  []touch  // ascending
	replies  []Reply  // one per key, ascending
	next     head     // where the log ends afterwards, by follow
}

// touch is an account that a transaction posts to.
type touch struct {
	account string
	tx      int64
}

func newWork(b Batch) (*work, error) {
	w := &work{
		entries: b.Entries,
		jobs:    foldJobs(b.Jobs),
		txs:     b.Txs,
		replies: foldReplies(b.Replies),
	}
	for i := range w.entries {
		e := &w.entries[i]
		if want := w.entries[0].Seq + int64(i); e.Seq != want {
			return nil, fmt.Errorf("%w: entry %d where %d should be", ErrInvalid, e.Seq, want)
		}
		if e.Version < 0 || e.Version > math.MaxInt32 {
			return nil, fmt.Errorf("%w: entry %d has version %d", ErrInvalid, e.Seq, e.Version)
		}
		if err := checkKeys(e.Kind); err != nil {
			return nil, fmt.Errorf("entry %d: %w", e.Seq, err)
		}
	}
	for i := range w.jobs {
		j := &w.jobs[i]
		if err := cmp.Or(checkKeys(j.Owner, j.Account, j.State), checkTexts(j.Name), checkBody(j.Body)); err != nil {
			return nil, fmt.Errorf("job %d: %w", j.ID, err)
		}
	}
	if err := w.post(); err != nil {
		return nil, err
	}
	if n := len(w.replies); n > maxReplies {
		return nil, fmt.Errorf("%w: %d replies (at most %d)", ErrInvalid, n, maxReplies)
	}
	for i := range w.replies {
		if err := checkKeys(w.replies[i].Owner, w.replies[i].Key); err != nil {
			return nil, fmt.Errorf("reply: %w", err)
		}
	}
	return w, nil
}

func (w *work) empty() bool {
	return len(w.entries)+len(w.jobs)+len(w.txs)+len(w.replies) == 0
}

// post writes the postings down and finds the accounts they touch.
func (w *work) post() error {
	w.postings = make([][]byte, len(w.txs))
	for i := range w.txs {
		tx := &w.txs[i]
		if err := cmp.Or(checkKeys(tx.Kind), checkTexts(tx.Memo), checkBody(tx.Body)); err != nil {
			return fmt.Errorf("transaction %d: %w", tx.Seq, err)
		}
		for _, p := range tx.Postings {
			if err := checkKeys(p.Account, p.Side); err != nil {
				return fmt.Errorf("transaction %d: %w", tx.Seq, err)
			}
			w.touched = append(w.touched, touch{p.Account, tx.Seq})
		}
		postings := tx.Postings
		if postings == nil {
			postings = []Posting{}
		}
		var err error
		if w.postings[i], err = json.Marshal(postings); err != nil {
			return fmt.Errorf("transaction %d: %w", tx.Seq, err)
		}
	}
	slices.SortFunc(w.touched, func(a, b touch) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.tx, b.tx))
	})
	w.touched = slices.Compact(w.touched)
	return nil
}

// checkBody refuses what would be taken for packed.
func checkBody(body []byte) error {
	if packed(body) {
		return fmt.Errorf("%w: its body begins with %q", ErrInvalid, packMark)
	}
	return nil
}

// follow continues the log from where it ends.
func (w *work) follow(from head) error {
	w.next = head{seq: from.seq, hash: from.hash, fence: from.fence + 1}
	if len(w.entries) == 0 {
		return nil
	}
	if first := w.entries[0].Seq; first != from.seq+1 {
		return fmt.Errorf("%w: the log ends at entry %d, and %d does not follow", ErrConflict, from.seq, first)
	}
	links := newChain(from.hash)
	w.hashes = w.hashes[:0]
	for i := range w.entries {
		e := &w.entries[i]
		sum := links.next(e)
		if e.Hash != nil && !bytes.Equal(e.Hash, sum) {
			return fmt.Errorf("%w: the hash of entry %d does not follow from its content and the entry before", ErrInvalid, e.Seq)
		}
		w.hashes = append(w.hashes, sum)
		w.next.seq, w.next.hash = e.Seq, sum
	}
	return nil
}

// maxReplies is how many answers there can be in a batch.
const maxReplies = 1 << 20

// replyID numbers the answers: no two appends have the same fence.
func (w *work) replyID(i int) int64 { return w.next.fence*maxReplies + int64(i) }

// foldJobs keeps the last of several jobs with one ID, with the last spec that
// was given.
func foldJobs(jobs []Job) []Job {
	folded := slices.Clone(jobs)
	slices.SortStableFunc(folded, func(a, b Job) int { return cmp.Compare(a.ID, b.ID) })
	n := 0
	for i, j := range folded {
		if i > 0 && folded[n-1].ID == j.ID {
			if j.Spec == nil {
				j.Spec = folded[n-1].Spec
			}
			n--
		}
		folded[n] = j
		n++
	}
	return folded[:n]
}

// foldReplies keeps the last of several answers to one key.
func foldReplies(replies []Reply) []Reply {
	folded := slices.Clone(replies)
	slices.SortStableFunc(folded, func(a, b Reply) int {
		return cmp.Or(cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Key, b.Key))
	})
	n := 0
	for i, r := range folded {
		if i > 0 && folded[n-1].Owner == r.Owner && folded[n-1].Key == r.Key {
			n--
		}
		folded[n] = r
		n++
	}
	return folded[:n]
}
