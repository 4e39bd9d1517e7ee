package book

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

// Expected ends are summed as a plain scan would sum them, also where there
// are enough of them to be split into chunks and where chunks run empty.
func TestEndsAnswerLikeAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e ends
		var model []end
		pauses := rapid.IntRange(1, 40).Draw(t, "distinct times")
		id := market.JobID(0)
		for range rapid.IntRange(1, 12).Draw(t, "waves") {
			for range rapid.IntRange(0, chunkSize).Draw(t, "arrive") {
				x := end{at: market.Time(int(id) * 7 % pauses), id: id, width: int32(1 + id%3)}
				id++
				e.add(x)
				model = append(model, x)
			}
			for range min(len(model), rapid.IntRange(0, chunkSize).Draw(t, "leave")) {
				i := int(id) * 13 % len(model)
				e.remove(model[i])
				model = append(model[:i], model[i+1:]...)
			}
			by := market.Time(rapid.IntRange(-1, pauses).Draw(t, "by"))
			if got, want := e.by(by), given(model, by); got != want {
				t.Fatalf("%d processors by %v, want %d", got, by, want)
			}
			want := int64(rapid.IntRange(1, 400).Draw(t, "want"))
			at := market.Never
			for _, x := range model {
				if x.at < at && given(model, x.at) >= want {
					at = x.at
				}
			}
			if got, ok := e.reach(want); got != at || ok != at.Finite() {
				t.Fatalf("%d processors by %v (%v), want %v", want, got, ok, at)
			}
		}
	})
}

func given(model []end, by market.Time) (sum int64) {
	for _, x := range model {
		if x.at <= by {
			sum += int64(x.width)
		}
	}
	return sum
}

func TestEndsPanicWhenAJobIsNotThere(t *testing.T) {
	for _, there := range []bool{false, true} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("removing a stranger went unnoticed")
				}
			}()
			var e ends
			if there {
				e.add(end{at: 1, id: 1, width: 1})
			}
			e.remove(end{at: 1, id: 2, width: 1})
		}()
	}
}
