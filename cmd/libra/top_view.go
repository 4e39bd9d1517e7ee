package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/plain"
)

// topFrame is how many lines stand around what is read: the head and the keys.
const topFrame = 4

// View draws it.
func (b *topBoard) View() string { return b.screen() }

// screen is all of it, in the lines and columns that there are.
func (b *topBoard) screen() string {
	lines := b.headLines()
	foot := b.footLine()
	room := b.height - len(lines) - 1
	if b.pane == paneJobs {
		nodes := b.nodeLines(max(1, room/3))
		lines = append(lines, nodes...)
		lines = append(lines, b.jobLines(room-len(nodes))...)
	} else {
		from := max(0, min(b.scroll, len(b.about)-1))
		lines = append(lines, b.about[from:min(len(b.about), from+max(0, room))]...)
	}
	for len(lines) < b.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:max(0, min(len(lines), b.height-1))], foot)
	for i := range lines {
		lines[i] = b.dressed(clipColumns(lines[i], b.width))
	}
	return strings.Join(lines, "\n")
}

// chosenMark begins the line that the cursor is on.
const chosenMark = "> "

// dressed gives a line its look. Without colours the mark alone says where the cursor is.
func (b *topBoard) dressed(line string) string {
	if b.colours && strings.HasPrefix(line, chosenMark) {
		return "\x1b[7m" + line + "\x1b[0m"
	}
	return line
}

func (b *topBoard) headLines() []string {
	p := &b.Prices
	said := []string{
		"libra top  " + plain.Text(p.Policy), cash(hourly(p.Rates).ProcessorHour) + " a processor-hour", fmt.Sprintf("%d of %d processors up", p.Up, p.Processors),
		fmt.Sprintf("in use %s %s", meter(p.Utilization, 10), percent(p.Utilization)), "promised " + percent(p.Kept),
	}
	if t := b.Today; t != nil {
		said = append(said, fmt.Sprintf("today %s, %s kept of %s", cash(t.Income), count(t.Kept), number(t.Promised, "promise")))
	}
	third := "as of " + moment(b.AtUS)
	if b.err != nil {
		third += ": no answer: " + plain.Text(b.err.Error())
	}
	return packed(append(said, third), b.width)
}

// packed puts what is said on as few lines as it fits on.
func packed(said []string, most int) []string {
	var lines []string
	for _, one := range said {
		if n := len(lines); n > 0 && columnsOf(lines[n-1])+gap+columnsOf(one) <= most {
			lines[n-1] += strings.Repeat(" ", gap) + one
			continue
		}
		lines = append(lines, one)
	}
	return lines
}

// nodeLines are the nodes, as many as there is room for; those that are down first.
func (b *topBoard) nodeLines(most int) []string {
	var lines []string
	for _, up := range []bool{false, true} {
		for i := range b.nodes {
			n := &b.nodes[i]
			if n.Up != up {
				continue
			}
			given, kept := n.Given, n.Kept
			if n.More == 0 {
				given, kept = 0, 0
				for _, l := range n.Loads {
					given, kept = given+l.Share, kept+l.Kept
				}
			}
			whole := float64(max(1, n.Processors))
			said := fmt.Sprintf(" %6s given %6s promised  %s", percent(given/whole), percent(kept/whole), number(int64(n.Processors), "processor"))
			name := fmt.Sprintf("%-16s ", clipColumns(plain.Text(n.Node), 16))
			line := name + meter(given/whole, min(20, max(6, b.width-columnsOf(name)-columnsOf(said)))) + said
			if !n.Up {
				line = fmt.Sprintf("%-16s down %s", clipColumns(plain.Text(n.Node), 16), plain.Text(n.Why))
			}
			lines = append(lines, line)
		}
	}
	if len(lines) > most {
		lines = append(lines[:most-1], fmt.Sprintf("... and %s more", number(int64(len(lines)-most+1), "node")))
	}
	return lines
}

// topColumns are what is said of a job, the most wanted first: what does not fit into
// the width is left out from the end.
var topColumns = []string{"job", "name", "state", "due", "cost", "progress", "share", "price", "penalty"}

