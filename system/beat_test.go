package system_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// beating is a line of shell that lives for so long, or for two seconds if it had
// to begin again, and writes into a file, all the while, which job and attempt it
// is and what time it is.
func beating(file string, life time.Duration) string {
	return fmt.Sprintf(`beat() { echo "$LIBRA_JOB_ID.$LIBRA_RANK.$LIBRA_ATTEMPT $1 $(date +%%s%%N)" >> %s; }
life=%d; [ $LIBRA_ATTEMPT = 0 ] || life=2000000000
beat begin; end=$(($(date +%%s%%N) + life))
while [ $(date +%%s%%N) -lt $end ]; do beat goes-on; sleep 0.1; done
beat end`, file, life.Nanoseconds())
}

// life is what one copy of a program has written of itself.
type life struct {
	copy        string // job.rank.attempt
	begins      int
	ends        int
	first, last int64 // ns
}

// lives reads what copies have written, in the order in which they began.
func lives(t testing.TB, file string) []life {
	t.Helper()
	byCopy := map[string]*life{}
	for line := range strings.Lines(text(t, file)) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			t.Fatalf("%s: %q", file, line)
		}
		at, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		l := byCopy[fields[0]]
		if l == nil {
			l = &life{copy: fields[0], first: at}
			byCopy[fields[0]] = l
		}
		l.last = max(l.last, at)
		switch fields[1] {
		case "begin":
			l.begins++
		case "end":
			l.ends++
		}
	}
	var all []life
	for _, l := range byCopy {
		all = append(all, *l)
	}
	slices.SortFunc(all, func(a, b life) int { return int(a.first - b.first) })
	return all
}

// oneAfterTheOther checks that there were just these copies, each begun once,
// the last one ended, and never two at a time.
func oneAfterTheOther(t testing.TB, file string, copies ...string) []life {
	t.Helper()
	all := lives(t, file)
	for i, l := range all {
		switch {
		case i >= len(copies) || l.copy != copies[i]:
			t.Errorf("copy %s ran; want %v", l.copy, copies)
		case l.begins != 1:
			t.Errorf("copy %s began %d times", l.copy, l.begins)
		case i > 0 && l.first <= all[i-1].last:
			t.Errorf("copy %s ran while %s still did, for %v", l.copy, all[i-1].copy, time.Duration(all[i-1].last-l.first))
		}
	}
	if len(all) != len(copies) {
		t.Errorf("%d copies ran: %+v; want %v", len(all), all, copies)
	} else if last := all[len(all)-1]; last.ends != 1 {
		t.Errorf("copy %s ended %d times", last.copy, last.ends)
	}
	return all
}
