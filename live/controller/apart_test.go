package controller

import (
	"testing"
	"time"
)

// What was long on its way is known by the clocks of both ends, whatever they show;
// a clock that stood still is noticed with the next word.
func TestOnItsWay(t *testing.T) {
	const second = time.Second
	var a apart
	for i, c := range []struct{ said, heard, way time.Duration }{
		{100 * second, 5000 * second, 0}, // the first tells nothing
		{101 * second, 5001 * second, 0},
		{102 * second, 5009 * second, 7 * second},
		{102 * second, 5009 * second, 7 * second},    // again
		{101 * second, 5010 * second, 9 * second},    // overtaken
		{110 * second, 5010 * second, 0},             // as fast as ever
		{111 * second, 5070 * second, 59 * second},   // suspended for a minute, or long on its way
		{112 * second, 5071 * second, second},        // it was suspended: at most since it was heard
		{112*second + 1, 5071*second + 1, 0},         // and that is known now
		{113 * second, 5072 * second, 0},             // so it stays
		{10113 * second, 15073 * second, 0},          // clocks differ by some millionths
		{10114 * second, 15075 * second, 1 * second}, // and still
	} {
		if got := a.way(c.said, c.heard); got < c.way-20*time.Millisecond || got > c.way+20*time.Millisecond {
			t.Errorf("%d: %s on its way, not %s", i, got, c.way)
		}
	}
}
