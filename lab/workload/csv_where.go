package workload

import (
	"errors"
	"strings"

	"github.com/libra-market/libra/core/market"
)

// nameSeparator is between names of nodes in a column, where a comma would end it.
const nameSeparator = ";"

var (
	errWord  = errors.New("want a word of letters, digits and - _ . in it")
	errWords = errors.New("want words of letters, digits and - _ . in them, with ; between them")
)

// where reads on which nodes a job may be, or names the column that is wrong. What many jobs
// say is kept once.
func (c *CSV) where(job *market.Job) (column int, err error) {
	var w market.Where
	for _, f := range []struct {
		column int
		into   *string
		wrong  error
	}{{columnPartition, &w.Partition, errWord}, {columnNodelist, &w.Nodes, errWords}, {columnExclude, &w.Exclude, errWords}} {
		text := c.text(f.column)
		if len(text) == 0 {
			continue
		}
		names := strings.Split(string(text), nameSeparator)
		for _, name := range names {
			if !market.Word(name) || f.column == columnPartition && len(names) > 1 {
				return f.column, f.wrong
			}
		}
		*f.into = strings.Join(names, ",")
	}
	if w == (market.Where{}) {
		return 0, nil
	}
	if c.wheres[w] == nil {
		if c.wheres == nil {
			c.wheres = map[market.Where]*market.Where{}
		}
		c.wheres[w] = &w
	}
	job.Where = c.wheres[w]
	return 0, nil
}

// Placed reports whether a job says on which nodes it may be.
func (a *Arrival) Placed() bool { return a.Job.Where != nil }

// places are the columns that say so.
func (a *Arrival) places() (partition, nodelist, exclude string) {
	w := a.Job.Where
	if w == nil {
		return "", "", ""
	}
	return w.Partition, strings.ReplaceAll(w.Nodes, ",", nameSeparator), strings.ReplaceAll(w.Exclude, ",", nameSeparator)
}
