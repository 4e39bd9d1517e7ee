package main

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// boardOf is a board of some jobs, as somebody sees it who has so much room.
func boardOf(t *testing.T, wide, high int, jobs ...v1.Job) *topBoard {
	t.Helper()
	still(t)
	b := newTopBoard(nil, &v1.Whoami{User: "alice", Role: v1.RoleOwner}, false)
	b.Update(tea.WindowSizeMsg{Width: wide, Height: high})
	b.Update(topMessage{topState: topState{
		AtUS: micro(0), Jobs: jobs, Prices: v1.Prices{Policy: "libra", Rates: v1.Rates{ProcessorHour: 3_600_000}, Up: 2, Processors: 2, Utilization: 0.5},
		Nodes: []v1.NodeView{{Node: "n1", Up: true, Processors: 2, Loads: []v1.ProcessorView{{Share: 1, Kept: 0.5}, {}}}, {Node: "n2", Why: "no word"}},
		Today: &v1.Tally{Income: 12_340_000, Promised: 3, Kept: 2},
	}})
	return b
}

func press(b *topBoard, keys ...string) {
	for _, k := range keys {
		m := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		switch k {
		case "down":
			m = tea.KeyMsg{Type: tea.KeyDown}
		case "enter":
			m = tea.KeyMsg{Type: tea.KeyEnter}
		case "esc":
			m = tea.KeyMsg{Type: tea.KeyEsc}
		}
		b.Update(m)
	}
}

// Whatever names are like and however small the terminal is, nothing overflows, and
// what is wanted most stays.
func TestTopFitsIntoATerminal(t *testing.T) {
	long := running()
	long.ID, long.Name, long.CostNow = 13, "ファイル名がとても長い日本語の名前でしかも続く\x1b[2J", 500_000
	var jobs []v1.Job
	for i := range int64(100) {
		j := running()
		j.ID = 20 + i
		jobs = append(jobs, j)
	}
	for _, size := range [][2]int{{80, 24}, {50, 24}, {30, 10}, {200, 60}, {1, 1}} {
		b := boardOf(t, size[0], size[1], append(jobs, long)...)
		for i := range b.nodes {
			for k := range b.nodes[i].Loads {
				b.nodes[i].Loads[k].Share, b.nodes[i].Loads[k].Kept = 1, 1
			}
		}
		press(b, "G")
		lines := strings.Split(b.View(), "\n")
		if len(lines) > size[1] {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		for _, line := range lines {
			if columnsOf(line) > size[0] || strings.Contains(line, "\x1b") {
				t.Errorf("%v: %d columns: %q", size, columnsOf(line), line)
			}
		}
		if size[0] >= 80 && !strings.Contains(b.View(), "100.0 % given 100.0 % promised  2 processors\n") {
			t.Errorf("%v: a node is cut short:\n%s", size, b.View())
		}
		for _, want := range []string{"n1", "n2", "down no word", "> 13", "due in", "cost", "today 12.34", "2 kept of 3"} {
			if size[0] >= 50 && !strings.Contains(b.View(), want) {
				t.Errorf("%v: there is no %q in\n%s", size, want, b.View())
			}
		}
	}
}

// Keys sort, filter, look into a job, and ask before they cancel one.
func TestTopObeysKeys(t *testing.T) {
	cheap, dear := running(), running()
	cheap.ID, cheap.Name, cheap.CostNow = 1, "fold", 100_000
	dear.ID, dear.Name, dear.CostNow = 2, "simulate", 900_000
	b := boardOf(t, 80, 24, cheap, dear)
	order := func() (ids string) {
		for i := range b.jobs {
			ids += string(rune('0' + b.jobs[i].ID))
		}
		return ids
	}
	press(b, "s", "s") // state, due, cost
	if order() != "12" {
		t.Errorf("by %s: %s", topOrders[b.sortBy], order())
	}
	if press(b, "r"); order() != "21" {
		t.Errorf("the other way round: %s", order())
	}
	press(b, "/")
	press(b, strings.Split("fo", "")...)
	if press(b, "enter"); order() != "1" || b.chosen != 1 {
		t.Errorf("filtered: %s, on %d", order(), b.chosen)
	}
	if press(b, "c"); !strings.Contains(b.View(), "cancel job 1? [y/N]") {
		t.Errorf("it does not ask:\n%s", b.View())
	}
	if press(b, "n"); !strings.Contains(b.View(), "nothing was cancelled") {
		t.Errorf("it does not say that nothing was:\n%s", b.View())
	}
	press(b, "enter")
	if b.Update(paneText{1, paneJob, []string{"job 1", "state running"}}); !strings.Contains(b.View(), "state running") {
		t.Errorf("the job is not there:\n%s", b.View())
	}
	if press(b, "esc", "esc"); order() != "21" {
		t.Errorf("all again: %s", order())
	}
	if press(b, "?"); !strings.Contains(b.View(), "filter by name") || !strings.Contains(b.View(), "esc back") {
		t.Errorf("the keys are not there:\n%s", b.View())
	}
	b.Update(topMessage{err: errUnwanted}) // and they stay
	if !strings.Contains(b.View(), "filter by name") {
		t.Errorf("the keys have gone:\n%s", b.View())
	}
	press(b, "esc")
	if !strings.Contains(b.View(), "no answer") || !strings.Contains(b.View(), "simulate") {
		t.Errorf("without an answer it shows\n%s", b.View())
	}
}

func TestTopOnce(t *testing.T) {
	f := newFloor()
	f.Put(running())
	open(t, f, v1.RoleUser)
	if out := mustLibra(t, "top", "--once"); !strings.Contains(out, "simulate") || !strings.Contains(out, "libra top") {
		t.Errorf("got\n%s", out)
	}
	if r := libra(t, "top"); r.code != exitFailure || !strings.Contains(r.err, "libra top --once") {
		t.Errorf("without a terminal: %+v", r)
	}
}

// A job that is looked into is wrapped to the terminal: nothing of it is cut off.
func TestTopWrapsAJob(t *testing.T) {
	f := newFloor()
	j := running()
	j.Name = "一つのとても長い名前の仕事で端末より長い"
	j.Request.Argv = []string{"./simulate", "--with", "a-long-argument-of-which-nothing-is-to-be-lost", "--and-another", "the-last-word"}
	j.Detail = "it waits for something that takes many words to be explained, the end of which is here"
	f.Put(j)
	server := open(t, f, v1.RoleUser)
	c, err := readContext()
	if err != nil {
		t.Fatal(err)
	}
	market, err := client.New(server.URL, c.Token, client.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	const columns = 40
	b := newTopBoard(market, &v1.Whoami{User: "alice"}, false)
	b.ctx, b.width, b.chosen = t.Context(), columns, j.ID
	said, ok := b.read(paneJob)().(paneText)
	if !ok {
		t.Fatal("no text")
	}
	for _, line := range said.lines {
		if columnsOf(line) > columns {
			t.Errorf("%d columns: %q", columnsOf(line), line)
		}
	}
	if all := strings.Join(strings.Fields(strings.Join(said.lines, "")), ""); !strings.Contains(all, "the-last-word") {
		t.Errorf("it was cut off:\n%s", strings.Join(said.lines, "\n"))
	}
}
