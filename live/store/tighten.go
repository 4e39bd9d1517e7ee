package store

import (
	"context"
	"database/sql"
	"fmt"
)

// sqliteTighten writes rows of a table anew. SQLite joins pages that rows have left,
// but not pages whose rows have become small: without this a packed row goes on taking
// the page that it filled before. %[1]s is the table, %[2]s its key, and the argument, where
// there is one, those of the rows.
var sqliteTighten = []string{
	"CREATE TEMP TABLE IF NOT EXISTS tight_%[1]s AS SELECT * FROM main.%[1]s LIMIT 0",
	"INSERT INTO temp.tight_%[1]s SELECT * FROM main.%[1]s WHERE %[2]s IN (SELECT value FROM json_each(?))",
	"DELETE FROM main.%[1]s WHERE %[2]s IN (SELECT value FROM json_each(?))",
	"INSERT INTO main.%[1]s SELECT * FROM temp.tight_%[1]s ORDER BY %[2]s",
	"DELETE FROM temp.tight_%[1]s",
}

// tighten gives back the room of rows that have become smaller, where the database does
// not do so by itself.
func (d *database) tighten(ctx context.Context, tx *sql.Tx, table, key string, rows []repacked) error {
	if len(rows) == 0 {
		return nil
	}
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].key
	}
	keys := d.list(ids)
	for i, statement := range d.tightening {
		var args []any
		if i == 1 || i == 2 {
			args = []any{keys}
		}
		if _, err := tx.ExecContext(ctx, fmt.Sprintf(statement, table, key), args...); err != nil {
			return fmt.Errorf("tighten %s: %w", table, err)
		}
	}
	return nil
}
