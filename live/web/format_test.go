package web

import (
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// Pages say that the clock was set, and which way.
func TestPagesSayThatTheClockWasSet(t *testing.T) {
	for ahead, want := range map[time.Duration]string{
		0: "", -time.Second: "", time.Second: "", time.Hour: "was set back", -time.Hour: "was set forward",
	} {
		if got := clockNote(ahead); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("ahead by %s: %q", ahead, got)
		}
	}
	out, err := render(pagesIn("cr")["trouble"], "layout", &frame{Title: "x", Clock: "it was set back", Body: &struct{ Status, Title, Text any }{}})
	if err != nil || !strings.Contains(string(out), "it was set back") {
		t.Errorf("the page says %s, %v", out, err)
	}
}

func TestWords(t *testing.T) {
	for micros, want := range map[int64]string{
		0: "0.00", 1: "<0.01", 160: "<0.01", 9_999: "0.01", 10_000: "0.01", 1_234_567: "1.23", 1_234_567_890_000: "1,234,567.89",
		-2_500_000: "-2.50",
	} {
		if got := money(micros); got != want {
			t.Errorf("money(%d) is %s, want %s", micros, got, want)
		}
	}
	for ms, want := range map[int64]string{
		0: "0 s", 1500: "1.5 s", 9_000: "9 s", 61_000: "1 min 1 s", 3_600_000: "1 h", 5_400_000: "1 h 30 min", 90_000_000: "1 d 1 h", -1500: "\u22121.5 s",
	} {
		if got := span(ms); got != want {
			t.Errorf("span(%d) is %s, want %s", ms, got, want)
		}
	}
	for ms, want := range map[int64]string{1500: "1.5s", 90_000: "1m30s", 90_061_000: "1d1h1m1s", 0: "0s"} {
		if got := inputSpan(ms); got != want {
			t.Errorf("inputSpan(%d) is %s, want %s", ms, got, want)
		}
	}
	for part, want := range map[float64]string{0: "0\u2009%", 0.05: "5.0\u2009%", 0.5: "50\u2009%", 1: "100\u2009%"} {
		if got := percent(part); got != want {
			t.Errorf("percent(%v) is %s, want %s", part, got, want)
		}
	}
}

// A job of which no node has said that it runs is not shown as running.
func TestAJobThatIsStartingIsShownSo(t *testing.T) {
	for want, j := range map[string]v1.Job{
		`<span class="tag wait">starting</span>`:  {State: v1.Running, Starting: true},
		`<span class="tag wait">suspended</span>`: {State: v1.Running, Suspended: true},
		`<span class="tag wait">stopping</span>`:  {State: v1.Stopping, Suspended: true},
		`<span class="tag now">running</span>`:    {State: v1.Running},
		`<span class="tag no">refused</span>`:     {State: v1.Rejected},
	} {
		row, err := pagesIn("cr").part("jobs", "row", &rowView{Job: j})
		if err != nil || !strings.Contains(row, want) || strings.Contains(row, "data-starting") != j.Starting || strings.Contains(row, "data-suspended") != j.Suspended {
			t.Errorf("want %s: %v\n%s", want, err, row)
		}
	}
}