func (b *topBoard) jobLines(room int) []string {
	if room < 2 {
		return nil
	}
	names := topColumns
	if b.all {
		names = append([]string{"job", "user"}, topColumns[1:]...)
	}
	at := max(0, b.row())
	from := max(0, min(at-(room-1)/2, len(b.jobs)-(room-1)))
	shown := b.jobs[from:min(len(b.jobs), from+room-1)]
	if len(shown) == 0 {
		return []string{"", "no jobs" + map[bool]string{true: " like that (esc shows all)"}[b.filter != ""]}
	}
	least := slices.Index(names, "cost") + 1 // rather than go without these, names are shortened
	for ; ; names = names[:len(names)-1] {
		lines := b.table(names, shown, 0)
		over := columnsOf(lines[0]) - b.width
		if len(names) <= 3 || over <= 0 {
			return lines
		}
		if long := longestName(shown) - over; len(names) <= least && long >= leastText {
			return b.table(names, shown, long)
		}
	}
}

func longestName(jobs []v1.Job) int {
	most := 0
	for i := range jobs {
		most = max(most, columnsOf(clipped(jobs[i].Name, mostName)))
	}
	return most
}

// table is jobs in columns, their names in at most so many, if that is not 0.
func (b *topBoard) table(names []string, jobs []v1.Job, name int) []string {
	g := &grid{left: 3}
	head := make([]string, len(names))
	columns := make([]*column[v1.Job], len(names))
	for i, name := range names {
		c, err := jobColumns.find("format", name)
		if err != nil {
			panic(err) // they are in the program
		}
		columns[i] = c
		head[i] = c.title()
		if topOrders[b.sortBy] == name {
			head[i] += map[bool]string{true: "-", false: "+"}[b.down]
		}
	}
	g.add(head...)
	for i := range jobs {
		cells := make([]string, len(columns))
		for k, c := range columns {
			if cells[k] = c.shown(&jobs[i]); c.name == "name" && name > 0 {
				cells[k] = clipColumns(cells[k], name)
			}
		}
		g.add(cells...)
	}
	var text strings.Builder
	_ = g.write(&text, "  ") // into memory
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	widest := 0
	for _, line := range lines {
		widest = max(widest, columnsOf(line))
	}
	lines[0] += strings.Repeat(" ", widest-columnsOf(lines[0])) // so that its width is the table's
	for i := range jobs {
		if jobs[i].ID == b.chosen {
			lines[i+1] = chosenMark + strings.TrimPrefix(lines[i+1], "  ")
		}
	}
	return lines
}

func (b *topBoard) footLine() string {
	switch {
	case b.asking != 0:
		return fmt.Sprintf("cancel job %d? [y/N]", b.asking)
	case b.typing:
		return "filter: " + plain.Text(b.filter) + "_  (enter keeps it, esc drops it)"
	case b.note != "":
		return b.note
	case b.pane == paneOutput:
		return fmt.Sprintf("output of job %d   up/down scroll  esc back  q quit", b.chosen)
	case b.pane == paneKeys:
		return "keys   esc back  q quit"
	case b.pane == paneJob:
		return fmt.Sprintf("job %d   up/down scroll  l output  c cancel  esc back  q quit", b.chosen)
	}
	foot := fmt.Sprintf("%s by %s", number(int64(len(b.jobs)), "job"), topOrders[b.sortBy])
	if b.filter != "" {
		foot += ", " + plain.Text(b.filter)
	}
	for _, keys := range topKeys {
		if columnsOf(foot)+columnsOf(keys) <= b.width {
			return foot + keys
		}
	}
	return foot + topKeys[len(topKeys)-1]
}

// topHelp is all keys.
var topHelp = []string{
	"arrows    move; so do page keys, home and end",
	"s         sort by another column",
	"r         turn the order",
	"/         filter by name, user or state; esc drops it",
	"enter     look into the job",
	"l         follow what it writes",
	"c         cancel it, and asks",
	"a         everybody's jobs, for an owner",
	"?         these keys",
	"esc       back",
	"q         end",
}

// topKeys are the keys that are said, as many as there is room for: all of them are behind ?.
var topKeys = []string{
	"  q quit  ? keys  s sort  r reverse  / filter  enter job  l output  c cancel",
	"  q quit  s sort  / filter  enter job  l output  c cancel",
	"  q quit  ? keys  enter job  l output  c cancel",
	"  q quit  c cancel",
}
