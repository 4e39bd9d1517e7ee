package front_test

import (
	"encoding/json"
	"strings"
)

// What requests are made of: what people send, and what nobody would.

// sane are values by the name of the field, such that many requests are good.
var sane = map[string][]any{
	"id": {1, 2, 3, 5, 8, 13, 40, 100, "q1", "1"}, "job": {1, 2, 3, 5, 8, 13}, "rank": {0, 0, 1}, "attempt": {0, 0, 1},
	"node": {"n1"}, "path": {"lab/alice", "lab/bob", "lab", "@owner"}, "account": {"lab/alice", "lab/bob", "lab"}, "to": {"lab/alice", "lab/bob"}, "from": {"lab/alice", "lab/bob"},
	"prefix": {"lab"}, "user": {"alice", "bob"}, "owner": {"alice", "bob"}, "after": {0, 1, 5}, "before": {0, 10}, "limit": {1, 10, 100}, "since": {0, 1},
	"wait_ms": {0, 1}, "month": {"2026-11", "2026-01"}, "format": {"csv", "focus", "json"}, "state": {"running", "ended", "lost", "refused", "completed", "queued"},
	"argv": {[]string{"true"}, []string{"sleep", "1"}}, "estimate_ms": {1000, 60_000, 3_600_000, 1}, "deadline_ms": {0, 100_000, 7_200_000, 1},
	"threads": {1, 2, 4}, "processors": {1, 2, 3}, "budget_micros": {1_000_000, 1e9, 0}, "penalty_micros_per_s": {0, 1, 100}, "memory_mb": {0, 64}, "disk_mb": {0, 64},
	"after_jobs": {[]int{1}}, "script": {"#!/bin/sh\necho hello\n"}, "dir": {"/tmp"}, "overrun": {"", "late", "stop", "extend"}, "class": {0, 1},
	"cpu_us": {0, 1_000_000, 60_000_000}, "declined_us": {0, 1_000_000}, "started_us": {0, 1, 1_760_000_000_000_000}, "ended_us": {0, 1, 1_760_000_000_000_000}, "amount_micros": {1, 1000, 1_000_000},
	"policy": {"libra", "libra+$", "edf", "fcfs", "librasla"}, "op": {"grant", "transfer", "open", "bind"}, "role": {"user", "node", "owner"}, "ran_us": {0, 5_000_000}, "ago_us": {0, 1000},
	"boot": {"b"}, "rating": {1, 0.5}, "speed": {1, 2}, "work_ms": {1000}, "rate_micros_per_s": {1, 100}, "stream": {"output", "error"}, "quote": {"q1", "q2", "q3"}, "name": {"a job", "x"},
}

var wildNumbers = []json.Number{
	"0", "-1", "1", "2147483647", "2147483648", "4294967296", "4294967298", "9007199254740993", "9223372036854775807", "-9223372036854775808",
	"9223372036854775808", "18446744073709551616", "1e99", "-1e99", "1e-99", "0.1", "100000000", "1000000000000000", "1e308", "1.7976931348623157e308", "-0",
}

var words = []string{
	"", " ", "alice", "lab/alice", "n1", "q1", "true", "0", "-1", "null", "@owner", "@", "/", "..", "../../etc/passwd", "lab//alice", "lab/alice/", "/lab", "LAB/ALICE",
	"a\x00b", "\n", "é", "日本語", "\u202e\u0000", "🦀🦀🦀", "\ufeff", "%s%n%d", "'; DROP TABLE jobs; --", "<script>alert(1)</script>", "${jndi:ldap://x}", "\\", "\"",
	strings.Repeat("a", 801), strings.Repeat("x/", 500), strings.Repeat("é", 5000), strings.Repeat("A", 1<<17), "2026-13", "2026-11-31T25:61:61Z", "NaN", "Infinity", "1e99",
}

var wildValues = []any{
	nil, true, false, []any{}, map[string]any{}, []any{[]any{[]any{}}}, map[string]any{"": ""}, []any{nil}, "", "9223372036854775808", deep(60), deep(2000), many(5000),
}

var wildBodies = []string{
	"", "null", "[]", "{}", "{", "\xff\xfe", "{}{}", `{"request":null}`, `{"request":[]}`, strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 20_000), `"` + strings.Repeat("x", 1<<20) + `"`,
	`{"request":{"estimate_ms":1000,"threads":100000000}}`, `{"request":{"argv":["true"],"estimate_ms":1000,"processors":2147483647}}`, `{"request":{"argv":["x"],"estimate_ms":1,"array":{"first":0,"last":9223372036854775807}}}`,
	`{"request":{"argv":["x"],"estimate_ms":9223372036854775807,"deadline_ms":9223372036854775807,"budget_micros":9223372036854775807}}`, `{"tasks":[{"job":1,"state":"ended","cpu_us":9223372036854775807,"ended_us":9223372036854775807}]}`,
	`{"from":"lab/alice","to":"lab/alice","amount_micros":1}`, `{"to":"lab/alice","amount_micros":9223372036854775807}`,
}

func deep(n int) any {
	var v any = 1
	for range n {
		v = []any{v}
	}
	return v
}

func many(n int) any {
	list := make([]any, n)
	for i := range list {
		list[i] = i
	}
	return list
}
