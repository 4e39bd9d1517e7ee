package client

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// What a job of plain sbatch asks for is read as squeue says it; what the market cannot
// promise is named.
func TestReadGuest(t *testing.T) {
	plain := []string{"2", "1", "10:00", "/home/alice/a b", "N/A", "(null)", "(null)", "(null)", "(null)", "", "", "N/A", "N/A", "N/A", "YES", "1", "libra", "high", "\n"}
	g, err := readGuest(7, plain)
	if err != nil || g.Processors != 2 || g.Nodes != "1" || g.Limit != 10*time.Minute || g.Dir != "/home/alice/a b" || g.QOS != "high" || len(g.Special) != 0 {
		t.Errorf("%+v %v", g, err)
	}
	for i, wish := range wishes {
		row := slices.Clone(plain)
		row[4+i] = "123"
		g, err := readGuest(7, row)
		var said []string
		switch {
		case wish.option == nodelist && g.Nodelist == "123", wish.option == begin && g.Begin == 123:
			said = append(said, "123")
		case wish.option != "":
			said = slices.DeleteFunc(slices.Clone(g.Options), func(o string) bool { return o != wish.option+"123" })
		default:
			said = slices.DeleteFunc(slices.Clone(g.Special), func(what string) bool { return what != wish.special })
		}
		if err != nil || len(said) != 1 || len(g.Options)+len(g.Special) > 1 {
			t.Errorf("%+v: %+v %v", wish, g, err)
		}
	}
	bad := slices.Clone(plain)
	bad[13] = "tomorrow"
	if _, err := readGuest(7, bad); err == nil {
		t.Error("nobody knows when it begins")
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
	for text, want := range map[string]Guest{
		"N/A   N/A   N/A\n": {}, "N/A  cpu=2  N/A\n": {},
		"gres:gpu:2  N/A  N/A\n":       {Options: []string{"--gres=gpu:2"}},
		"gres/gpu:a100=2  N/A  N/A\n":  {Options: []string{"--gres=gpu:a100:2"}},
		"N/A  cpu=2,gres/gpu=1  N/A\n": {Special: []string{"devices of each task or socket, or in two ways"}},
		"N/A  N/A  gres/gpu:1\n":       {Special: []string{"devices of each task or socket, or in two ways"}},
	} {
		var g Guest
		if g.readDevices(strings.Fields(text)); !slices.Equal(g.Options, want.Options) || !slices.Equal(g.Special, want.Special) {
			t.Errorf("%q: %+v", text, g)
		}
	}
	twice := Guest{Options: []string{"--gres=gpu:1"}}
	if twice.readDevices([]string{"gres:gpu:2", "N/A", "N/A"}); len(twice.Options) != 1 || len(twice.Special) != 1 {
		t.Errorf("%+v", twice)
	}
	for text, want := range map[string]int64{"cpu=2,mem=256M,node=1,billing=2": 256, "mem=1.50G": 1536, "cpu=1": 0, "mem=2T": 2 << 20, "mem=": 0, "mem=xM": 0} {
		if got := memoryOf(text + "   \n"); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
