package system_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// Jobs with an optional part, for real: mandatory parts come first, in the order
// of their deadlines; what time is left goes to optional parts, which are told to
// stop at the deadline; what they had written by then is the result, and what
// they had executed is what is paid.
//
// On a machine that is too slow for the deadlines nothing is shown, and the next day has
// later ones.
func TestImpreciseJobs(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	b := newBazaar(t, terms{policy: "mf-edf"})
	b.hire("n1", "--cpus", "1", "--weight", "250") // nobody else weighs as much there
	c := b.user("root", 10_000)
	const days = 4
	for day := range days {
		err := impreciseDay(t, b, c, int64(day+1))
		if err == nil {
			break
		}
		t.Log(err)
		if day == days-1 {
			t.Errorf("so it was on %d days", days)
		}
	}
	b.verify()
}

// impreciseDay runs the jobs with deadlines that are so many times as late; the error is
// about what a slow machine can be the cause of.
func impreciseDay(t *testing.T, b *bazaar, c *client.Client, scale int64) error {
	t.Helper()
	file := func(what string, n int) string { return fmt.Sprintf("%s-%d-%d", what, scale, n) }
	refine := func(n int) v1.Request {
		worth := int64(2_000_000)
		return v1.Request{
			Argv: busyProgram(time.Second), Dir: b.dir, Env: []string{"GOMAXPROCS=1"}, Output: file("refined", n),
			EstimateMS: 1500, DeadlineMS: scale * int64(9000+2000*n), Budget: &worth, GraceMS: 2000,
			Optional: &v1.Optional{
				WorkMS: 60_000, RateMicros: 1_000_000, // no less is sold: the rate of the market
				Argv: []string{"sh", "-c", fmt.Sprintf("n=0; while :; do n=$((n+1)); [ $((n %% 5000)) -gt 0 ] || echo better $n >> %s; done", b.at(file("better", n)))},
			},
		}
	}
	first, second := submit(t, c, refine(0)), submit(t, c, refine(1))
	worth := int64(3_000_000)
	precise := submit(t, c, v1.Request{
		Argv: busyProgram(time.Second), Dir: b.dir, Env: []string{"GOMAXPROCS=1"}, Output: "precise",
		EstimateMS: 1500, DeadlineMS: scale * 8000, Budget: &worth,
	})
	// There is no room for another mandatory part as large as all that is left.
	hopeless := refine(2)
	enough := scale * 8_000_000
	hopeless.EstimateMS, hopeless.DeadlineMS, hopeless.Budget = scale*8000, scale*9000, &enough
	if _, err := c.Submit(t.Context(), hopeless, ""); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("too much at once is answered %v", err)
	}
	var slow error
	if j := b.ended(precise.ID); j.State != v1.Completed || j.EndedUS > j.DueUS {
		slow = errors.Join(slow, fmt.Errorf("the precise one ended %s, %.2f s after its deadline", j.State, float64(j.EndedUS-j.DueUS)/1e6))
	} else if j.Charged != worth {
		t.Errorf("the precise one was charged %d", j.Charged)
	}
	for n, id := range []int64{first.ID, second.ID} {
		j := b.ended(id)
		if late := j.EndedUS - j.DueUS; j.State != v1.Completed || late > 3_000_000 || late < -500_000 {
			slow = errors.Join(slow, fmt.Errorf("job %d ended %s, %.2f s after its deadline, want just then", id, j.State, float64(late)/1e6))
			continue
		}
		if said := text(t, b.at(file("refined", n))); !strings.HasPrefix(said, "used ") {
			t.Errorf("job %d: the mandatory part wrote %q", id, said)
		}
		if better := text(t, b.at(file("better", n))); !strings.HasPrefix(better, "better 5000\n") {
			slow = errors.Join(slow, fmt.Errorf("job %d: the optional part wrote %q", id, better))
		} else if extra := j.Charged - 2_000_000; extra <= 0 || extra > scale*12_000_000 || j.Receipt == nil || j.Receipt.Net != j.Charged {
			t.Errorf("job %d: charged %d for both parts; receipt %+v", id, j.Charged, j.Receipt)
		}
		t.Logf("job %d: charged %s for optional work, receipt %+v", id, fmt.Sprint(j.Charged-2_000_000), j.Receipt.Lines)
	}
	return slow
}
