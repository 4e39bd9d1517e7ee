package controller_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
)

// Two agents of one name do not both do what the node is told: the one that was
// there first keeps its seat, across a restart of the controller too, until it has
// been silent for longer than a lease.
func TestANodeHasOneAgent(t *testing.T) {
	var ahead atomic.Int64
	f := open(t, func(cfg *controller.Config) {
		cfg.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	hello := task.Hello{Node: "n2", Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1 << 10, DiskMB: 1 << 10, Boot: "b", Seat: "one"}
	other := hello
	other.Seat = "two"
	if _, err := f.Hello(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	refused := func(when string) {
		t.Helper()
		if _, err := f.Hello(t.Context(), other); !errors.Is(err, trade.ErrConflict) {
			t.Errorf("%s the other registers: %v", when, err)
		}
		if _, err := f.Report(t.Context(), task.Report{Node: "n2", Seat: "two"}); !errors.Is(err, trade.ErrConflict) {
			t.Errorf("%s the other reports: %v", when, err)
		}
		if _, err := f.Report(t.Context(), task.Report{Node: "n2", Seat: "one"}); err != nil {
			t.Errorf("%s the first reports: %v", when, err)
		}
	}
	refused("at first")
	f.restart()
	refused("after a restart")
	ahead.Store(int64(f.cfg.Lease*2 + time.Minute))
	if _, err := f.Hello(t.Context(), other); err != nil {
		t.Errorf("when the first has been silent: %v", err)
	}
	if _, err := f.Report(t.Context(), task.Report{Node: "n2", Seat: "one"}); !errors.Is(err, trade.ErrConflict) {
		t.Errorf("the first is back: %v", err)
	}
}

// Where an agent sits is a word, and not a place to keep megabytes: it is kept with the
// node, and whoever comes from elsewhere is told.
func TestASeatIsAWord(t *testing.T) {
	f := open(t, nil)
	long := strings.Repeat("x", 1<<20)
	wrong := func(what string, err error) {
		t.Helper()
		if _, is := errors.AsType[*trade.FieldError](err); !is || len(err.Error()) > 1<<10 {
			t.Errorf("%s: %.200v", what, err)
		}
	}
	hello := task.Hello{Node: "n2", Processors: 2, Rating: 1, Speed: 1, MemoryMB: 1 << 10, DiskMB: 1 << 10, Boot: "b", Seat: long}
	_, err := f.Hello(t.Context(), hello)
	wrong("a hello of a new node", err)
	hello.Seat = "one"
	have(f.Hello(t.Context(), hello))(t)
	hello.Seat = long
	_, err = f.Hello(t.Context(), hello)
	wrong("a hello", err)
	_, err = f.Report(t.Context(), task.Report{Node: "n2", Seat: long})
	wrong("a report", err)
}

// A node that says again what it said before costs the store nothing, and one that
// never joined is not heard.
func TestAHelloIsWrittenDownOnce(t *testing.T) {
	f := open(t, nil)
	f.hello("n2", 2)
	entries := func() int64 {
		v, err := f.VerifyLedger(t.Context())
		if err != nil || v.Problem != "" {
			t.Fatal(v, err)
		}
		return v.Entries
	}
	before := entries()
	for range 20 {
		f.hello("n2", 2)
	}
	if after := entries(); after != before {
		t.Errorf("%d entries for nothing", after-before)
	}
	if _, err := f.Report(t.Context(), task.Report{Node: "nobody"}); !errors.Is(err, trade.ErrUnknown) {
		t.Errorf("a node that never joined reports: %v", err)
	}
	if _, err := f.Desired(t.Context(), "nobody", -1, 0); !errors.Is(err, trade.ErrUnknown) {
		t.Errorf("and asks: %v", err)
	}
}
