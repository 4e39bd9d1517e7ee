package workload

import (
	"errors"
	"io"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// at makes arrivals with these submit times, numbered from 1.
func at(submits ...float64) []Arrival {
	arrivals := make([]Arrival, len(submits))
	for i, submit := range submits {
		arrivals[i] = Arrival{Job: market.Job{Submit: market.Time(submit), Width: 1}, Actual: 1, Number: int64(i) + 1}
	}
	return arrivals
}

func submits(arrivals []Arrival) []float64 {
	times := make([]float64, len(arrivals))
	for i := range arrivals {
		times[i] = float64(arrivals[i].Job.Submit)
	}
	return times
}

func numbers(arrivals []Arrival) string {
	text := ""
	for i := range arrivals {
		text += " " + arrivals[i].Label()
	}
	return text
}

func load(t *testing.T, src Source) []Arrival {
	t.Helper()
	arrivals, err := Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return arrivals
}

func TestLabel(t *testing.T) {
	a := Arrival{Number: 7}
	if a.Label() != "7" {
		t.Errorf("label %q", a.Label())
	}
	a.Job.Name = "seven"
	if a.Label() != "seven" {
		t.Errorf("label %q", a.Label())
	}
}

func TestSortIsStable(t *testing.T) {
	arrivals := at(5, 3, 5, 3, 1)
	if Sorted(arrivals) {
		t.Error("sorted before")
	}
	Sort(arrivals)
	if got := numbers(arrivals); got != " 5 2 4 1 3" || !Sorted(arrivals) {
		t.Errorf("order%s", got)
	}
}

func TestSortProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOf(rapid.Map(rapid.IntRange(0, 9), func(i int) float64 { return float64(i) })).Draw(t, "times")
		arrivals := at(times...)
		Sort(arrivals)
		for i := 1; i < len(arrivals); i++ {
			a, b := &arrivals[i-1], &arrivals[i]
			if a.Job.Submit > b.Job.Submit || a.Job.Submit == b.Job.Submit && a.Number >= b.Number {
				t.Fatalf("%v is sorted as%s", times, numbers(arrivals))
			}
		}
	})
}

func TestInOrderStopsWhereTimeStepsBack(t *testing.T) {
	src := InOrder(FromSlice(at(1, 1, 4, 3, 9)))
	var a Arrival
	for range 3 {
		if err := src.Next(&a); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // and says so again
		err := src.Next(&a)
		wrong, ok := errors.AsType[*OutOfOrderError](err)
		if !ok || *wrong != (OutOfOrderError{Position: 4, Label: "4", Submit: 3, Before: 4}) {
			t.Fatalf("error %v", err)
		}
		if want := "job 4 (arrival 4): submit: 3 is before 4, that of the job before it"; err.Error() != want {
			t.Errorf("error %s, want %s", err, want)
		}
	}
	if got := len(load(t, InOrder(FromSlice(at(-3, -3, 0, 5))))); got != 4 {
		t.Errorf("%d arrivals in order", got)
	}
}

func TestHeadAndLast(t *testing.T) {
	all := at(1, 2, 3, 4, 5)
	for _, c := range []struct {
		n          int
		head, last string
	}{{0, "", ""}, {2, " 1 2", " 4 5"}, {5, " 1 2 3 4 5", " 1 2 3 4 5"}, {9, " 1 2 3 4 5", " 1 2 3 4 5"}} {
		if got := numbers(load(t, Head(FromSlice(all), int64(c.n)))); got != c.head {
			t.Errorf("head %d:%s", c.n, got)
		}
		last, err := Last(FromSlice(all), c.n)
		if err != nil || numbers(last) != c.last {
			t.Errorf("last %d:%s, %v", c.n, numbers(last), err)
		}
	}
	if _, err := Last(FromSlice(all), -1); err == nil {
		t.Error("the last -1")
	}
}

func TestLastIsTheTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(0, 50).Draw(t, "n"), rapid.IntRange(0, 60).Draw(t, "k")
		all := at(make([]float64, n)...)
		last, err := Last(FromSlice(all), k)
		if err != nil || numbers(last) != numbers(all[max(0, n-k):]) {
			t.Fatalf("last %d of %d:%s, %v", k, n, numbers(last), err)
		}
	})
}

func TestStretchGaps(t *testing.T) {
	src, err := StretchGaps(FromSlice(at(100, 110, 110, 140)), 0.5)
	if err != nil {
		t.Fatal(err)
	}
	got := submits(load(t, src))
	for i, want := range []float64{100, 105, 105, 120} {
		if got[i] != want {
			t.Errorf("submits %v", got)
			break
		}
	}
	if _, err := StretchGaps(nil, -1); err == nil {
		t.Error("a factor of -1")
	}
}

func TestRepeat(t *testing.T) {
	closed := 0
	open := func() (Source, error) { return &closing{FromSlice(at(10, 20, 40)), &closed}, nil }
	got := load(t, Repeat(open, 8))
	if text := numbers(got); text != " 1 2 3 4 5 6 7 8" {
		t.Errorf("numbers%s", text)
	}
	// The span is 30, the mean gap 15.
	for i, want := range []float64{10, 20, 40, 55, 65, 85, 100, 110} {
		if float64(got[i].Job.Submit) != want {
			t.Errorf("submits %v", submits(got))
			break
		}
	}
	if closed != 3 {
		t.Errorf("closed %d of 3", closed)
	}
	named := at(0)
	named[0].Job.Name = "x"
	got = load(t, Repeat(func() (Source, error) { return FromSlice(named), nil }, 3))
	if text := numbers(got); text != " x x+2 x+3" {
		t.Errorf("names%s", text)
	}
	var a Arrival
	if err := Repeat(func() (Source, error) { return FromSlice(nil), nil }, 3).Next(&a); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("an empty workload repeats with %v", err)
	}
}

type closing struct {
	Source
	closed *int
}

func (c *closing) Close() error { *c.closed++; return nil }

func BenchmarkSort(b *testing.B) {
	all := make([]Arrival, 100_000)
	for i := range all {
		all[i].Job.Submit = market.Time(scramble(uint64(i)) % 1_000_000)
		all[i].Job.Name = strconv.Itoa(i)
	}
	work := make([]Arrival, len(all))
	for b.Loop() {
		copy(work, all)
		Sort(work)
	}
}
