package main

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/core/plain"
	"github.com/libra-market/libra/core/spelling"
)

// column is something to know of what is listed: for people, for programs, and as what
// lists are sorted by.
type column[T any] struct {
	name   string
	head   string // above it; "": the name
	wide   bool   // only in wide lists
	words  bool   // stands to the left
	amount bool   // of money: its head has the unit
	shown  func(*T) string
	exact  func(*T) string // nil: as shown
	order  func(*T) int64  // nil: by the text
}

// columns are all that can be asked for of a kind of things, in the order of a wide list.
// The first is what each is called.
type columns[T any] []column[T]

func (c *column[T]) value(item *T) string {
	if c.exact != nil {
		return c.exact(item)
	}
	return c.shown(item)
}

func (c *column[T]) compare(a, b *T) int {
	if c.order != nil {
		return cmp.Compare(c.order(a), c.order(b))
	}
	return cmp.Compare(c.value(a), c.value(b))
}

func (c *column[T]) title() string {
	title := cmp.Or(c.head, c.name)
	if c.amount {
		return inUnit(title)
	}
	return title
}

func (all columns[T]) names() []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name
	}
	return names
}

func (all columns[T]) find(flag, name string) (*column[T], error) {
	for i := range all {
		if all[i].name == name {
			return &all[i], nil
		}
	}
	return nil, notOneOf(flag, name, all.names())
}

// notOneOf says that the value of a flag is none of those there are, and which was meant
// perhaps.
func notOneOf(flag, value string, words []string) error {
	return usagef("--%s: %q is not one of %s%s", flag, value, strings.Join(words, ", "), spelling.Hint(value, words))
}

// The forms in which a list can be had.
const (
	asTable = "table"
	asWide  = "wide"
	asNames = "name"
	asJSON  = "json"
	asCSV   = "csv"
)

var listForms = []string{asTable, asWide, asNames, asJSON, asCSV}

// look says how a list is printed.
type look struct {
	form   string
	format []string // the columns, if they are named
	sortBy string   // a column; -column is the other way round
}

// flags are those of a list whose columns have these names.
func (l *look) flags(cmd *cobra.Command, names []string) {
	f := cmd.Flags()
	f.StringVarP(&l.form, "output", "o", asTable, "`form`: table, wide, name (the first column alone), json or csv (exact amounts, all columns)")
	f.StringSliceVar(&l.format, "format", nil, "these `columns`: "+strings.Join(names, ", "))
	f.StringVar(&l.sortBy, "sort-by", "", "`column` to sort by; -column for the largest first (--sort-by=-"+names[len(names)/2]+")")
	completeFlag(cmd, "output", listForms...)
	completeFlag(cmd, "format", names...)
	completeFlag(cmd, "sort-by", names...)
}

// usual reports whether nobody asked for anything but how such things are shown to people.
func (l *look) usual() bool { return l.form == asTable && len(l.format) == 0 && l.sortBy == "" }

// check finds what is wrong with what was asked for, before a market is.
func (all columns[T]) check(l *look) error {
	_, err := all.chosen(l)
	if err != nil {
		return err
	}
	return all.sort(l, nil)
}

// chosen are those columns that are asked for; of the wide ones a table has those named.
func (all columns[T]) chosen(l *look, too ...string) ([]*column[T], error) {
	if !slices.Contains(listForms, l.form) {
		return nil, notOneOf("output", l.form, listForms)
	}
	var chosen []*column[T]
	for _, name := range l.format {
		c, err := all.find("format", name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, c)
	}
	if len(chosen) > 0 {
		return chosen, nil
	}
	for i := range all {
		if c := &all[i]; !c.wide || l.form != asTable || slices.Contains(too, c.name) {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// sort puts things in the order that is asked for; those that are alike stay as they are.
func (all columns[T]) sort(l *look, items []T) error {
	if l.sortBy == "" {
		return nil
	}
	name, down := strings.CutPrefix(l.sortBy, "-")
	c, err := all.find("sort-by", name)
	if err != nil {
		return err
	}
	slices.SortStableFunc(items, func(a, b T) int {
		if down {
			return c.compare(&b, &a)
		}
		return c.compare(&a, &b)
	})
	return nil
}

// print prints a list that is no JSON, in the order that is asked for.
func (all columns[T]) print(l *look, out io.Writer, items []T) error {
	chosen, err := all.chosen(l)
	if err == nil {
		items = slices.Clone(items)
		err = all.sort(l, items)
	}
	switch {
	case err != nil:
		return err
	case l.form == asNames:
		return all.printNames(out, items)
	case l.form == asCSV:
		return writeCSV(out, items, chosen)
	}
	g := &grid{head: true}
	head := make([]string, len(chosen))
	for i, c := range chosen {
		head[i] = c.title()
		if c.words && g.left == i { // what stands before numbers
			g.left = i + 1
		}
	}
	g.add(head...)
	for i := range items {
		cells := make([]string, len(chosen))
		for k, c := range chosen {
			cells[k] = c.shown(&items[i])
		}
		g.add(cells...)
	}
	return g.write(out, "")
}

// printNames prints what things are called, and nothing else.
func (all columns[T]) printNames(out io.Writer, items []T) error {
	for i := range items {
		if _, err := printline(out, all[0].value(&items[i])); err != nil {
			return err
		}
	}
	return nil
}

func writeCSV[T any](out io.Writer, items []T, chosen []*column[T]) error {
	w := csv.NewWriter(out)
	cells := make([]string, len(chosen))
	for i, c := range chosen {
		cells[i] = c.name
	}
	if err := w.Write(cells); err != nil {
		return err
	}
	for i := range items {
		for k, c := range chosen {
			cells[k] = plain.Cell(c.value(&items[i]))
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
