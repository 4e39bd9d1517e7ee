package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
)

func (s *memory) Txs(ctx context.Context, q TxQuery) iter.Seq2[Tx, error] {
	return func(yield func(Tx, error) bool) {
		if err := checkTexts(q.Account); err != nil {
			yield(Tx{}, fmt.Errorf("transactions: %w", err))
			return
		}
		c, err := s.begin(ctx, "transactions")
		if err != nil {
			yield(Tx{}, err)
			return
		}
		all := slices.Clone(c.txs)
		s.end()
		for i := range all {
			if all[i].matches(&q) && !yield(all[i], nil) {
				return
			}
		}
	}
}

func (t *Tx) matches(q *TxQuery) bool {
	touches := q.Account == "" || slices.ContainsFunc(t.Postings, func(p Posting) bool {
		return p.Account == q.Account || q.Subtree && below(p.Account, q.Account)
	})
	return touches && t.Seq > q.AfterSeq && (q.From == 0 || t.At >= q.From) && (q.To == 0 || t.At < q.To)
}

func (s *memory) Reply(ctx context.Context, owner, key string) (Reply, bool, error) {
	if err := checkKeys(owner, key); err != nil {
		return Reply{}, false, fmt.Errorf("reply: %w", err)
	}
	c, err := s.begin(ctx, "reply")
	if err != nil {
		return Reply{}, false, err
	}
	defer s.end()
	r, found := c.replies[ReplyKey{owner, key}]
	return r, found, nil
}

func (s *memory) ReplyKeys(ctx context.Context) iter.Seq2[ReplyKey, error] {
	return func(yield func(ReplyKey, error) bool) {
		c, err := s.begin(ctx, "keys of replies")
		if err != nil {
			yield(ReplyKey{}, err)
			return
		}
		keys := slices.SortedFunc(maps.Keys(c.replies), func(a, b ReplyKey) int {
			return cmp.Or(cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Key, b.Key))
		})
		s.end()
		for _, k := range keys {
			if !yield(k, nil) {
				return
			}
		}
	}
}

func (s *memory) ForgetReplies(ctx context.Context, before int64) error {
	c, err := s.begin(ctx, "forget replies")
	if err != nil {
		return err
	}
	defer s.end()
	maps.DeleteFunc(c.replies, func(_ ReplyKey, r Reply) bool { return r.At < before })
	return nil
}

func (s *memory) AddToken(ctx context.Context, t Token) error {
	if err := checkKeys(t.User, t.Role, t.Name); err != nil {
		return fmt.Errorf("add token: %w", err)
	}
	if len(t.Hash) == 0 {
		return fmt.Errorf("add token: %w: it has no hash", ErrInvalid)
	}
	c, err := s.begin(ctx, "add token")
	if err != nil {
		return err
	}
	defer s.end()
	if _, known := c.tokens[string(t.Hash)]; known {
		return fmt.Errorf("add token: %w", ErrExists)
	}
	t.Hash = bytes.Clone(t.Hash)
	c.tokens[string(t.Hash)] = t
	return nil
}

func (s *memory) Token(ctx context.Context, hash []byte) (Token, bool, error) {
	c, err := s.begin(ctx, "token")
	if err != nil {
		return Token{}, false, err
	}
	defer s.end()
	t, found := c.tokens[string(hash)]
	return t, found, nil
}

func (s *memory) Tokens(ctx context.Context, user string) ([]Token, error) {
	if err := checkTexts(user); err != nil {
		return nil, fmt.Errorf("tokens: %w", err)
	}
	c, err := s.begin(ctx, "tokens")
	if err != nil {
		return nil, err
	}
	defer s.end()
	var found []Token
	for _, t := range c.tokens {
		if user == "" || t.User == user {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b Token) int {
		return cmp.Or(cmp.Compare(a.Created, b.Created), bytes.Compare(a.Hash, b.Hash))
	})
	return found, nil
}

func (s *memory) UseToken(ctx context.Context, hash []byte, at int64) error {
	return s.changeToken(ctx, "use token", hash, func(t *Token) { t.Used = max(t.Used, at) }, nil)
}

func (s *memory) RevokeToken(ctx context.Context, hash []byte) error {
	return s.changeToken(ctx, "revoke token", hash, func(t *Token) { t.Revoked = true }, ErrUnknown)
}

func (s *memory) changeToken(ctx context.Context, what string, hash []byte, change func(*Token), unknown error) error {
	c, err := s.begin(ctx, what)
	if err != nil {
		return err
	}
	defer s.end()
	t, found := c.tokens[string(hash)]
	if !found {
		if unknown != nil {
			return fmt.Errorf("%s: %w", what, unknown)
		}
		return nil
	}
	change(&t)
	c.tokens[string(hash)] = t
	return nil
}

