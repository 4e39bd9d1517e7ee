package main

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/plain"
)

// grouped writes a number for people: thousands apart, so many decimals.
func grouped(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	text := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	var b strings.Builder
	if x < 0 && strings.Trim(text, "0.") != "" {
		b.WriteByte('-')
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if fraction != "" {
		b.WriteString("." + fraction)
	}
	return b.String()
}

func count(n int64) string { return grouped(float64(n), 0) }

// number counts things: 1 job, 2 jobs.
func number(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(n) + " " + thing + "s"
}

// amount writes money: exact to the cent while that can be read at all.
func amount(x float64) string {
	if math.Abs(x) >= 1e4 {
		return grouped(x, 0)
	}
	return grouped(x, 2)
}

func percent(part float64) string { return grouped(part*100, 1) + " %" }

// percentOf is the part of a whole, or nothing where there is no whole.
func percentOf(part, whole int64) string {
	if whole == 0 {
		return ""
	}
	return percent(float64(part) / float64(whole))
}

// grid is text in columns. The first columns, as many as left says, stand to
// the left; the others are numbers and stand to the right. On a terminal that has not
// the columns for it, it is made to fit.
type grid struct {
	left  int
	rows  [][]string
	head  bool  // the first row names the columns
	spare []int // columns that it can go without, the first of them first
	text  int   // a column that can be shortened; 0: none
}

// add adds a row. What stands in a cell stays in it.
func (g *grid) add(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = plain.Text(cell)
	}
	g.rows = append(g.rows, row)
}

func (g *grid) write(to io.Writer, indent string) error {
	most := columnsIn(to)
	if most > 0 {
		most = max(1, most-columnsOf(indent))
	}
	out := bufio.NewWriter(to)
	for _, lines := range g.fit(most) {
		for _, line := range lines {
			out.WriteString(strings.TrimRight(indent+line, " ") + "\n") // Flush tells of errors
		}
	}
	return out.Flush()
}
