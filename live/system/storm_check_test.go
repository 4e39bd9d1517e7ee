package system_test

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
)

// check looks, when all is calm again, whether anything is lost, doubled or left.
func (s *storm) check(owner *client.Client, account string) {
	s.t.Helper()
	jobs := s.allEnded(owner)
	maps.DeleteFunc(jobs, func(_ int64, j v1.Job) bool { return s.strangers != "" && j.Owner == s.strangers })
	s.onceEach(jobs)
	s.sameAnswers()
	s.runsOf(jobs)
	s.books(owner, account, jobs)
}

// allEnded waits for the end of all jobs and returns them by number.
func (s *storm) allEnded(owner *client.Client) map[int64]v1.Job {
	s.t.Helper()
	jobs := map[int64]v1.Job{}
	open := 0
	for began := time.Now(); ; time.Sleep(200 * time.Millisecond) {
		open = 0
		for before := int64(0); ; {
			page, err := owner.Jobs(s.t.Context(), v1.JobQuery{Before: before, Limit: 200})
			if err != nil {
				s.t.Fatal(err)
			}
			for _, j := range page.Jobs {
				jobs[j.ID] = j
				if !j.State.Final() {
					open++
				}
			}
			if before = page.Next; before == 0 {
				break
			}
		}
		if open == 0 {
			return jobs
		}
		if time.Since(began) > 2*patience {
			for _, j := range jobs {
				if !j.State.Final() {
					s.t.Errorf("job %d (%s) is still %s on %v", j.ID, j.Name, j.State, j.Places)
				}
			}
			return jobs
		}
	}
}

// onceEach checks that every key has one job, and no other job is there.
func (s *storm) onceEach(jobs map[int64]v1.Job) {
	s.t.Helper()
	byName := map[string]int{}
	states := map[v1.State]int{}
	for _, j := range jobs {
		byName[j.Name]++
		states[j.State]++
		if _, ours := s.said[j.Name]; !ours {
			s.t.Errorf("nobody was told of job %d (%s)", j.ID, j.Name)
		}
	}
	for key, a := range s.said {
		j, found := jobs[a.job]
		switch {
		case a.refused && a.job == 0: // what was asked made no sense any more, such as a quote that had expired
			if byName[key] != 0 {
				s.t.Errorf("%s was refused and is a job", key)
			}
		case byName[key] != 1 || !found || j.Name != key:
			s.t.Errorf("%s was told job %d (%s) and has %d jobs", key, a.job, j.Name, byName[key])
		case a.refused != (j.State == v1.Rejected):
			s.t.Errorf("%s was refused: %t, and is %s", key, a.refused, j.State)
		}
	}
	s.t.Logf("%d submissions, %d calls, %d jobs: %v", len(s.said), s.asked.Load(), len(jobs), states)
}

// sameAnswers asks once more with every key.
func (s *storm) sameAnswers() {
	s.t.Helper()
	for key, a := range s.said {
		var again int64
		p := s.insist(func(ctx context.Context) error {
			j, err := a.by.Submit(client.WithKey(ctx, key), a.request, a.quote)
			again = j.ID
			return err
		})
		if p != nil {
			again = p.Job
		}
		if again != a.job {
			s.t.Errorf("%s was told job %d, and later %d (%v)", key, a.job, again, p)
		}
	}
}

// runsOf checks what the programs have written: each attempt of a job began at
// most once, and that of a completed job just once and to its end.
func (s *storm) runsOf(jobs map[int64]v1.Job) {
	s.t.Helper()
	type attempt struct {
		job int64
		n   int
	}
	begins, ends := map[attempt]int{}, map[attempt]int{}
	for line := range strings.Lines(text(s.t, s.runs)) {
		f := strings.Fields(line)
		job, err := strconv.ParseInt(f[0], 10, 64)
		n, err2 := strconv.Atoi(f[1])
		if err != nil || err2 != nil {
			s.t.Fatalf("%q", line)
		}
		switch a := (attempt{job, n}); f[2] {
		case "begin":
			if begins[a]++; begins[a] > 1 {
				s.t.Errorf("job %d, attempt %d ran twice", job, n)
			}
		case "end":
			ends[a]++
		}
		if j, known := jobs[job]; !known || j.State == v1.Rejected {
			s.t.Errorf("a program of job %d ran, which is %q", job, j.State)
		}
	}
	for id, j := range jobs {
		if j.Attempt != 0 { // no node was lost, so nothing had to begin again
			s.t.Errorf("job %d was started again (%s: %s)", id, j.State, j.Detail)
		}
		last := attempt{id, j.Attempt}
		switch j.State {
		case v1.Completed:
			if begins[last] != 1 || ends[last] != 1 {
				s.t.Errorf("job %d is completed and its program began %d times, ended %d times", id, begins[last], ends[last])
			}
		case v1.Cancelled, v1.Rejected:
		default:
			s.t.Errorf("job %d is %s (%s: %s)", id, j.State, j.Reason, j.Detail)
		}
	}
}

// books checks that they are right, that nothing is held any more, and that
// every job was charged once at most, and what it says.
func (s *storm) books(owner *client.Client, account string, jobs map[int64]v1.Job) {
	s.t.Helper()
	ctx := s.t.Context()
	v, err := owner.VerifyLedger(ctx)
	if err != nil || v.Problem != "" {
		s.t.Errorf("the books: %s %v", v.Problem, err)
	}
	s.t.Logf("%d entries, %d transactions: all is right", v.Entries, v.Transactions)
	a, err := s.noQuotes(ctx, owner, account)
	if err != nil || a.Held != 0 {
		s.t.Errorf("%s: %d held, %v", account, a.Held, err)
	}
	statement, err := owner.Statement(ctx, client.Period{Account: account, FromUS: 1, ToUS: time.Now().Add(time.Hour).UnixMicro()})
	if err != nil {
		s.t.Fatal(err)
	}
	charged := map[int64]int64{}
	for _, line := range statement.Lines {
		if line.Kind == string(ledger.KindCharge) {
			if _, twice := charged[line.Job]; twice {
				s.t.Errorf("job %d was charged twice", line.Job)
			}
			charged[line.Job] = -line.Amount
		}
	}
	for id, j := range jobs {
		if j.Charged != charged[id] {
			s.t.Errorf("job %d (%s) says %d, the statement %d", id, j.State, j.Charged, charged[id])
		}
	}
}

// noQuotes waits until no quote keeps money any more, and returns the account.
func (s *storm) noQuotes(ctx context.Context, owner *client.Client, account string) (a v1.Account, err error) {
	for began := time.Now(); time.Since(began) < 2*patience; time.Sleep(200 * time.Millisecond) {
		if a, err = owner.Account(ctx, account); err != nil || a.Held == 0 {
			break
		}
	}
	return a, err
}
