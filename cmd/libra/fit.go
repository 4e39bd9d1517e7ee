package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/libra-market/libra/core/plain"
)

// columnsIn is how many columns there are where something is written; 0: as many as it
// needs, because nobody watches.
func columnsIn(to io.Writer) int {
	if s, is := to.(*screen); is {
		if s.columns > 0 {
			return s.columns
		}
		to = s.to
	}
	file, ok := to.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// leastText is how narrow a column of text can be made.
const leastText = 10

// gap is between two columns.
const gap = 2

// fit makes rows that a line of so many columns takes. A table that is too wide goes
// without the columns that it can spare, then with a shorter text, and then each row is
// a few lines. Where there is no head, the text of the last column is put in lines.
func (g *grid) fit(most int) (rows [][]string) {
	whole := make([]bool, g.across())
	for i := range whole {
		whole[i] = true
	}
	widths := g.widths()
	if most <= 0 || lineOf(widths, whole) <= most {
		return g.lay(widths, whole)
	}
	if !g.head {
		return g.wrapped(widths, most)
	}
	for _, column := range g.spare {
		if column < len(whole) {
			whole[column] = false
		}
		if lineOf(widths, whole) <= most {
			return g.lay(widths, whole)
		}
	}
	if g.text > 0 && g.text < len(widths) && whole[g.text] {
		if room := widths[g.text] - (lineOf(widths, whole) - most); room >= leastText {
			widths[g.text] = room
			return g.lay(widths, whole)
		}
	}
	return g.stacked(most)
}

func (g *grid) across() int {
	n := 0
	for _, row := range g.rows {
		n = max(n, len(row))
	}
	return n
}

func (g *grid) widths() []int {
	widths := make([]int, g.across())
	for _, row := range g.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], columnsOf(cell))
		}
	}
	return widths
}

// lineOf is how long the longest line can be with those columns.
func lineOf(widths []int, shown []bool) int {
	n, long := -gap, 0
	for i, width := range widths {
		if !shown[i] {
			continue
		}
		n += width + gap
		if width > 0 { // what is empty at the end is not written
			long = n
		}
	}
	return long
}

// lay puts each row on a line.
func (g *grid) lay(widths []int, shown []bool) [][]string {
	rows := make([][]string, len(g.rows))
	for r, row := range g.rows {
		rows[r] = []string{g.line(row, widths, shown)}
	}
	return rows
}

func (g *grid) line(row []string, widths []int, shown []bool) string {
	var line strings.Builder
	first := true
	for i, cell := range row {
		if !shown[i] {
			continue
		}
		if !first {
			line.WriteString(strings.Repeat(" ", gap))
		}
		first = false
		cell = clipColumns(cell, widths[i])
		pad := strings.Repeat(" ", widths[i]-columnsOf(cell))
		if i < g.left {
			line.WriteString(cell + pad)
		} else {
			line.WriteString(pad + cell)
		}
	}
	return strings.TrimRight(line.String(), " ")
}

// wrapped puts the text of the widest column of words in lines; what stands beside it is
// on the first.
func (g *grid) wrapped(widths []int, most int) [][]string {
	wide := 0
	for i := range min(g.left, len(widths)) {
		if widths[i] >= widths[wide] {
			wide = i
		}
	}
	shown := make([]bool, len(widths))
	for i := range shown {
		shown[i] = true
	}
	room := widths[wide] - (lineOf(widths, shown) - most)
	if room < leastText { // it would not help
		return g.lay(widths, shown)
	}
	widths[wide] = room
	rows := make([][]string, len(g.rows))
	for r, row := range g.rows {
		if wide >= len(row) {
			rows[r] = []string{g.line(row, widths, shown)}
			continue
		}
		for k, part := range inColumns(row[wide], widths[wide]) {
			cells := make([]string, len(row))
			if k == 0 {
				copy(cells, row)
			}
			cells[wide] = part
			rows[r] = append(rows[r], g.line(cells, widths, shown))
		}
	}
	return rows
}

// stacked makes a few lines of each row: what it is called, and below it the rest, each
// with its name.
func (g *grid) stacked(most int) [][]string {
	rows := make([][]string, len(g.rows))
	head := g.rows[0]
	for r, row := range g.rows[1:] {
		title, second := row[0], 0
		if second = max(g.text, min(1, g.left-1)); second > 0 && second < len(row) {
			title += "  " + row[second]
		}
		if row[0] == "" {
			title = strings.TrimSpace(title)
		}
		lines := []string{clipColumns(title, most)}
		below := title[:len(title)-len(strings.TrimLeft(title, " "))] + "  " // what stands under it in a tree
		line := ""
		for i, cell := range row {
			if cell = strings.TrimSpace(cell); i == 0 || i == second || cell == "" || cell == "-" {
				continue
			}
			pair := strings.TrimSpace(head[min(i, len(head)-1)] + " " + cell)
			if line != "" && columnsOf(line)+gap+columnsOf(pair) > most {
				lines, line = append(lines, line), ""
			}
			if line == "" {
				line = below + clipColumns(pair, max(leastText, most-len(below)))
			} else {
				line += "  " + pair
			}
		}
		if line != "" {
			lines = append(lines, line)
		}
		rows[r+1] = lines
	}
	return rows
}

// inColumns breaks a text into lines between words; a word that is too long for one is
// broken where it has to be.
func inColumns(text string, most int) []string {
	if columnsOf(text) <= most {
		return []string{text}
	}
	if bare := strings.TrimLeft(text, " "); bare != text { // what stands in stays in
		indent := text[:len(text)-len(bare)]
		lines := inColumns(bare, max(1, most-len(indent)))
		for i := range lines {
			lines[i] = indent + lines[i]
		}
		return lines
	}
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		for {
			switch {
			case line == "" && columnsOf(word) <= most:
				line = word
			case line != "" && columnsOf(line)+1+columnsOf(word) <= most:
				line += " " + word
			case line != "":
				lines, line = append(lines, line), ""
				continue
			default:
				cut := cutColumns(word, most)
				lines, word = append(lines, word[:cut]), word[cut:]
				continue
			}
			break
		}
	}
	return append(lines, line)
}

// paragraph writes a text after a mark, in lines that the terminal has the columns for,
// the others as far in as the first.
func paragraph(to io.Writer, mark, text string) error {
	lines := []string{text}
	if most := columnsIn(to); most > columnsOf(mark) {
		lines = inColumns(plain.Text(text), most-columnsOf(mark))
	}
	for i, line := range lines {
		if i == 1 {
			mark = strings.Repeat(" ", columnsOf(mark))
		}
		if _, err := printline(to, mark+line); err != nil {
			return err
		}
	}
	return nil
}

// cutColumns is how much of a text, in bytes, takes at most so many columns, and at least
// one character.
func cutColumns(text string, most int) int {
	n := 0
	for i, r := range text {
		if n += runeColumns(r); n > most && i > 0 {
			return i
		}
	}
	return len(text)
}
