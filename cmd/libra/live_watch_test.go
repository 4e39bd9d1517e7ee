package main

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// Watching writes a listing again when it has changed, and ends well when the
// user has seen enough.
func TestWatchInAPipe(t *testing.T) {
	f := newFloor()
	f.Put(v1.Job{ID: 1, Owner: "alice", Name: "x", State: v1.Running})
	open(t, f, v1.RoleUser)
	patience(t, 5*time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &turning{turns: []func(){
		func() { f.Put(v1.Job{ID: 1, Owner: "alice", Name: "x", State: v1.Completed}) },
		func() { f.Fail(trade.ErrConflict) },
		cancel,
	}}
	var said bytes.Buffer
	if code := run(ctx, []string{"jobs", "--watch"}, strings.NewReader(""), out, &said); code != exitOK || said.Len() > 0 {
		t.Errorf("exit code %d, said %q", code, said.String())
	}
	text := out.text.String()
	if strings.Count(text, "job  name") != 3 || strings.Index(text, "running") > strings.Index(text, "completed") ||
		!strings.HasSuffix(text, "no answer: "+trade.ErrConflict.Error()+"\n") || strings.Contains(text, "\x1b") {
		t.Errorf("got\n%s", text)
	}
}

// turning is an output at which something happens each time that a word begins it.
type turning struct {
	text  strings.Builder
	word  string // default: job, as tables do
	turns []func()
}

func (o *turning) Write(p []byte) (int, error) {
	n, err := o.text.Write(p)
	if bytes.HasPrefix(p, []byte(cmp.Or(o.word, "job"))) && len(o.turns) > 0 {
		o.turns[0]()
		o.turns = o.turns[1:]
	}
	return n, err
}

func TestFrame(t *testing.T) {
	if got, want := frame("a\nb\n", 0), "\x1b[Ha\x1b[K\nb\x1b[K\x1b[J"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := frame("a\nb\nc\nd\n", 3); !strings.Contains(got, "b") || strings.Contains(got, "c\x1b") || !strings.Contains(got, "... and 2 lines more") {
		t.Errorf("got %q", got)
	}
}

// Colours leave the columns where they are.
func TestBoard(t *testing.T) {
	b := &board{grid: grid{left: 1}}
	b.row(headLook, "job", "price")
	b.row(plainLook, "1", "2.00")
	b.row(badLook, "12", "0.50")
	var plain, coloured bytes.Buffer
	if err := b.paint(&plain, false); err != nil {
		t.Fatal(err)
	}
	if err := b.paint(&screen{to: &coloured}, true); err != nil {
		t.Fatal(err)
	}
	if want := "job  price\n1     2.00\n12    0.50\n"; plain.String() != want {
		t.Errorf("got %q, want %q", plain.String(), want)
	}
	if want := "\x1b[1mjob  price\x1b[0m\n1     2.00\n\x1b[31m12    0.50\x1b[0m\n"; coloured.String() != want {
		t.Errorf("got %q, want %q", coloured.String(), want)
	}
}

func TestLiveWords(t *testing.T) {
	still(t)
	for _, c := range []struct{ got, want string }{
		{bare(0), "0.00"},
		{bare(-1_250_000), "-1.25"},
		{bare(1_234_567_000_000), "1,234,567.00"},
		{bare(1), "<0.01"},
		{lasting(90 * time.Second), "1m30s"},
		{lasting(1500 * time.Millisecond), "2s"},
		{lasting(20 * time.Millisecond), "20ms"},
		{lasting(50 * time.Hour), "2d2h"},
		{lasting(-time.Minute), "-1m"},
		{moment(0), "-"},
		{moment(micro(time.Hour)), "13:00:00"},
		{moment(micro(24 * time.Hour)), "2126-11-16 12:00:00 UTC"},
		{momentAnd(micro(-time.Minute)), "11:59:00 (1m ago)"},
		{untilWords(micro(-time.Minute)), "too late: it expired at 11:59:00"},
		{meter(0.44, 10), "####......"},
		{meter(7, 4), "####"},
		{meter(-1, 4), "...."},
		{shellWord("a b"), "'a b'"},
		{shellWord("it's"), `'it'\''s'`},
		{shellWord(""), "''"},
		{shellWord("http://x:1/y"), "http://x:1/y"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
