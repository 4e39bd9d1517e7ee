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
// to begin again, and writes into a file, all the while, which job, attempt and
// process it is and what time it is.
func beating(file string, life time.Duration) string {
	return fmt.Sprintf(`beat() { echo "$LIBRA_JOB_ID.$LIBRA_RANK.$LIBRA_ATTEMPT $$ $1 $(date +%%s%%N)" >> %s; }
life=%d; [ $LIBRA_ATTEMPT = 0 ] || life=2000000000
beat begin; end=$(($(date +%%s%%N) + life))
while [ $(date +%%s%%N) -lt $end ]; do beat goes-on; sleep 0.1; done
beat end`, file, life.Nanoseconds())
}

// life is what one copy of a program has written of itself.
type life struct {
	copy        string // job.rank.attempt
	process     string
	begins      int
	ends        int
	first, last int64 // ns
}

// lives reads what copies have written, in the order in which they began.
func lives(t testing.TB, file string) []life {
	t.Helper()
	byProcess := map[string]*life{}
	for line := range strings.Lines(text(t, file)) {
		fields := strings.Fields(line)
		if len(fields) != 4 {
			t.Fatalf("%s: %q", file, line)
		}
		at, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		who := fields[0] + " " + fields[1]
		l := byProcess[who]
		if l == nil {
			l = &life{copy: fields[0], process: fields[1], first: at}
			byProcess[who] = l
		}
		l.last = max(l.last, at)
		switch fields[2] {
		case "begin":
			l.begins++
		case "end":
			l.ends++
		}
	}
	var all []life
	for _, l := range byProcess {
		all = append(all, *l)
	}
	slices.SortFunc(all, func(a, b life) int { return int(a.first - b.first) })
	return all
}

// oneAfterTheOther checks that there were just these copies, each begun once,
// the last one ended, and never two at a time.
func oneAfterTheOther(t testing.TB, file string, copies ...string) []life {
	t.Helper()
	return inOrder(t, lives(t, file), copies)
}

// startedAgain checks the same where slurmctld was killed: what it had let go, and
// forgot that it started, it ends, and starts once more, for itself; to the market
// that is one copy.
func startedAgain(t testing.TB, file string, copies ...string) {
	t.Helper()
	all := lives(t, file)
	var order []string
	for i, l := range all {
		if i > 0 && l.copy == all[i-1].copy {
			order = append(order, l.copy)
			continue
		}
		if len(copies) > 0 {
			order, copies = append(order, copies[0]), copies[1:]
		}
	}
	inOrder(t, all, append(order, copies...))
}

func inOrder(t testing.TB, all []life, copies []string) []life {
	t.Helper()
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
