package main

import (
	"bytes"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/core/plain"
)

// press does what a key says.
func (b *topBoard) press(key tea.KeyMsg) (tea.Model, tea.Cmd) {
	switch {
	case key.Type == tea.KeyCtrlC:
		return b, tea.Quit
	case b.typing:
		b.typeFilter(key)
		return b, nil
	case b.asking != 0:
		id := b.asking
		if b.asking = 0; key.String() == "y" {
			return b, b.cancel(id)
		}
		b.note = "nothing was cancelled"
		return b, nil
	}
	b.note = ""
	switch key.String() {
	case "q":
		return b, tea.Quit
	case "esc", "backspace":
		if b.pane == paneJobs {
			b.filter = ""
			b.arrange()
		}
		b.pane = paneJobs
	case "up", "k":
		b.move(-1)
	case "down", "j":
		b.move(1)
	case "pgup":
		b.move(-b.height / 2)
	case "pgdown", " ":
		b.move(b.height / 2)
	case "home", "g":
		b.move(-1 << 30)
	case "end", "G":
		b.move(1 << 30)
	case "s":
		b.sortBy = (b.sortBy + 1) % len(topOrders)
		b.arrange()
	case "r":
		b.down = !b.down
		b.arrange()
	case "/":
		b.pane, b.typing = paneJobs, true
	case "a":
		b.all = !b.all
		return b, b.look()
	case "enter":
		return b, b.open(paneJob)
	case "l":
		return b, b.open(paneOutput)
	case "?":
		b.pane, b.about, b.scroll = paneKeys, topHelp, 0
	case "c":
		if b.row() >= 0 {
			b.asking = b.chosen
		}
	}
	return b, nil
}

func (b *topBoard) typeFilter(key tea.KeyMsg) {
	switch key.Type { //nolint:exhaustive // all other keys are none of a name
	case tea.KeyEnter:
		b.typing = false
	case tea.KeyEsc:
		b.typing, b.filter = false, ""
	case tea.KeyBackspace:
		if runes := []rune(b.filter); len(runes) > 0 {
			b.filter = string(runes[:len(runes)-1])
		}
	case tea.KeyRunes, tea.KeySpace:
		b.filter += string(key.Runes)
	}
	b.arrange()
}

// open looks into the chosen job.
func (b *topBoard) open(pane topPane) tea.Cmd {
	if b.row() < 0 {
		return nil
	}
	b.pane, b.about, b.scroll = pane, []string{"..."}, 0
	return b.read(pane)
}

// read fetches what a pane shows of the chosen job.
func (b *topBoard) read(pane topPane) tea.Cmd {
	id, ctx, columns := b.chosen, b.ctx, b.width
	return func() tea.Msg {
		var text bytes.Buffer
		sheet := &screen{to: &text}
		if pane != paneOutput { // what somebody wrote stays as it is
			sheet.columns = columns
		}
		err := func() error {
			if pane == paneOutput {
				last, _, err := lastLines(ctx, b.market, id, client.Output{}, topTail)
				_, _ = sheet.Write(last)
				return err
			}
			j, err := b.market.Job(ctx, id)
			if err != nil {
				return err
			}
			return printJob(sheet, &j)
		}()
		if err != nil {
			printf(sheet, "%v\n", err)
		}
		return paneText{id, pane, strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")}
	}
}

// topTail is how many lines of an output can be looked at.
const topTail = 1000

// cancel takes a job back.
func (b *topBoard) cancel(id int64) tea.Cmd {
	return func() tea.Msg {
		j, err := b.market.Cancel(b.ctx, id)
		if err != nil {
			return noteText(plain.Text(fmt.Sprintf("job %d: %v", id, err)))
		}
		return noteText(plain.Text(fmt.Sprintf("job %d is %s", id, j.Shown())))
	}
}
