package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/client/v1"
)

// Help fits the terminal, broken between words; only the examples, which are there to
// be pasted, may be longer than it is wide.
func TestHelpFits(t *testing.T) {
	var all func(cmd *cobra.Command) [][]string
	all = func(cmd *cobra.Command) [][]string {
		paths := [][]string{strings.Fields(cmd.CommandPath())[1:]}
		for _, child := range cmd.Commands() {
			if child.Name() != "completion" { // its words are cobra's
				paths = append(paths, all(child)...)
			}
		}
		return paths
	}
	paths := all(newRoot(newConsole(strings.NewReader(""), io.Discard, io.Discard)))
	if len(paths) < 50 {
		t.Fatalf("%d commands", len(paths))
	}
	for _, path := range paths {
		args := append(path, "--help")
		for _, c := range []struct {
			columns int
			lines   []string
		}{
			{80, strings.Split(mustLibra(t, args...), "\n")}, // nobody says how wide it is
			{80, onTerminalOf(t, 80, args...)},
			{50, onTerminalOf(t, 50, args...)},
		} {
			example := false
			for i, line := range c.lines {
				if line != "" && line[0] != ' ' {
					example = line == "Examples:" || line == "Usage:"
				}
				typed := example || strings.HasPrefix(line, "  ") && !strings.HasPrefix(strings.TrimSpace(line), "-") && i < 60 // what stands in a text
				if n := columnsOf(line); n > c.columns && !typed {
					t.Errorf("libra %s on %d columns has a line of %d: %s", strings.Join(args, " "), c.columns, n, line)
				}
			}
		}
	}
}

func TestParagraphsFlow(t *testing.T) {
	text := "one two three four\nfive six\n\n  stands in and stays as it is\nshort"
	for most, want := range map[int]string{
		30: text,
		12: "one two\nthree four\nfive six\n\n  stands in and stays as it is\nshort",
	} {
		if got := flow(text, most); got != want {
			t.Errorf("in %d columns:\n%s", most, got)
		}
	}
	list := "Jobs:\n  submit   hand in a job\n\nExamples:\n  submit   hand in a job\n"
	if got := fitLists(list, 22); got != "Jobs:\n  submit   hand in a\n           job\n\nExamples:\n  submit   hand in a job\n" {
		t.Errorf("%s", got)
	}
}

// What the market says no with is broken between words; a command that can be pasted
// is not broken at all.
func TestRefusalsFit(t *testing.T) {
	watched, seen := terminal(t)
	if err := unix.IoctlSetWinsize(int(watched.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 50}); err != nil {
		t.Fatal(err)
	}
	said := make(chan string)
	go func() {
		text, _ := io.ReadAll(seen) // it ends with an error when the other side is closed
		said <- strings.ReplaceAll(string(text), "\r", "")
	}()
	con := newConsole(strings.NewReader(""), io.Discard, watched)
	con.complain(usagef("it takes 7m38s even with processors to itself, and its deadline is in 5m"))
	con.complain(usagef("a program comes after --: libra submit --estimate 2m -- sleep 10"))
	_ = watched.Close()
	const want = `libra: it takes 7m38s even with processors to
       itself, and its deadline is in 5m
libra: a program comes after --:
       libra submit --estimate 2m -- sleep 10
`
	if got := <-said; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The last line of libra top says its keys, whole, in whatever room there is.
func TestTheKeysOfTopFit(t *testing.T) {
	for _, width := range []int{50, 80, 120} {
		b := newTopBoard(nil, &v1.Whoami{}, true)
		b.width, b.height = width, 24
		b.jobs = make([]v1.Job, 10_000)
		foot := b.footLine()
		if columnsOf(foot) > width || !strings.Contains(foot, "q quit") || !strings.HasSuffix(foot, "c cancel") {
			t.Errorf("%d columns: %s", width, foot)
		}
	}
}
