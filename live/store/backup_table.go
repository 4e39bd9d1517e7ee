package store

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// kind is what a column holds.
type kind int

const (
	number64 kind = iota
	words
	octets
	octetsOrNull
)

// field is a column of a table as a backup has it.
type field struct {
	name    string
	kind    kind
	since   int64 // the form that brought it
	instead any   // its value in rows from before
}

// table is a table as a backup has it.
type table struct {
	name   string
	since  int64
	order  string
	where  string
	fields []field
}

// backupTables are the tables of a backup, in the order of the file. What
// follows from others (counts of jobs, which transactions touch an account) is
// not among them and is made anew.
var backupTables = []table{
	{name: "head", since: 1, order: "one", fields: []field{
		{name: "one"}, {name: "seq"}, {name: "hash", kind: octetsOrNull}, {name: "fence"},
	}},
	{name: "meta", since: 1, order: "key", fields: []field{{name: "key", kind: words}, {name: "value", kind: words}}},
	{name: "log", since: 1, order: "seq", fields: []field{
		{name: "seq"},
		{name: "at"},
		{name: "kind", kind: words},
		{name: "version", since: formVersions, instead: int64(1)},
		{name: "body", kind: octets},
		{name: "hash", kind: octets},
	}},
	{name: "jobs", since: 1, order: "id", fields: []field{
		{name: "id"},
		{name: "owner", kind: words},
		{name: "account", kind: words},
		{name: "name", kind: words},
		{name: "state", kind: words},
		{name: "submitted"},
		{name: "ended"},
		{name: "body", kind: octets},
	}},
	{name: "job_specs", since: 1, order: "id", fields: []field{{name: "id"}, {name: "spec", kind: octets}}},
	{name: "txs", since: 1, order: "seq", fields: []field{
		{name: "seq"},
		{name: "at"},
		{name: "kind", kind: words},
		{name: "job"},
		{name: "memo", kind: words},
		{name: "hash", kind: octets},
		{name: "body", kind: octets},
		{name: "postings", kind: octets},
	}},
	{name: "replies", since: 1, order: "id", fields: []field{
		{name: "id"},
		{name: "owner", kind: words},
		{name: "key", kind: words},
		{name: "digest", kind: octets},
		{name: "body", kind: octets},
		{name: "at"},
	}},
	{name: "snapshots", since: 1, order: "id", where: "done = 1", fields: []field{
		{name: "id"}, {name: "seq"}, {name: "at"}, {name: "version", kind: words}, {name: "digest", kind: octets}, {name: "done"},
	}},
	{name: "snapshot_parts", since: 1, order: "snapshot, n", where: "snapshot IN (SELECT id FROM snapshots WHERE done = 1)", fields: []field{
		{name: "snapshot"}, {name: "n"}, {name: "body", kind: octets},
	}},
	{name: "tokens", since: 1, order: "hash", fields: []field{
		{name: "hash", kind: octets},
		{name: "person", kind: words},
		{name: "role", kind: words},
		{name: "name", kind: words},
		{name: "created"},
		{name: "expires"},
		{name: "used"},
		{name: "revoked"},
	}},
	{name: "notes", since: 2, order: "kind, key", fields: []field{
		{name: "kind", kind: words}, {name: "key", kind: words}, {name: "body", kind: octets},
	}},
	{name: "archives", since: formArchives, order: "first", fields: []field{
		{name: "first"},
		{name: "last"},
		{name: "first_at"},
		{name: "last_at"},
		{name: "hash", kind: octets},
		{name: "file", kind: words},
		{name: "size"},
		{name: "digest", kind: octets},
		{name: "index_at"},
	}},
}

// appendValue writes a value as JSON: bytes that are text as a string, so that a
// backup can be read by people and packs well, others as a list of one string
// in base64.
func appendValue(to []byte, k kind, value any) ([]byte, error) {
	switch v := value.(type) {
	case int64:
		return strconv.AppendInt(to, v, 10), nil
	case string:
		return appendText(to, v)
	case []byte:
		switch {
		case v == nil && k == octetsOrNull:
			return append(to, "null"...), nil
		case utf8.Valid(v):
			return appendText(to, string(v))
		}
		to = append(to, '[', '"')
		to = base64.StdEncoding.AppendEncode(to, v)
		return append(to, '"', ']'), nil
	}
	return nil, fmt.Errorf("a backup cannot hold a %T", value)
}

func appendText(to []byte, text string) ([]byte, error) {
	quoted, err := json.Marshal(text)
	return append(to, quoted...), err
}

// parseValue is the other way round.
func parseValue(k kind, text json.RawMessage) (any, error) {
	switch k {
	case number64:
		return strconv.ParseInt(string(text), 10, 64)
	case words:
		var s string
		err := json.Unmarshal(text, &s)
		return s, err
	case octets, octetsOrNull:
	}
	if k == octetsOrNull && string(text) == "null" {
		return []byte(nil), nil
	}
	if len(text) > 0 && text[0] == '[' {
		var list [1][]byte
		err := json.Unmarshal(text, &list)
		return some(list[0]), err
	}
	var s string
	err := json.Unmarshal(text, &s)
	return []byte(s), err
}
