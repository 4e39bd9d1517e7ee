package ledger

import (
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// replay is a log to be read.
func replay(log []Tx) iter.Seq2[Tx, error] {
	return func(yield func(Tx, error) bool) {
		for _, tx := range log {
			if !yield(tx, nil) {
				return
			}
		}
	}
}

// forge gives all transactions from the place on the hashes they would have if
// they had been written so.
func forge(log []Tx, place int) {
	for i := place; i < len(log); i++ {
		before := Hash{}
		if i > 0 {
			before = log[i-1].Hash
		}
		log[i].Hash = log[i].Sum(before)
	}
}

func copied(log []Tx) []Tx {
	log = slices.Clone(log)
	for i := range log {
		log[i].Postings = slices.Clone(log[i].Postings)
	}
	return log
}

// life is a log with every kind of transaction in it:
//
//	1 open 2-4 grant 5 limit 6 hold 7 raise 8 capture 9 penalty 10 refund
//	11 hold 12 release 13 transfer 14 open 15 close
func life(t testing.TB) *book {
	b := family(t)
	b.do(b.SetLimit(march, "org", 5000))
	b.do(b.Hold(march, 7, "org/proj/ann", 50))
	b.do(b.Raise(march, 7, 100))
	b.do(b.Charge(march+1, 7, 120))
	b.do(b.Penalty(march+1, 7, "org/proj/ann", 9))
	b.do(b.Refund(march+2, 7, "org/proj/ann", 1, "rounding"))
	b.do(b.Hold(march+2, 8, "org/proj/ann", 5))
	b.do(b.Release(march+3, 8))
	b.do(b.Transfer(march+3, "org", "org/proj", 10, "top up"))
	b.do(b.Open(march+4, "org/proj/bob"))
	b.do(b.Close(march+5, "org/proj/bob"))
	return b
}

func TestVerifyFollowsTheLog(t *testing.T) {
	b := life(t)
	want := b.State()
	reached, err := Verify(State{}, replay(b.log), &want)
	if err != nil || !reflect.DeepEqual(reached, want) {
		t.Fatalf("reached %+v with %v, want %+v", reached, err, want)
	}
	// From any state on the way, too.
	l := New()
	for i, tx := range b.log {
		if _, err := Verify(l.State(), replay(b.log[i:]), &want); err != nil {
			t.Errorf("from transaction %d on: %v", i, err)
		}
		if err := l.Apply(tx); err != nil {
			t.Fatal(err)
		}
	}
	broken := errors.New("disk on fire")
	_, err = Verify(State{}, func(yield func(Tx, error) bool) { yield(Tx{}, broken) }, nil)
	if !errors.Is(err, broken) {
		t.Errorf("reading failed: %v", err)
	}
	if _, err = Verify(State{Seq: -1}, replay(nil), nil); !errors.Is(err, ErrState) {
		t.Errorf("from nowhere: %v", err)
	}
}

// TestVerifyFindsWhatWasWrittenWrong breaks the log at one place and hashes it
// anew, so that only the sums can tell.
func TestVerifyFindsWhatWasWrittenWrong(t *testing.T) {
	post := func(seq int64, postings ...Posting) func([]Tx) {
		return func(log []Tx) { log[seq-1].Postings = postings }
	}
	add := func(seq int64, posting int, amount market.Money) func([]Tx) {
		return func(log []Tx) { log[seq-1].Postings[posting].Amount += amount }
	}
	for name, c := range map[string]struct {
		wrong func([]Tx)
		seq   int64
		want  error
	}{
		"sum of a grant":        {add(2, 1, 1), 2, ErrSum},
		"sum that overflows":    {post(2, free(Mint, -1<<63), free("org", -1)), 2, ErrSum},
		"unknown account":       {post(2, free(Mint, -5), free("org/typo", 5)), 2, ErrForm},
		"unknown receiver":      {post(13, free("org", -5), free("nobody", 5)), 13, ErrUnknown},
		"hold of unknown money": {post(6, free("nobody", -5), held("nobody", 5)), 6, ErrUnknown},
		"hold of foreign money": {post(6, free(Owner, -5), held(Owner, 5)), 6, ErrForm},
		"hold downwards":        {post(6, free("org", -5), held("org", 5), free("org/proj", -5), held("org/proj", 5)), 6, ErrForm},
		"hold from held":        {post(6, held("org", 5), free("org", -5)), 6, ErrForm},
		"hold backwards":        {post(6, free("org", 5), held("org", -5)), 6, ErrForm},
		"hold overdrawn":        {post(6, free("org/proj/ann", -11), held("org/proj/ann", 11)), 6, ErrShort},
		"hold held":             {func(log []Tx) { log[6].Kind = KindHold }, 7, ErrHeld},
		"raise of nothing":      {post(7), 7, ErrForm},
		"raise by another":      {func(log []Tx) { log[6].Account = "org/proj" }, 7, ErrForm},
		"raise of no hold":      {func(log []Tx) { log[6].Job = 1 }, 7, ErrNoHold},
		"grant from the owner":  {post(2, free(Owner, -5), free("org", 5)), 2, ErrForm},
		"grant of less":         {post(2, free(Mint, 5), free("org", -5)), 2, ErrForm},
		"grant to held":         {post(2, free(Mint, -5), held("org", 5)), 2, ErrForm},
		"grant of nothing":      {post(2, free(Mint, 0), free("org", 0)), 2, ErrForm},
		"grant for a job":       {func(log []Tx) { log[1].Job = 1 }, 2, ErrForm},
		"transfer overdrawn":    {post(13, free("org", -1_000_000), free("org/proj", 1_000_000)), 13, ErrShort},
		"transfer by another":   {post(13, free("org/proj", -1), free("org", 1)), 13, ErrForm},
		"penalty by another":    {post(9, free("org", -5), free("org/proj/ann", 5)), 9, ErrForm},
		"capture beyond": {
			post(8, held("org/proj/ann", -11), held("org/proj", -100), held("org", -40), free(Owner, 151)), 8, ErrBeyondHold,
		},
		"capture that leaves some": {
			post(8, held("org/proj/ann", -9), held("org/proj", -100), held("org", -40), free(Owner, 149)), 8, ErrForm,
		},
		"capture that gives one another's": {
			post(8, held("org/proj/ann", -10), free("org/proj/ann", 30), held("org/proj", -100), held("org", -40), free(Owner, 120)), 8, ErrForm,
		},
		"capture that forgets a part": {post(8, held("org/proj/ann", -10), held("org/proj", -100), free(Owner, 110)), 8, ErrForm},
		"capture for a friend":        {func(log []Tx) { log[7].Postings[len(log[7].Postings)-1].Account = "org/proj/ann" }, 8, ErrForm},
		"capture for nobody":          {func(log []Tx) { log[7].Postings[len(log[7].Postings)-1].Account = "nobody" }, 8, ErrUnknown},
		"capture by another":          {func(log []Tx) { log[7].Account = "org" }, 8, ErrForm},
		"capture of another job":      {func(log []Tx) { log[7].Job = 6 }, 8, ErrNoHold},
		"capture called release":      {func(log []Tx) { log[7].Kind = KindRelease }, 8, ErrForm},
		"too many postings":           {func(log []Tx) { log[7].Postings = make([]Posting, 18) }, 8, ErrForm},
		"open with postings":          {post(14, free(Mint, -1), free("org", 1)), 14, ErrForm},
		"close with postings":         {post(15, free(Mint, -1), free("org", 1)), 15, ErrForm},
		"limit with postings":         {post(5, free(Mint, -1), free("org", 1)), 5, ErrForm},
		"a limit elsewhere":           {func(log []Tx) { log[1].Limit = 1 }, 2, ErrForm},
		"unknown kind":                {func(log []Tx) { log[1].Kind = "theft" }, 2, ErrForm},
		"unknown side":                {func(log []Tx) { log[1].Postings[0].Side = "left" }, 2, ErrForm},
		"time runs back":              {func(log []Tx) { log[9].At = march }, 10, ErrTime},
		"a gap":                       {func(log []Tx) { log[9].Seq = 11 }, 10, ErrGap},
		"never opened":                {func(log []Tx) { log[0].Account = "gro" }, 2, ErrUnknown},
	} {
		b := life(t)
		log := copied(b.log)
		c.wrong(log)
		forge(log, 0)
		_, err := Verify(State{}, replay(log), nil)
		var place *Break
		if !errors.As(err, &place) || place.Seq != c.seq || !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v at %d", name, err, c.want, c.seq)
		}
	}
}

