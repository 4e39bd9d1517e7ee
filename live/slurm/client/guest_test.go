package client

import (
	"slices"
	"testing"
	"time"
)

// What a job of plain sbatch asks for is read as squeue says it; what the market cannot
// promise is named.
func TestReadGuest(t *testing.T) {
	plain := []string{"2", "1", "10:00", "/home/alice/a b", "N/A", "(null)", "(null)", "(null)", "(null)", "", "", "N/A", "N/A", "N/A", "YES", "1", "libra", "\n"}
	g, err := readGuest(7, plain)
	if err != nil || g.Processors != 2 || g.Nodes != "1" || g.Limit != 10*time.Minute || g.Dir != "/home/alice/a b" || len(g.Special) != 0 {
		t.Errorf("%+v %v", g, err)
	}
	for i, what := range special {
		row := slices.Clone(plain)
		row[4+i] = "something"
		if g, err := readGuest(7, row); err != nil || !slices.Equal(g.Special, []string{what}) {
			t.Errorf("%s: %+v %v", what, g, err)
		}
	}
	// What would have Slurm give it more than it says that it asks for.
	for column, text := range map[int]string{14: "NO", 15: "3", 16: "libra,plain"} {
		row := slices.Clone(plain)
		row[column] = text
		if g, err := readGuest(7, row); err != nil || len(g.Special) != 1 {
			t.Errorf("%s: %+v %v", text, g, err)
		}
	}
	for column, text := range map[int]string{0: "none", 2: "long"} {
		row := slices.Clone(plain)
		row[column] = text
		if g, err := readGuest(7, row); err == nil {
			t.Errorf("column %d: %+v", column, g)
		}
	}
	if _, err := readGuest(7, plain[1:]); err == nil {
		t.Error("a column is missing, and nobody says so")
	}
	for text, want := range map[string]bool{"N/A   N/A   N/A\n": false, "N/A  cpu=2  N/A\n": false, "gres:gpu:2  N/A  N/A\n": true, "N/A  cpu=2,gres/gpu=1  N/A\n": true, "N/A  N/A  gres/gpu:1\n": true} {
		if wantsDevices(text) != want {
			t.Errorf("%q: devices are wanted: %v", text, !want)
		}
	}
	for text, want := range map[string]int64{"cpu=2,mem=256M,node=1,billing=2": 256, "mem=1.50G": 1536, "cpu=1": 0, "mem=2T": 2 << 20, "mem=": 0, "mem=xM": 0} {
		if got := memoryOf(text + "   \n"); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
