package client

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scripted has commands of Slurm that write down what they are told, and as scontrol and scancel do as a
// script says.
func scripted(t *testing.T, scontrol string) (c *commands, told func() string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	said := filepath.Join(dir, "said")
	for _, name := range []string{"sbatch", "squeue", "scontrol", "scancel"} {
		text := "#!/bin/sh\necho \"" + name + " $*\" >>" + said + "\n"
		if name == "scontrol" {
			text += "text=$(tee -a " + said + ")\n" + scontrol + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c, err := openCommands(Options{Timeout: time.Minute, Now: time.Now}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, func() string {
		text, _ := os.ReadFile(said)
		return string(text)
	}
}

func chained(elements ...int) (links []Link) {
	for _, e := range elements {
		links = append(links, Link{Element: e, Node: "n1", After: NoElement})
	}
	return links
}

// chain tells elements their places, and lets those go that were told.
func chain(t *testing.T, c *commands, links []Link) error {
	t.Helper()
	placed, err := c.Place(t.Context(), 7, links)
	return cmp.Or(c.LetGo(t.Context(), 7, placed), err)
}

// An element that could not be told its place stays held, and does not keep others back.
func TestElementsWithoutAPlaceAreNotLetGo(t *testing.T) {
	c, told := scripted(t, `case $text in *update*7_3\ *) echo "Job has already finished" >&2; exit 1;; esac`)
	links := chained(1, 2, 3, 4, 5)
	links[4].After = 1
	if err := chain(t, c, links); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "already finished") {
		t.Errorf("%v", err)
	}
	for e, want := range map[string]int{"1": 1, "2": 1, "3": 0, "4": 1, "5": 1} {
		if got := strings.Count(told(), "release 7_"+e+"\n"); got != want {
			t.Errorf("%s was let go %d times, want %d:\n%s", e, got, want, told())
		}
	}
	if !strings.Contains(told(), "update jobid=7_5 nodelist=n1 dependency=afterany:7_1\n") {
		t.Error(told())
	}
}

// Nobody goes on with a Slurm that does not answer.
func TestNoElementIsLetGoBySilence(t *testing.T) {
	c, told := scripted(t, `echo "Unable to contact slurm controller" >&2; exit 1`)
	var many []Link
	for e := range mostLinks + 1 {
		many = append(many, chained(e)...)
	}
	if err := chain(t, c, many); !errors.Is(err, ErrAway) {
		t.Errorf("%v", err)
	}
	if strings.Contains(told(), "release") || strings.Count(told(), "scontrol") != 1 {
		t.Error(told())
	}
}

// Many are told of in pieces, each of which is placed before it is let go.
func TestManyElementsAreToldInPieces(t *testing.T) {
	c, told := scripted(t, "")
	var many []Link
	for e := range mostLinks + 1 {
		many = append(many, chained(e)...)
	}
	if err := chain(t, c, many); err != nil {
		t.Fatal(err)
	}
	if said := told(); strings.Count(said, "scontrol \n") != 4 || strings.Count(said, "release 7_") != len(many) || strings.Count(said, "update jobid=7_") != len(many) {
		t.Error(said)
	}
	if err := chain(t, c, nil); err != nil || strings.Count(told(), "scontrol") != 4 {
		t.Errorf("of none: %v", err)
	}
}

// Elements are told of and listed by commands, also where there is a slurmrestd.
func TestArraysWantCommands(t *testing.T) {
	c, _ := scripted(t, "")
	if !(&rest{killer: c, listing: c}).Arrays() || (&rest{killer: c}).Arrays() || (&rest{listing: c}).Arrays() {
		t.Error("arrays want both")
	}
}

// How many may run at a time is heard also where some have ended, of which Slurm says so.
func TestElementsAreThrottled(t *testing.T) {
	c, told := scripted(t, `echo "Job has already finished" >&2; exit 1`)
	if err := c.Throttle(t.Context(), 7, 3); err != nil || !strings.Contains(told(), "scontrol update jobid=7 arraytaskthrottle=3\n") {
		t.Errorf("%v: %s", err, told())
	}
	c, told = scripted(t, `echo "Unable to contact slurm controller" >&2; exit 1`)
	if err := (&rest{killer: c}).Throttle(t.Context(), 7, 3); !errors.Is(err, ErrAway) {
		t.Errorf("%v: %s", err, told())
	}
}

// Of an array it is said how many elements run at a time when it becomes the market's, in the same word as
// whose it is; and no node, which each element is told for itself.
func TestAnArrayIsTakenOver(t *testing.T) {
	c, told := scripted(t, "")
	if err := c.Adopt(t.Context(), 7, Submission{Comment: "libra:x", Array: "1-9:2%3", Later: true}); err != nil || told() != "scontrol update jobid=7 comment=libra:x requeue=0 arraytaskthrottle=3\n" {
		t.Errorf("%v: %q", err, told())
	}
}

func TestElementsAreDropped(t *testing.T) {
	c, told := scripted(t, "")
	if err := c.Drop(t.Context(), 7, []int{2, 3, 9}); err != nil || told() != "scancel 7_[2,3,9]\n" {
		t.Errorf("%v: %q", err, told())
	}
	if got, err := ElementsOf("1-7:3,9%2"); err != nil || fmt.Sprint(got) != "[1 4 7 9]" {
		t.Errorf("%v, %v", got, err)
	}
}