func TestVerifyFindsALogThatLostSomething(t *testing.T) {
	b := life(t)
	want := b.State()
	for lost := range b.log {
		log := slices.Delete(copied(b.log), lost, lost+1)
		_, err := Verify(State{}, replay(log), &want)
		var place *Break
		if !errors.As(err, &place) {
			t.Fatalf("without transaction %d: %v", lost+1, err)
		}
		reason := ErrGap
		if lost == len(b.log)-1 {
			reason = ErrBalance // only the state that should be reached can tell
		}
		if !errors.Is(err, reason) {
			t.Errorf("without transaction %d: %v", lost+1, err)
		}
	}
}

func TestVerifyComparesWithTheGivenBalances(t *testing.T) {
	b := life(t)
	b.do(b.Hold(march+6, 9, "org", 3))
	b.do(b.Hold(march+6, 10, "org", 3))
	for name, wrong := range map[string]func(*State){
		"more money":       func(s *State) { s.Accounts[2].Free++ },
		"a missing one":    func(s *State) { s.Accounts = s.Accounts[:3] },
		"an unknown one":   func(s *State) { s.Accounts = append(s.Accounts, Account{Path: "x"}) },
		"a missing hold":   func(s *State) { s.Holds = s.Holds[:1] },
		"an unknown hold":  func(s *State) { s.Holds = append(s.Holds, Hold{Job: 99}) },
		"a different hold": func(s *State) { s.Holds[0].Parts[0].Amount++ },
		"another head":     func(s *State) { s.Hash[3]++ },
		"another number":   func(s *State) { s.Seq++ },
		"another time":     func(s *State) { s.At++ },
	} {
		claimed := b.State()
		wrong(&claimed)
		_, err := Verify(State{}, replay(b.log), &claimed)
		var place *Break
		if !errors.As(err, &place) || place.Seq != 17 || !errors.Is(err, ErrBalance) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestVerifyFindsEveryAlteredByte flips each bit of the log as it would be
// stored. What still reads as the same transactions is no alteration.
func TestVerifyFindsEveryAlteredByte(t *testing.T) {
	b := life(t)
	var lines [][]byte
	for _, tx := range b.log {
		line, err := json.Marshal(tx)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	tried := 0
	for place, line := range lines {
		for i := range line {
			for bit := range 8 {
				altered := slices.Clone(line)
				altered[i] ^= 1 << bit
				var tx Tx
				if json.Unmarshal(altered, &tx) != nil || reflect.DeepEqual(tx, b.log[place]) {
					continue
				}
				tried++
				log := slices.Clone(b.log)
				log[place] = tx
				_, err := Verify(State{}, replay(log), nil)
				var found *Break
				if !errors.As(err, &found) || found.Seq != int64(place+1) || !errors.Is(err, ErrHash) && !errors.Is(err, ErrGap) {
					t.Fatalf("%s instead of %s: %v", altered, line, err)
				}
			}
		}
	}
	if tried < 10_000 {
		t.Errorf("only %d alterations were tried", tried)
	}
}

const (
	stableFirst  = "8e2bd300c8f26a44612cf3762ff17baf1f619a0f162bfb97d5a655d624fd18c9"
	stableSecond = "6db353d49021737c28f84efd65c7ce1f14a59210c63a764226bf2093777c558a"
)

// TestTheEncodingIsStable pins the bytes: logs outlive programs. The hashes were
// computed from the description of the encoding by another program.
func TestTheEncodingIsStable(t *testing.T) {
	tx := Tx{
		Seq: 3, At: march, Kind: KindHold, Job: 7, Account: "org/proj/ann", Memo: "süß",
		Limit: NoLimit, Credit: 5, Postings: []Posting{free("org", -40), held("org", 40)},
	}
	if got := tx.Sum(Hash{}); got.String() != stableFirst {
		t.Errorf("first: %s", got)
	}
	if got := tx.Sum(tx.Sum(Hash{})); got.String() != stableSecond {
		t.Errorf("second: %s", got)
	}
}

func TestHashesAreReadStrictly(t *testing.T) {
	var h Hash
	for _, text := range []string{"", "00", strings.Repeat("0", 63), strings.Repeat("0", 65), strings.Repeat("g", 64)} {
		if err := h.UnmarshalText([]byte(text)); !errors.Is(err, ErrHash) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := h.UnmarshalText([]byte(stableFirst)); err != nil || h.String() != stableFirst {
		t.Errorf("%s: %v", h, err)
	}
}
