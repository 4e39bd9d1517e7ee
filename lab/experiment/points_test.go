package experiment

import "testing"

func TestFewestPoints(t *testing.T) {
	for measured, want := range map[string]string{
		"": "", "mean 74.4, range 67 to 82": "",
		"13.0 and 10.5 of 100 jobs, 10.8 and 13.9 of 200":     "",
		"11 of 12 fall; by default 109.8 % to 49.9 %":         "11 of 12",
		"up at 4 of 4 steps; down at 3 of 4; above at 5 of 5": "3 of 4",
		"enough at 0 of 0": "",
	} {
		if got := fewest(measured); got != want {
			t.Errorf("%q: %q, want %q", measured, got, want)
		}
	}
}
