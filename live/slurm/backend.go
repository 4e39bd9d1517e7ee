package slurm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/store"
)

// Fleet is the market as its nodes see it, and the little more that a backend
// needs of it.
type Fleet interface {
	Hello(ctx context.Context, h task.Hello) (task.Welcome, error)
	// Wanted is what a node should be doing, without whole orders: see [controller.Controller.Wanted].
	Wanted(ctx context.Context, node string, after int64, wait time.Duration) (task.Desired, []dispatch.Want, error)
	Report(ctx context.Context, r task.Report) (task.Reply, error)
	Chunk(ctx context.Context, node, id string, c task.Chunk) error
	// Lose says that a node is gone.
	Lose(ctx context.Context, node, why string) error
	// Turn closes a node to new jobs, or opens it; those that it has run on. It is said with it
	// from when on the node is somebody else's, in microseconds; 0: of nobody that is known.
	Turn(ctx context.Context, node string, door trade.Door, why string, aheadUS int64) error
	// Withhold says how many GPUs of a node others hold, who are none of the market's.
	Withhold(ctx context.Context, node string, gpus int) error
}

// Notes are what a backend remembers; a [store.Notes] keeps them.
type Notes interface {
	Note(ctx context.Context, kind, key string) (store.Note, bool, error)
	Notes(ctx context.Context, kind string) ([]store.Note, error)
	PutNotes(ctx context.Context, notes []store.Note) error
	DropNotes(ctx context.Context, kind string, keys []string) error
}

// Control says who holds Slurm's jobs to their shares.
type Control string

// The ways to control shares.
const (
	Agents Control = "agents" // a control-only agent on every node
	None   Control = "none"   // nobody: jobs have whole processors
)

// Config is how a backend works. The zero value of a time is its default.
type Config struct {
	Partition string // several with commas between them
	Control   Control
	Now       func() time.Time
	Log       *slog.Logger
	Leads     func() error // why another controller could lead by now, if one could; nil: none could
	Desk      Desk         // where guests are dealt with; nil: nowhere
	Line      Line         // where jobs wait that have a stand-in in Slurm; nil: none has
	Doors     Doors        // where those wait who want to be let in; nil: nowhere
	Anew      Anew         // where jobs are handed in anew that their users put back; nil: none can be
	Path      string       // where jobs look for programs, unless they say; empty: where they are usually

	Busy    time.Duration // between two looks at Slurm while there are jobs
	Idle    time.Duration // and while there are none
	Grace   time.Duration // what is gone from Slurm is believed after this
	Settle  time.Duration // how long a lost answer may still take effect
	Last    time.Duration // how long the last word of an agent is waited for
	Workers int           // calls to Slurm at a time
}

func (c *Config) defaults() {
	for _, d := range []struct {
		at    *time.Duration
		value time.Duration
	}{{&c.Busy, time.Second}, {&c.Idle, 10 * time.Second}, {&c.Grace, 10 * time.Second}, {&c.Settle, 5 * time.Second}, {&c.Last, 3 * time.Second}} {
		if *d.at <= 0 {
			*d.at = d.value
		}
	}
	if c.Desk != nil { // somebody may wait for a price
		c.Idle = min(c.Idle, 2*time.Second)
	}
	if c.Workers <= 0 {
		c.Workers = 32
	}
	if c.Path == "" {
		c.Path = defaultPath
	}
	if c.Control == "" {
		c.Control = Agents
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// Backend runs the market's jobs on Slurm. Make one with [New] and let it [Run].
type Backend struct {
	cfg   Config
	fleet Fleet
	slurm client.Slurm
	notes Notes
	identity

	slots   chan struct{} // calls to Slurm under way
	acts    *crew         // actions under way
	keep    *keeper
	wake    chan struct{} // something has changed: decide
	pollNow chan struct{} // ask Slurm soon
	going   sync.WaitGroup
	ctx     context.Context // of Run: what is under way ends with it

	mu        sync.Mutex
	runs      map[runKey]*run
	attempts  map[int64][]*run // of these, by job
	byBatch   map[int64]*run   // by the number in Slurm
	suspends  map[int64]bool   // jobs that Slurm has suspended, as it was listed last
	resumed   map[int64]bool   // jobs that it has resumed since
	dirty     map[*run]bool
	numbers   numbers
	nodes     map[string]*node
	claims    claims
	gate      gate
	ushers    ushers
	aside     aside
	guests    guests
	standIns  standIns
	putBacks  map[int64]*putBack  // by number in Slurm
	backSince map[int64]time.Time // when they were forgotten
	strays    map[int64]time.Time // jobs of ours that nobody wants, and when they were cancelled last
	good      time.Time           // since then Slurm has answered every time; zero: it does not
	silent    time.Time           // when Slurm last did not answer, or so late that another slurmctld may have
	listings  int
	listed    time.Time     // when the last good listing was begun
	knows     bool          // the nodes of the partition have been listed
	looking   sync.Mutex    // one looks at the nodes
	looked    time.Time     // when that was begun last, or was given up
	asking    chan struct{} // one asks what is reserved because of a request
	polled    time.Duration
	taken     int // submissions that Slurm has accepted
}

// New reads back what an earlier backend has remembered. It does nothing yet.
func New(ctx context.Context, cfg Config, market Fleet, slurm client.Slurm, notes Notes) (*Backend, error) {
	cfg.defaults()
	b := &Backend{
		cfg: cfg, fleet: market, slurm: slurm, notes: notes,
		slots: make(chan struct{}, cfg.Workers),
		wake:  make(chan struct{}, 1), pollNow: make(chan struct{}, 1), keep: newKeeper(notes),
		runs: map[runKey]*run{}, attempts: map[int64][]*run{}, byBatch: map[int64]*run{}, resumed: map[int64]bool{}, dirty: map[*run]bool{}, nodes: map[string]*node{}, strays: map[int64]time.Time{}, claims: claims{}, numbers: numbers{of: map[int64]runKey{}}, putBacks: map[int64]*putBack{}, backSince: map[int64]time.Time{},
	}
	b.ushers = ushers{known: map[int64]*caller{}, again: make(chan struct{}, 1), let: make(chan struct{}, usherMost)}
	b.silent, b.asking = cfg.Now(), make(chan struct{}, 1)
	b.acts = newCrew(8*cfg.Workers, &b.going)
	if err := b.restore(ctx); err != nil {
		return nil, fmt.Errorf("slurm: %w", err)
	}
	return b, nil
}

// random is a word that nobody can guess.
func random(bytes int) string {
	word := make([]byte, bytes)
	_, _ = rand.Read(word) // never fails
	return hex.EncodeToString(word)
}
