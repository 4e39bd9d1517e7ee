package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// Messages name what was typed, in the form in which it is typed.
func TestMessagesNameWhatWasTyped(t *testing.T) {
	for _, c := range []struct{ field, text, want string }{
		{"grace_ms", "grace_ms: want 0 to 600000", "--grace: want 0s to 10m"},
		{"request.grace_ms", "request.grace_ms: want 0 to 600000", "--grace: want 0s to 10m"},
		{"ttl_ms", "ttl_ms: want 0 (90 days) to ten years", "--ttl: want 0s (90 days) to ten years"},
		{"deadline_ms", "deadline_ms: want 0 (none) or more, at most 5400000", "--deadline: want 0s (none) or more, at most 1h30m"},
		{"processors", "processors: want 1 to 4096", "--procs: want 1 to 4096"},
		{"every_ms", "every_ms: want a minute to 366 days", "--every: want a minute to 366 days"},
		{"most_micros", "most_micros: want as much as the amount, or more", "--most: want as much as the amount, or more"},
	} {
		if got := flagFor(c.field, errors.New(c.text)).Error(); got != c.want {
			t.Errorf("%s: %q, want %q", c.field, got, c.want)
		}
	}
	open(t, newFloor(), v1.RoleOwner)
	for _, c := range []struct{ line, want string }{
		{"account transfer people/bob 0", "AMOUNT: want more than 0"},
		{"account grant people/bob 0", "AMOUNT: want more than 0"},
		{"account transfer @/ 1", "TO: want the path of an account"},
		{"account grant @/ 1", "PATH: want the path of an account"},
		{"submit --grace 11m -e 1s -- true", "--grace: want 0s to 10m"},
		{"submit sleep 10", "libra submit --estimate 2m -- sleep 10;"},
		{"submit -e 10s -d 1m --soft --tags a,b sleep 10", "libra submit --estimate 10s --deadline 1m --soft --tags a,b -- sleep 10;"},
		{"submit sleep 1&2", "-- sleep '1&2';"},
		{"submit /bin/sh -c ls", "/bin/sh is not a script; a program comes after --: libra submit --estimate 2m -- /bin/sh -c ls"},
		{"submit -e 1s -- ls;pwd", "-- sh -c 'ls;pwd'"},
	} {
		r := libra(t, strings.Fields(c.line)...)
		if r.code != exitUsage || !strings.Contains(r.err, c.want) {
			t.Errorf("libra %s: exit code %d, %s, want %q", c.line, r.code, r.err, c.want)
		}
	}
}

// Whoever asked with libra sbatch is offered something in its options, which can be typed as they stand;
// what is kept is taken by its quote.
func TestOffersInTheWordsOfSbatch(t *testing.T) {
	budget := int64(2_500_000)
	for _, c := range []struct {
		offer v1.Offer
		want  string
	}{
		{v1.Offer{Change: "deadline", Quote: v1.Quote{Request: v1.Request{DeadlineMS: 600_999}}}, "the same with --deadline=now+600seconds"},
		{v1.Offer{Change: "deadline", Quote: v1.Quote{Request: v1.Request{DeadlineMS: 60_000, Budget: &budget}}}, "the same with --deadline=now+60seconds --budget 2.5"},
		{v1.Offer{Change: "budget", Quote: v1.Quote{Request: v1.Request{Budget: &budget}}}, "the same with --budget 2.5"},
		{v1.Offer{Change: "processors", Quote: v1.Quote{Request: v1.Request{Processors: 6, Threads: 2}}}, "the same with -n 3"},
		{v1.Offer{Change: "memory", Quote: v1.Quote{Request: v1.Request{MemoryMB: 512}}}, "the same with --mem-per-cpu=512"},
		{v1.Offer{Change: "array", Quote: v1.Quote{Request: v1.Request{Array: &v1.Array{First: 1, Last: 9, Step: 2, Limit: 3}}}}, "the same with -a 1-9:2%3"},
		{v1.Offer{Change: "gpus", Quote: v1.Quote{Request: v1.Request{EstimateMS: 1000}}}, "with --estimate 1s"},
	} {
		r := &refusal{sbatch: true}
		if got := r.howTo(&c.offer); got != c.want {
			t.Errorf("%s: %q, want %q", c.offer.Change, got, c.want)
		}
		c.offer.Quote.ID = "q1"
		if got := r.howTo(&c.offer); !strings.HasPrefix(got, "libra submit --quote q1") {
			t.Errorf("%s, kept: %q", c.offer.Change, got)
		}
	}
}
