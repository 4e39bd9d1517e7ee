package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/live/store"
)

// Store is what a mover needs of a store.
type Store interface {
	store.Log
	store.Archives
	// Leads is the term of the lead that this store has.
	Leads() (term int64, err error)
}

// Mover moves old parts of a log into files.
type Mover struct {
	Store Store
	Dir   string // where the files are
	// Clock is the time of day. After each bite out of the store it rests for as long as
	// that took, so that others write meanwhile. Nil: it does not.
	Clock func() time.Time
	// Watch hears how far it is, if it is given: entries written to the file, and
	// removed from the store.
	Watch func(written, removed int64)

	mu   sync.Mutex
	step func(string) error // tests stop it after any step
}

// What one file has at most.
const (
	mostEntries = 100_000
	mostBytes   = 256 << 20 // by no more than one entry, unpacked
)

// A bite is what leaves the store in one step: an append that comes meanwhile waits for
// no more than that.
const (
	biteEntries = 200
	biteBytes   = 1 << 20
)

// Result is what a step moved.
type Result struct {
	Archive *store.Archive // nil: nothing was old enough
	Removed int64          // entries that left the store
	More    bool           // there may be more to move
}

// Move moves the next part of the log: entries made before a time, at least so many of
// them and at most those of one file. It goes through these steps, and may be killed
// after any of them:
//
//  1. Remove what is recorded as archived and still in the store: the end of step 5 of
//     somebody who was killed.
//  2. Write the file beside its name, every entry checked against the one before. One
//     that somebody has finished and not recorded is taken as it is.
//  3. Read it back; give it its name. Both are on the disk by then.
//  4. Record it in the store. From here on its entries are read from the file.
//  5. Remove the entries from the store, bite by bite.
func (m *Mover) Move(ctx context.Context, before int64, least int64) (Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var r Result
	all, err := m.Store.Archived(ctx)
	if err != nil {
		return r, err
	}
	last, hash := int64(0), []byte(nil)
	if n := len(all); n > 0 {
		last, hash = all[n-1].Last, all[n-1].Hash
	}
	if r.Removed, err = m.shed(ctx, last); err != nil {
		return r, err
	}
	end, err := m.Store.Needed(ctx)
	if err != nil || end-1-last < max(1, least) {
		return r, err
	}
	a, err := m.file(ctx, last, hash, end, before, max(1, least))
	if err != nil || a == nil {
		return r, err
	}
	if err = m.at("named"); err != nil {
		return r, err
	}
	if err = m.Store.AddArchive(ctx, *a); err != nil {
		return r, err
	}
	if err = m.at("recorded"); err != nil {
		return r, err
	}
	r.Archive, r.More = a, true
	n, err := m.shed(ctx, a.Last)
	r.Removed += n
	return r, err
}

// at is where a test may stop it.
func (m *Mover) at(what string) error {
	if m.step == nil {
		return nil
	}
	return m.step(what)
}

// file is the next file, finished and with its name; nil: there is not enough to be
// moved.
func (m *Mover) file(ctx context.Context, last int64, hash []byte, end, before, least int64) (*store.Archive, error) {
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		return nil, err
	}
	term, err := m.Store.Leads()
	if err != nil {
		return nil, err
	}
	m.sweep(term)
	if a := m.adopt(ctx, last, hash, end); a != nil {
		return a, nil
	}
	if !m.old(ctx, last+least, before) {
		return nil, nil
	}
	temp, err := os.CreateTemp(m.Dir, fmt.Sprintf("%s%d-*", tempPrefix, term))
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp.Name()) // it has another name by then if all went well
	defer temp.Close()           // it is closed by then if all went well
	a, err := m.fill(ctx, temp, last, hash, end, before)
	if err != nil || a.Last-last < least {
		return nil, err
	}
	if err = m.at("written"); err != nil {
		return nil, err
	}
	if err = errors.Join(temp.Sync(), temp.Close()); err != nil {
		return nil, fmt.Errorf("write the archive: %w", err)
	}
	if err = verifyFile(temp.Name(), a, hash); err != nil {
		return nil, fmt.Errorf("the archive was not written as it should be: %w", err)
	}
	if err = m.at("synced"); err != nil {
		return nil, err
	}
	a.File = fmt.Sprintf(fileName, a.First, a.Last, hex.EncodeToString(a.Hash[:4]), term)
	if err = os.Rename(temp.Name(), filepath.Join(m.Dir, a.File)); err != nil {
		return nil, err
	}
	if err = m.at("renamed"); err != nil {
		return nil, err
	}
	return a, syncDir(m.Dir)
}

// Names of files: what is in them, which history it is, and the term of who wrote
// them, so that no two leaders write one file.
const (
	fileName   = "log-%012d-%012d-%s-%d.jsonl.gz"
	tempPrefix = ".unfinished-log-"
)

