package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/libra-market/libra/lab/report"
	"github.com/libra-market/libra/lab/workload"
)

// Lab makes runs, several at a time. It remembers what it ran: figures that
// share a cell run it once. The zero value uses all processors.
type Lab struct {
	Workers  int // at most so many runs at a time; 0: one per processor
	Progress Progress

	mu   sync.Mutex
	done map[Cell]*report.Summary
}

// Progress is told how far a stage of the work has come. Calls follow one
// another; they never overlap.
type Progress func(stage string, done, total int64)

// Each calls work for 0 to n-1, several at a time, and waits for all of them.
// The first error, or the end of the context, stops it; of several errors the
// one of the lowest number is returned.
func (l *Lab) Each(ctx context.Context, stage string, n int, work func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := l.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var crew sync.WaitGroup
	finished := int64(0)
	errs := make([]error, n)
	l.progress(stage, 0, n)
	for range min(workers, n) {
		crew.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || ctx.Err() != nil {
					return
				}
				if errs[i] = attempt(ctx, i, work); errs[i] != nil {
					cancel()
					return
				}
				l.mu.Lock()
				finished++
				l.progress(stage, finished, n)
				l.mu.Unlock()
			}
		})
	}
	crew.Wait()
	return firstCause(errs, context.Cause(ctx))
}

// firstCause is the first error that is not only the echo of another's.
func firstCause(errs []error, ended error) error {
	var echo error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		echo = cmp.Or(echo, err)
	}
	return cmp.Or(echo, ended)
}

// attempt turns a broken invariant into an error: it would end the program on
// a goroutine that nobody recovers.
func attempt(ctx context.Context, i int, work func(context.Context, int) error) (err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("internal error, please report it: %v", broken)
		}
	}()
	return work(ctx, i)
}

func (l *Lab) progress(stage string, done int64, total int) {
	if l.Progress != nil {
		l.Progress(stage, done, int64(total))
	}
}

// Run makes the runs of all cells and returns their summaries in the order of
// the cells. Equal cells, here or in earlier calls, are run once.
func (l *Lab) Run(ctx context.Context, stage string, cells []Cell) ([]*report.Summary, error) {
	todo := l.missing(cells)
	results := make([]*report.Summary, len(todo))
	err := l.Stream(ctx, stage, todo, func(i int, s *report.Summary) error {
		results[i] = s
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, cell := range todo {
		l.done[cell] = results[i]
	}
	all := make([]*report.Summary, len(cells))
	for i, cell := range cells {
		all[i] = l.done[cell]
	}
	return all, nil
}

// Stream makes the runs of all cells, remembering none, and shows each summary
// as soon as it is there, one at a time, with the number of its cell.
func (l *Lab) Stream(ctx context.Context, stage string, cells []Cell, see func(i int, s *report.Summary) error) error {
	shared := newPantry(cells)
	var one sync.Mutex
	return l.Each(ctx, stage, len(cells), func(ctx context.Context, i int) error {
		arrivals, err := shared.acquire(cells[i].Jobs)
		if err != nil {
			return err
		}
		defer shared.release(cells[i].Jobs)
		summary, err := cells[i].run(ctx, arrivals, nil)
		if err != nil {
			return err
		}
		one.Lock()
		defer one.Unlock()
		return see(i, summary)
	})
}

// missing lists the cells that have not been run, each once; those that share
// prepared jobs stand together, so that few of these exist at a time.
func (l *Lab) missing(cells []Cell) []Cell {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done == nil {
		l.done = map[Cell]*report.Summary{}
	}
	seen := map[Cell]bool{}
	rank := map[Jobs]int{}
	var todo []Cell
	for _, cell := range cells {
		if l.done[cell] != nil || seen[cell] {
			continue
		}
		seen[cell] = true
		todo = append(todo, cell)
		if key := cell.Jobs.prepared(); rank[key] == 0 {
			rank[key] = len(rank) + 1
		}
	}
	slices.SortStableFunc(todo, func(a, b Cell) int { return cmp.Compare(rank[a.Jobs.prepared()], rank[b.Jobs.prepared()]) })
	return todo
}

// pantry prepares jobs once for all runs that want them, and forgets them
// after the last.
type pantry struct {
	mu      sync.Mutex
	shelves map[Jobs]*shelf
}

type shelf struct {
	once     sync.Once
	arrivals []workload.Arrival
	err      error
	wanted   int // by so many runs still
}

func newPantry(cells []Cell) *pantry {
	p := &pantry{shelves: map[Jobs]*shelf{}}
	for _, cell := range cells {
		key := cell.Jobs.prepared()
		if p.shelves[key] == nil {
			p.shelves[key] = &shelf{}
		}
		p.shelves[key].wanted++
	}
	return p
}

func (p *pantry) acquire(jobs Jobs) ([]workload.Arrival, error) {
	p.mu.Lock()
	s := p.shelves[jobs.prepared()]
	p.mu.Unlock()
	s.once.Do(func() { s.arrivals, s.err = jobs.prepare() })
	return s.arrivals, s.err
}

func (p *pantry) release(jobs Jobs) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := jobs.prepared()
	if p.shelves[key].wanted--; p.shelves[key].wanted == 0 {
		delete(p.shelves, key)
	}
}
