package store

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strconv"
	"strings"
)

// leg is one run of an index in which IDs stand in order: all with these values
// in the columns before. Pages are merged from legs, so that their cost does not
// depend on how many rows the legs have.
type leg struct {
	where  string
	args   []any
	newest int64 // where legs come in the order of it: no ID in the leg is greater; 0: not known
}

// legsAtOnce is how many legs go into one statement.
const legsAtOnce = 24

// span is a range of IDs without its ends.
type span struct{ after, before int64 }

func wholeSpan() span { return span{math.MinInt64, math.MaxInt64} }

// order is how IDs are asked for.
type order int

const (
	oldestFirst order = 1
	newestFirst order = -1
)

// ids are the first IDs that the legs have within a span, without repetition.
func (d *database) ids(ctx context.Context, on querier, table, id string, legs []leg, in span, by order, limit int) ([]int64, error) {
	var best []int64
	direction := map[order]string{oldestFirst: "", newestFirst: " DESC"}[by]
	first := " LIMIT " + strconv.Itoa(limit) // as an argument it makes SQLite plan twice
	for some := range slices.Chunk(legs, legsAtOnce) {
		if by == newestFirst && len(best) >= limit && some[0].newest != 0 && some[0].newest <= in.after {
			break // nor have the legs after it anything newer
		}
		var statement strings.Builder
		var args []any
		for i, l := range some {
			if i > 0 {
				statement.WriteString(" UNION ")
			}
			statement.WriteString("SELECT x FROM (SELECT " + id + " AS x FROM " + table + " WHERE " + l.where + " AND " +
				id + " > ? AND " + id + " < ? ORDER BY " + id + direction + first + ") AS leg")
			args = append(append(args, l.args...), in.after, in.before)
		}
		statement.WriteString(" ORDER BY x" + direction + first)
		err := d.each(ctx, on, statement.String(), args, func(rows *sql.Rows) error {
			var x int64
			err := rows.Scan(&x)
			best = append(best, x)
			return err
		})
		if err != nil {
			return nil, err
		}
		slices.SortFunc(best, func(a, b int64) int { return int(by) * cmp.Compare(a, b) })
		best = slices.Compact(best)
		if len(best) >= limit { // the others must be better than the worst of these
			best = best[:limit]
			if by == newestFirst {
				in.after = best[limit-1]
			} else {
				in.before = best[limit-1]
			}
		}
	}
	return best, nil
}

// since is the first ID whose time is not before a time. Times never run back
// from one ID to the next, so it is found by halving, without an index.
func (d *database) since(ctx context.Context, on querier, table, id, at string, time int64) (int64, error) {
	middle := "(SELECT " + at + " FROM " + table + " WHERE " + id + " >= (lo + hi) / 2 ORDER BY " + id + " LIMIT 1)"
	statement := "WITH RECURSIVE search(lo, hi) AS (" +
		"SELECT coalesce((SELECT min(" + id + ") FROM " + table + "), 0), coalesce((SELECT max(" + id + ") FROM " + table + "), 0) + 1" +
		" UNION ALL SELECT CASE WHEN " + middle + " < ? THEN (lo + hi) / 2 + 1 ELSE lo END," +
		" CASE WHEN " + middle + " < ? THEN hi ELSE (lo + hi) / 2 END FROM search WHERE lo < hi)" +
		" SELECT max(lo) FROM search"
	var first int64
	err := d.each(ctx, on, statement, []any{time, time}, func(rows *sql.Rows) error { return rows.Scan(&first) })
	return first, err
}

// within is the span of the IDs whose times are in [from, to); zero: no limit.
func (d *database) within(ctx context.Context, on querier, table, id, at string, from, to int64) (span, error) {
	s := wholeSpan()
	if from != 0 {
		first, err := d.since(ctx, on, table, id, at, from)
		if err != nil {
			return s, err
		}
		s.after = first - 1
	}
	if to != 0 {
		first, err := d.since(ctx, on, table, id, at, to)
		if err != nil {
			return s, err
		}
		s.before = first
	}
	return s, nil
}

// subtree restricts a column to an account and all below it. The slash comes
// right before the zero, so all that begin with "a/" lie before "a0".
func subtree(column, account string) leg {
	return leg{
		where: "(" + column + " = ? OR " + column + " > ? AND " + column + " < ?)",
		args:  []any{account, account + "/", account + "0"},
	}
}