// fill writes entries into a file.
func (m *Mover) fill(ctx context.Context, to io.Writer, last int64, hash []byte, end, before int64) (*store.Archive, error) {
	sum := sha256.New()
	w, err := newWriter(io.MultiWriter(to, sum), last+1, hash)
	if err != nil {
		return nil, err
	}
	a := &store.Archive{First: last + 1, Last: last}
	size := 0
	for e, err := range m.Store.Tail(ctx, last) {
		if err != nil {
			return nil, err
		}
		if e.Seq >= end || e.At >= before || a.Last-last >= mostEntries || size >= mostBytes {
			break
		}
		if e.Seq != a.Last+1 || !bytes.Equal(e.Sum(hash), e.Hash) {
			return nil, fmt.Errorf("%w: %w; nothing was archived", store.ErrDamaged, &store.BrokenChain{Seq: a.Last + 1, Why: "it is missing, or its hash does not follow from its content and the entry before"})
		}
		if err := w.add(&e); err != nil {
			return nil, fmt.Errorf("write the archive: %w", err)
		}
		if a.Last == last {
			a.FirstAt = e.At
		}
		a.Last, a.LastAt, a.Hash, hash = e.Seq, e.At, e.Hash, e.Hash
		size += len(e.Body)
		if m.Watch != nil {
			m.Watch(a.Last-last, 0)
		}
	}
	if a.Index, a.Size, err = w.finish(); err != nil {
		return nil, fmt.Errorf("write the archive: %w", err)
	}
	a.Digest = sum.Sum(nil)
	return a, nil
}

// adopt finds a file that somebody finished and did not live to record: it begins where
// the next one must, follows, and ends before what a start needs.
func (m *Mover) adopt(ctx context.Context, last int64, hash []byte, end int64) *store.Archive {
	found, err := filepath.Glob(filepath.Join(m.Dir, fmt.Sprintf("log-%012d-*.jsonl.gz", last+1)))
	if err != nil {
		return nil // the pattern is a good one
	}
	for _, path := range found {
		if a, err := describeFile(path, hash); err == nil && a.First == last+1 && a.Last < end && m.has(ctx, a) {
			return a
		}
	}
	return nil
}

// has reports whether the last entry of a file is that of the store.
func (m *Mover) has(ctx context.Context, a *store.Archive) bool {
	for e, err := range m.Store.Tail(ctx, a.Last-1) {
		return err == nil && e.Seq == a.Last && bytes.Equal(e.Hash, a.Hash)
	}
	return false
}

// old reports whether an entry was made before a time. If it cannot be read, who reads
// from there on says why.
func (m *Mover) old(ctx context.Context, seq, before int64) bool {
	for e, err := range m.Store.Tail(ctx, seq-1) {
		return err != nil || e.At < before
	}
	return false
}

// sweep removes what leaders before this one have not finished. One of them that is at
// work still cannot record anything any more.
func (m *Mover) sweep(term int64) {
	left, err := filepath.Glob(filepath.Join(m.Dir, tempPrefix+"*"))
	if err != nil {
		return // the pattern is a good one
	}
	for _, path := range left {
		var of int64
		if _, err := fmt.Sscanf(strings.TrimPrefix(filepath.Base(path), tempPrefix), "%d-", &of); err == nil && of < term {
			os.Remove(path) // the next one tries again
		}
	}
}

// shed removes entries up to one from the store, bite by bite.
func (m *Mover) shed(ctx context.Context, last int64) (removed int64, err error) {
	first, err := m.Store.Oldest(ctx)
	if err != nil || first == 0 || first > last {
		return 0, err
	}
	var s store.Shed
	n, size := int64(0), 0
	for e, err := range m.Store.Tail(ctx, first-1) {
		if err != nil {
			return removed, err
		}
		note(&s, &e)
		n++
		size += len(e.Body)
		if e.Seq < last && n < biteEntries && size < biteBytes {
			continue
		}
		if err = m.bite(ctx, s); err != nil {
			return removed, err
		}
		removed += n
		s, n, size = store.Shed{}, 0, 0
		if m.Watch != nil {
			m.Watch(0, removed)
		}
		if e.Seq >= last {
			break
		}
	}
	return removed, nil
}

func (m *Mover) bite(ctx context.Context, s store.Shed) error {
	began := m.now()
	if err := m.Store.Shed(ctx, s); err != nil {
		return err
	}
	if err := m.at("bitten"); err != nil {
		return err
	}
	return rest(ctx, m.now().Sub(began))
}

func (m *Mover) now() (t time.Time) {
	if m.Clock != nil {
		t = m.Clock()
	}
	return t
}

func rest(ctx context.Context, long time.Duration) error {
	if long <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, fs.ErrInvalid) { // a file system that has nothing to sync there
		err = nil
	}
	return errors.Join(err, dir.Close())
}