func (s *memory) Meta(ctx context.Context, key string) (string, bool, error) {
	if err := checkKeys(key); err != nil {
		return "", false, fmt.Errorf("meta: %w", err)
	}
	c, err := s.begin(ctx, "meta")
	if err != nil {
		return "", false, err
	}
	defer s.end()
	value, found := c.meta[key]
	return value, found, nil
}

func (s *memory) SetMeta(ctx context.Context, key, value string) error {
	if err := cmp.Or(checkKeys(key), checkTexts(value)); err != nil {
		return fmt.Errorf("meta: %w", err)
	}
	c, err := s.begin(ctx, "meta")
	if err != nil {
		return err
	}
	defer s.end()
	c.meta[key] = value
	return nil
}

func (s *memory) Generation(ctx context.Context) (string, error) {
	c, err := s.begin(ctx, "generation")
	if err != nil {
		return "", err
	}
	defer s.end()
	return c.generation, nil
}

func (s *memory) Note(ctx context.Context, kind, key string) (Note, bool, error) {
	if err := checkKeys(kind, key); err != nil {
		return Note{}, false, fmt.Errorf("note: %w", err)
	}
	c, err := s.begin(ctx, "note")
	if err != nil {
		return Note{}, false, err
	}
	defer s.end()
	n, found := c.notes[[2]string{kind, key}]
	return n, found, nil
}

func (s *memory) Notes(ctx context.Context, kind string) ([]Note, error) {
	if err := checkKeys(kind); err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	c, err := s.begin(ctx, "notes")
	if err != nil {
		return nil, err
	}
	defer s.end()
	var found []Note
	for at, n := range c.notes {
		if at[0] == kind {
			found = append(found, n)
		}
	}
	slices.SortFunc(found, func(a, b Note) int { return cmp.Compare(a.Key, b.Key) })
	return found, nil
}

func (s *memory) PutNotes(ctx context.Context, notes []Note) error {
	for i := range notes {
		if err := checkKeys(notes[i].Kind, notes[i].Key); err != nil {
			return fmt.Errorf("put notes: %w", err)
		}
	}
	c, err := s.begin(ctx, "put notes")
	if err != nil {
		return err
	}
	defer s.end()
	for _, n := range notes {
		n.Body = none(bytes.Clone(n.Body))
		c.notes[[2]string{n.Kind, n.Key}] = n
	}
	return nil
}

func (s *memory) DropNotes(ctx context.Context, kind string, keys []string) error {
	c, err := s.begin(ctx, "drop notes")
	if err != nil {
		return err
	}
	defer s.end()
	for _, key := range keys {
		delete(c.notes, [2]string{kind, key})
	}
	return nil
}

// Lead waits until nobody else leads.
func (s *memory) Lead(ctx context.Context) (<-chan struct{}, func(), error) {
	for {
		lost, release, wait, err := s.tryLead(ctx)
		if wait == nil {
			return lost, release, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("lead: %w", ctx.Err())
		case <-s.closed:
			return nil, nil, fmt.Errorf("lead: %w", ErrClosed)
		}
	}
}

// TryLead leads if nobody else does.
func (s *memory) TryLead(ctx context.Context) (<-chan struct{}, func(), error) {
	lost, release, _, err := s.tryLead(ctx)
	return lost, release, err
}

func (s *memory) tryLead(ctx context.Context) (lost <-chan struct{}, release func(), wait <-chan struct{}, err error) {
	if _, err = s.begin(ctx, "lead"); err != nil {
		return nil, nil, nil, err
	}
	defer s.end()
	if s.on.leader != nil {
		return nil, nil, s.on.free, fmt.Errorf("lead: %w", &Taken{PID: os.Getpid(), Where: "memory"})
	}
	mine := make(chan struct{})
	s.on.leader, s.lost = s, mine
	s.on.term++
	return mine, func() { s.release(mine) }, nil, nil
}

// Leads is the term of the lead, if this store has it.
func (s *memory) Leads() (int64, error) {
	s.on.mu.Lock()
	defer s.on.mu.Unlock()
	if s.on.leader != s {
		return 0, ErrDeposed
	}
	return s.on.term, nil
}

// release gives up the lead, if it is still this one.
func (s *memory) release(mine chan struct{}) {
	s.on.mu.Lock()
	defer s.on.mu.Unlock()
	if s.on.leader != s || s.lost != mine {
		return
	}
	s.on.leader = nil
	close(mine)
	close(s.on.free)
	s.on.free = make(chan struct{})
}

func (s *memory) Close() error {
	s.once.Do(func() { close(s.closed) })
	s.on.mu.Lock()
	mine := s.lost
	s.on.mu.Unlock()
	if mine != nil {
		s.release(mine)
	}
	return nil
}
