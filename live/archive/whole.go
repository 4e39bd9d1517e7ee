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
	"iter"
	"os"
	"path/filepath"
	"sort"

	"github.com/libra-market/libra/live/store"
)

// Whole is a store whose log is read from the files in a directory too.
func Whole(s store.Store, dir string) store.Store {
	return &struct {
		keptStore
		files
	}{keptStore{s}, files{s, dir}}
}

// WholePast is the past of a store, with the files in a directory.
func WholePast(p store.PastCloser, dir string) store.PastCloser {
	return &struct {
		keptPast
		files
	}{keptPast{p}, files{p, dir}}
}

// A keptStore and a keptPast are one level deeper than the files beside them, whose
// methods therefore stand before theirs.
type (
	keptStore struct{ store.Store }
	keptPast  struct{ store.PastCloser }
)

// files are the archives of a log in a directory.
type files struct {
	log store.Log
	dir string
}

// Tail yields entries from the files and then from the store. While it reads, more of
// the log may move into files: it goes on there.
func (f files) Tail(ctx context.Context, after int64) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for known := int64(-1); ; {
			all, err := f.log.Archived(ctx)
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			last := int64(0)
			for i := range all {
				last = all[i].Last
				for after < last {
					before := after
					for e, err := range f.entries(&all[i], after) {
						if !yield(e, err) || err != nil {
							return
						}
						after = e.Seq
					}
					if after == before {
						yield(store.Entry{}, fmt.Errorf("%s: %w: entry %d is not in it", all[i].File, ErrBad, after+1))
						return
					}
				}
			}
			moved := false
			for e, err := range f.log.Tail(ctx, after) {
				if moved = errors.Is(err, store.ErrArchived) && last > known; moved {
					break
				}
				if !yield(e, err) || err != nil {
					return
				}
				after = e.Seq
			}
			if !moved {
				return
			}
			known = last
		}
	}
}

// open opens the file of an archive.
func (f files) open(a *store.Archive) (*os.File, error) {
	file, err := os.Open(filepath.Join(f.dir, a.File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: entries %d to %d, in %s, which is not in %s: put it there, or name the directory where it is", store.ErrArchived, a.First, a.Last, a.File, f.dir)
	}
	return file, err
}

// entries yields those of a file after one, from the stream on in which the next is.
func (f files) entries(a *store.Archive, after int64) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		fail := func(err error) { yield(store.Entry{}, fmt.Errorf("%s: %w", a.File, err)) }
		file, err := f.open(a)
		if err != nil {
			yield(store.Entry{}, err)
			return
		}
		defer file.Close()
		r, err := seek(file, a, after+1)
		if err != nil {
			fail(err)
			return
		}
		next := int64(-1)
		for {
			e, end, err := r.next()
			switch {
			case err != nil:
				fail(err)
				return
			case end != nil:
				return
			case next >= 0 && e.Seq != next:
				fail(fmt.Errorf("%w: entry %d comes where %d should", ErrBad, e.Seq, next))
				return
			}
			next = e.Seq + 1
			if e.Seq > after && !yield(e, nil) {
				return
			}
		}
	}
}

// seek begins to read where an entry is.
func seek(file *os.File, a *store.Archive, seq int64) (*reader, error) {
	if seq > a.First {
		if _, err := file.Seek(a.Index, io.SeekStart); err != nil {
			return nil, err
		}
		r, err := newReader(file)
		if err != nil {
			return nil, err
		}
		_, end, err := r.next()
		if err != nil || end == nil || len(end.Index) == 0 {
			return nil, errors.Join(fmt.Errorf("%w: its end is not where it should be", ErrBad), err)
		}
		at := max(1, sort.Search(len(end.Index), func(i int) bool { return end.Index[i][0] > seq })) - 1
		if _, err = file.Seek(end.Index[at][1], io.SeekStart); err != nil {
			return nil, err
		}
		return newReader(file)
	}
	r, err := newReader(file)
	if err == nil {
		_, err = r.head()
	}
	return r, err
}

// VerifyLog reads the files that are there, and then the log in the store. A file that
// is not there is taken for what the store says of it; one that is another is not.
func (f files) VerifyLog(ctx context.Context) (int64, error) {
	all, err := f.log.Archived(ctx)
	if err != nil {
		return 0, err
	}
	var hash []byte
	for i := range all {
		a := &all[i]
		if err = ctx.Err(); err != nil {
			return a.First - 1, err
		}
		err = verifyFile(filepath.Join(f.dir, a.File), a, hash)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return a.First - 1, &store.BrokenChain{Seq: a.First, Why: err.Error()}
		}
		hash = a.Hash
	}
	return f.log.VerifyLog(ctx)
}

// Unread is the last entry of the last file that is not there.
func (f files) Unread(ctx context.Context) (int64, error) {
	all, err := f.log.Archived(ctx)
	unread := int64(0)
	for i := range all {
		if _, missing := os.Stat(filepath.Join(f.dir, all[i].File)); missing != nil {
			unread = all[i].Last
		}
	}
	return unread, err
}

// verifyFile checks that a file is the one that is recorded, and that its entries follow
// from one with a hash.
func verifyFile(path string, want *store.Archive, before []byte) error {
	got, err := describeFile(path, before)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(got.Digest, want.Digest) || got.Size != want.Size:
		return fmt.Errorf("%s: %w: its checksum is another", filepath.Base(path), ErrBad)
	case got.First != want.First || got.Last != want.Last || !bytes.Equal(got.Hash, want.Hash):
		return fmt.Errorf("%s: %w: it has entries %d to %d and should have %d to %d", filepath.Base(path), ErrBad, got.First, got.Last, want.First, want.Last)
	}
	return nil
}

// describeFile reads a file, all of it, and says what it is. Its entries must follow
// from one with a hash.
func describeFile(path string, before []byte) (*store.Archive, error) {
	a, err := readWhole(path, before)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return a, nil
}

func readWhole(path string, before []byte) (*store.Archive, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	all := &counter{to: sum}
	r, err := newReader(io.TeeReader(file, all))
	if err != nil {
		return nil, err
	}
	head, err := r.head()
	if err != nil {
		return nil, err
	}
	if head.Before != hex.EncodeToString(before) {
		return nil, fmt.Errorf("%w: it follows on another entry %d", ErrBad, head.First-1)
	}
	a := &store.Archive{First: head.First, Last: head.First - 1, File: filepath.Base(path)}
	for {
		e, end, err := r.next()
		if err != nil {
			return nil, err
		}
		if end != nil {
			if end.Last != a.Last || a.Last < a.First {
				return nil, fmt.Errorf("%w: it ends at entry %d and should at %d", ErrBad, a.Last, end.Last)
			}
			a.Index = end.At
			break
		}
		if e.Seq != a.Last+1 || !bytes.Equal(e.Sum(before), e.Hash) {
			return nil, fmt.Errorf("%w: %w", ErrBad, &store.BrokenChain{Seq: a.Last + 1, Why: "it is missing, or its hash does not follow from its content and the entry before"})
		}
		if a.Last < a.First {
			a.FirstAt = e.At
		}
		a.Last, a.LastAt, a.Hash, before = e.Seq, e.At, e.Hash, e.Hash
	}
	a.Size, a.Digest = all.n, sum.Sum(nil)
	return a, nil
}
