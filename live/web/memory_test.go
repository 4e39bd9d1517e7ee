package web

import (
	"testing"
	"time"
)

// What was written down of a day is drawn again after a restart, and what cannot have
// been is left out.
func TestTheHistoryOutlivesARestart(t *testing.T) {
	const start, minute = int64(1_700_000_000_000_000), int64(60_000_000)
	var h history
	for i := range int64(90) {
		h.add(sample{at: start + i*minute, urgent: -1, usual: 3_600_000 + i, patient: 3_000_000, used: 0.5, kept: 1.0 / 3})
	}
	now := start + 89*minute
	text, err := h.written(now)
	if err != nil {
		t.Fatal(err)
	}
	var again history
	if err := again.read(text, now); err != nil {
		t.Fatal(err)
	}
	day := again.last(now, 24*time.Hour)
	if len(day) != 90 || day[3].at != start+3*minute || day[3].usual != 3_600_003 || day[3].urgent != -1 || day[3].kept != 0.3333 {
		t.Errorf("%d samples, the fourth %+v", len(day), day[min(3, len(day)-1)])
	}
	if hour := again.last(now, time.Hour); len(hour) < 60 {
		t.Errorf("%d samples of the last hour", len(hour))
	}
	for text, want := range map[string]int{
		"[]": 0, "[[1700000000000000,1,2,3,0,0],[1700000000000000,1,2,3,0,0],[1600000000000000,1,2,3,0,0],[1800000000000000,1,2,3,0,0]]": 1,
	} {
		var h history
		if err := h.read([]byte(text), now); err != nil || len(h.last(now, 24*time.Hour)) != want {
			t.Errorf("%s: %v, %d samples, want %d", text, err, len(h.last(now, 24*time.Hour)), want)
		}
	}
	if again.read([]byte(`{"a":1}`), now) == nil {
		t.Error("a history that is none is read")
	}
}
