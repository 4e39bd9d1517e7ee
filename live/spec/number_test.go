package spec

import "testing"

func TestDurations(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "90": 90, "1.5": 1.5, "1e3": 1000, "2h30m": 9000, "1d": 86400, "1d 12h": 129600, "1.5h": 5400, "1h30": 5400, "1 hour 30": 5400, "5 min": 300, "2 hours 30 minutes": 9000, "1:30:00": 5400, "2-12:00:00": 216000, "010m": 600,
		"500ms": 0.5, "0.1s": 0.1, "1h0m0s": 3600, "3us": 3e-6, "3µs": 3e-6, "4ns": 4e-9,
	} {
		got, err := parseDuration(text)
		if err != nil || float(got) != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", "h", "010", "1ms30", "-1h", "1.2.3h", "12:30", "1hh", "2026-01-02"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("%q: accepted as %v", text, got)
		}
	}
	for seconds, want := range map[float64]string{0: "0", 59: "59s", 9000: "2h30m", 86401: "1d1s", 0.5: "0.5", 1e-7: "1e-07"} {
		if got := formatDuration(seconds); got != want {
			t.Errorf("%v: got %s, want %s", seconds, got, want)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "500": 500, "500MB": 500, "1.1GB": 1100, "4GiB": 4295, "4 gib": 4295, "1MiB": 2, "1B": 1, "4G": 4096, "500M": 500, "1.5g": 1536, "64K": 1, "1T": 1 << 20, "1000KB": 1,
		"1TiB": 1099512, "0.5": 1, "1e3": 1000, "2TB": 2000000, "1PB": 1e9,
	} {
		got, err := parseSize(text)
		if err != nil || roundUp(got) != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestAmountsAreKept(t *testing.T) {
	for _, text := range []string{"0", "0.000001", "1250.75", "9000000000.123456", "12345678901.234567", "9000000000000"} {
		var at, again float64
		if err := amount(&at).parse(text); err != nil {
			t.Fatal(err)
		}
		written := amount(&at).format().Value
		if err := amount(&again).parse(written); err != nil || again != at {
			t.Errorf("%s: written as %s, read as %v, %v", text, written, again, err)
		}
	}
	third := 1.0 / 3
	if got := amount(&third).format().Value; got != "0.333333" {
		t.Errorf("got %s", got)
	}
}
