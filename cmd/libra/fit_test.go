package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/client/v1"
)

// onTerminalOf is what somebody sees of a command on a terminal of so many columns.
func onTerminalOf(t *testing.T, columns uint16, args ...string) []string {
	t.Helper()
	watched, seen := terminal(t)
	if err := unix.IoctlSetWinsize(int(watched.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	said := make(chan string)
	go func() {
		text, _ := io.ReadAll(seen) // it ends with an error when the other side is closed
		said <- string(text)
	}()
	code := run(t.Context(), args, strings.NewReader(""), watched, io.Discard)
	_ = watched.Close()
	text := <-said
	if code != exitOK {
		t.Errorf("libra %v: exit code %d, %s", args, code, text)
	}
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r", ""), "\n"), "\n")
}

// On a narrow terminal tables go without what they can spare, or become a few lines for
// each row: no line is longer than the terminal, and nothing that matters is gone.
func TestTablesOnNarrowTerminals(t *testing.T) {
	f := newFloor()
	long := completed()
	long.ID, long.Name, long.Owner = 41, "日本語の名前のとても長いジョブ名前です", "alice"
	f.Put(long)
	other := long
	other.ID, other.Name = 42, "a-name-that-is-as-long-as-a-name-can-be"
	f.Put(other)
	open(t, f, v1.RoleOwner)
	t.Setenv("NO_COLOR", "1")
	for _, columns := range []uint16{80, 60, 50} {
		for _, args := range [][]string{
			{"jobs", "--all"},
			{"jobs", "--all", "-o", "wide"},
			{"jobs", "--all", "--format", "job,name,state,share,progress,due,price,cost"},
			{"account"},
			{"statement", "--account", "people/alice"},
			{"nodes"},
			{"token", "list"},
			{"job", "41"},
		} {
			for _, line := range onTerminalOf(t, columns, args...) {
				if n := columnsOf(line); n > int(columns) {
					t.Errorf("libra %s on %d columns has a line of %d: %s", strings.Join(args, " "), columns, n, line)
				}
			}
		}
	}
	table := onTerminalOf(t, 50, "jobs", "--user", "alice")
	if !strings.HasPrefix(table[0], "job") || !strings.Contains(table[0], "state") || !strings.Contains(table[0], "cost") || strings.Contains(table[0], "progress") || len(table) != 3 {
		t.Errorf("50 columns:\n%s", strings.Join(table, "\n"))
	}
	// In a pipe it is as wide as it has to be.
	if out := mustLibra(t, "jobs", "--all"); !strings.Contains(out, "progress") {
		t.Errorf("in a pipe:\n%s", out)
	}
}

// What is said in sentences is broken between words.
func TestSentencesOnNarrowTerminals(t *testing.T) {
	f := newFloor()
	long := completed()
	long.ID, long.Receipt.Formula = 41, "the rate times the processors times the sum of gamma times the estimate and delta times the estimate by the deadline"
	long.Receipt.Lines = append(long.Receipt.Lines, v1.ReceiptLine{What: "beyond the estimate", Formula: "what was taken beyond the estimate, at the rate agreed for it", Amount: 1})
	f.Put(long)
	f.explain = v1.Explanation{Job: 41, State: v1.Running, Summary: "runs faster than it has to, because nobody else wants the processors that are left over", Because: []string{
		"its share is what its deadline needs, and whatever the others that run beside it leave of the processor",
	}}
	f.answer = accept(func(*v1.Job) {})
	open(t, f, v1.RoleUser)
	t.Setenv("NO_COLOR", "1")
	for _, columns := range []uint16{80, 50} {
		for _, args := range [][]string{{"job", "41"}, {"explain", "41"}, {"submit", "-e", "2m", "-d", "10m", "--", "./simulate"}} {
			whole := strings.Fields(mustLibra(t, args...))
			var broken []string
			for _, line := range onTerminalOf(t, columns, args...) {
				if n := columnsOf(line); n > int(columns) {
					t.Errorf("libra %s on %d columns has a line of %d: %s", strings.Join(args, " "), columns, n, line)
				}
				broken = append(broken, strings.Fields(line)...)
			}
			slices.Sort(whole)
			slices.Sort(broken)
			if !slices.Equal(whole, broken) {
				t.Errorf("libra %s on %d columns has other words:\n%q\n%q", strings.Join(args, " "), columns, broken, whole)
			}
		}
	}
}

// A command that can be pasted stays whole; what is said around it does not break in words.
func TestCommandsStayWhole(t *testing.T) {
	for text, want := range map[string][]string{
		"    libra submit --quote q3a   # until noon":     {"    libra submit --quote q3a   # until noon"},
		"no market answers there: libra up --listen h:1":  {"no market answers", "there:", "libra up --listen h:1"},
		"unknown flag; see libra jobs --help":             {"unknown flag; see", "libra jobs --help"},
		"in short: libra up":                              {"in short: libra up"},
		"see that libra serve runs there, and nothing el": {"see that libra serve", "runs there, and", "nothing el"},
	} {
		if got := aroundCommand(text, 20); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestGridsFit(t *testing.T) {
	g := &grid{left: 2, head: true}
	g.add("job", "name", "cost", "why")
	g.add("7", "fold", "1.25", "-")
	g.add("8", "bake", "", "because it is so")
	for most, want := range map[int][]string{
		0:  {"job  name  cost               why", "7    fold  1.25                 -", "8    bake        because it is so"},
		20: {"7  fold", "  cost 1.25", "8  bake", "  why because it is~"},
	} {
		got := slices.Concat(g.fit(most)...)
		if !slices.Equal(got, want) {
			t.Errorf("in %d columns: %q, want %q", most, got, want)
		}
	}
	g = &grid{left: 2}
	g.add("state", "failed: it wrote more than it may")
	g.add("  cost", "1.25")
	want := []string{"state   failed: it", "        wrote more", "        than it may", "  cost  1.25"}
	if got := slices.Concat(g.fit(20)...); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	g = &grid{left: 1}
	g.add("policy", "1,234,567", "7,654,321")
	if got := slices.Concat(g.fit(20)...); len(got) != 1 || len(got[0]) != 28 {
		t.Errorf("what cannot be helped is %q", got)
	}
	if got := inColumns("日本語の名前 x", 5); !slices.Equal(got, []string{"日本", "語の", "名前", "x"}) {
		t.Errorf("%q", got)
	}
}
