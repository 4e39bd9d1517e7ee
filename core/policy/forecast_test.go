package policy

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// A forecast that goes by the order of the book is the one that looks at everybody,
// whatever was measured, prolonged or over early.
func TestAForecastLooksOnlyAsFarAsItGoes(t *testing.T) {
	inOrder, looked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		const processors = 40
		b := book.New(market.Alike(market.Plain(), processors))
		d, v, now := book.NewDraft(b), b.View(), market.Time(0)
		b.Tick(now)
		for id := range market.JobID(rapid.IntRange(1, 60).Draw(t, "jobs")) {
			now += market.Time(rapid.IntRange(0, 3).Draw(t, "pause"))
			b.Tick(now)
			width := rapid.Int32Range(1, 8).Draw(t, "width")
			if int(width) <= v.Idle() {
				s := b.Add(&market.Job{ID: id, Width: width, Estimate: market.Work(rapid.IntRange(1, 40).Draw(t, "estimate")) / 3})
				b.Wait(s, book.Terms{})
				d.Start(s)
			}
			if running := v.Running(); len(running) > 0 {
				s := running[rapid.IntRange(0, len(running)-1).Draw(t, "who")]
				switch rapid.IntRange(0, 5).Draw(t, "then") {
				case 0:
					b.Remove(s)
				case 1:
					b.Measure(s, market.AllTasks, market.Work(rapid.IntRange(0, 9).Draw(t, "had")), false)
				case 2:
					b.Prolong(s, 5, 0)
				}
			}
			b.Planned()

			var quick, plain, copied forecast
			quick.reset(v)
			plain = forecast{of: v, openings: []opening{{at: now, n: v.Idle()}}, last: now}
			plain.list(v)
			if _, all := v.Ends(); all {
				inOrder++
			} else {
				looked++
			}
			for range rapid.IntRange(1, 6).Draw(t, "starts") {
				wide, long := rapid.IntRange(1, processors+1).Draw(t, "wide"), market.Time(rapid.IntRange(1, 20).Draw(t, "long"))
				copied.copyOf(&quick)
				want := plain.start(wide, long)
				if got, again := quick.start(wide, long), copied.start(wide, long); got != want || again != want {
					t.Fatalf("%d processors are free at %v, and at %v in a copy; it should be %v", wide, got, again, want)
				}
				if quick.processors() != plain.processors() {
					t.Fatalf("%d processors, not %d", quick.processors(), plain.processors())
				}
			}
		}
	})
	if inOrder == 0 || looked == 0 {
		t.Errorf("%d forecasts in order, %d of everybody", inOrder, looked)
	}
}

// A forecast says what one does that knows of each processor when it is free: whoever is next takes those that are free
// first, and nobody begins before the one in front.
func TestAForecastIsThatOfEachProcessor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const processors = 24
		b := book.New(market.Alike(market.Plain(), processors))
		d, v := book.NewDraft(b), b.View()
		b.Tick(0)
		var free []market.Time // by processor, in no order
		for id := range market.JobID(rapid.IntRange(0, 12).Draw(t, "jobs")) {
			width, long := rapid.Int32Range(1, 5).Draw(t, "width"), rapid.IntRange(1, 9).Draw(t, "estimate")
			if int(width) > v.Idle() {
				continue
			}
			s := b.Add(&market.Job{ID: id, Width: width, Estimate: market.Work(long)})
			b.Wait(s, book.Terms{})
			d.Start(s)
			for range width {
				free = append(free, market.Time(long))
			}
		}
		b.Planned()
		free = append(free, make([]market.Time, v.Idle())...)
		var f forecast
		f.reset(v)
		last := market.Time(0)
		for range rapid.IntRange(1, 60).Draw(t, "starts") {
			wide, long := rapid.IntRange(1, processors).Draw(t, "wide"), market.Time(rapid.IntRange(1, 9).Draw(t, "long"))
			slices.Sort(free)
			last = max(last, free[wide-1])
			for i := range wide {
				free[i] = last + long
			}
			if rapid.Bool().Draw(t, "copied") {
				var g forecast
				g.copyOf(&f)
				f, g = g, f
				g.start(wide, 1)
			}
			if got := f.start(wide, long); got != last {
				t.Fatalf("%d processors are free at %v, want %v", wide, got, last)
			}
		}
		if got := f.start(processors+1, 1); got != market.Never {
			t.Fatalf("more than there are begin at %v", got)
		}
	})
}
