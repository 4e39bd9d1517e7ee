package system_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// Jobs with an optional part, for real: mandatory parts come first, in the order
// of their deadlines; what time is left goes to optional parts, which are told to
// stop at the deadline; what they had written by then is the result, and what
// they had executed is what is paid.
func TestImpreciseJobs(t *testing.T) {
	requireCgroup(t)
	t.Parallel()
	b := newBazaar(t, terms{policy: "mf-edf"})
	b.hire("n1", "--cpus", "1", "--weight", "250") // nobody else weighs as much there
	c := b.user("root", 1000)
	refine := func(n int) v1.Request {
		worth := int64(2_000_000)
		return v1.Request{
			Argv: busyProgram(time.Second), Dir: b.dir, Env: []string{"GOMAXPROCS=1"}, Output: fmt.Sprintf("refined-%d", n),
			EstimateMS: 1500, DeadlineMS: int64(9000 + 2000*n), Budget: &worth, GraceMS: 2000,
			Optional: &v1.Optional{
				WorkMS: 60_000, RateMicros: 1_000_000, // no less is sold: the rate of the market
				Argv: []string{"sh", "-c", fmt.Sprintf("n=0; while :; do n=$((n+1)); [ $((n %% 5000)) -gt 0 ] || echo better $n >> %s; done", b.at(fmt.Sprintf("better-%d", n)))},
			},
		}
	}
	first, second := submit(t, c, refine(0)), submit(t, c, refine(1))
	worth := int64(3_000_000)
	precise := submit(t, c, v1.Request{
		Argv: busyProgram(time.Second), Dir: b.dir, Env: []string{"GOMAXPROCS=1"}, Output: "precise",
		EstimateMS: 1500, DeadlineMS: 8000, Budget: &worth,
	})
	// There is no room for another mandatory part as large as all that is left.
	hopeless := refine(2)
	enough := int64(8_000_000)
	hopeless.EstimateMS, hopeless.DeadlineMS, hopeless.Budget = 8000, 9000, &enough
	if _, err := c.Submit(t.Context(), hopeless, ""); err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("too much at once is answered %v", err)
	}
	if j := b.completed(precise.ID); j.EndedUS > j.DueUS || j.Charged != worth {
		t.Errorf("the precise one ended %.2f s after its deadline, charged %d", float64(j.EndedUS-j.DueUS)/1e6, j.Charged)
	}
	for n, id := range []int64{first.ID, second.ID} {
		j := b.completed(id)
		if late := j.EndedUS - j.DueUS; late > 3_000_000 || late < -500_000 {
			t.Errorf("job %d ended %.2f s after its deadline, want just then", id, float64(late)/1e6)
		}
		if said := text(t, b.at(fmt.Sprintf("refined-%d", n))); !strings.HasPrefix(said, "used ") {
			t.Errorf("job %d: the mandatory part wrote %q", id, said)
		}
		if better := text(t, b.at(fmt.Sprintf("better-%d", n))); !strings.HasPrefix(better, "better 5000\n") {
			t.Errorf("job %d: the optional part wrote %q", id, better)
		}
		if extra := j.Charged - 2_000_000; extra <= 0 || extra > 12_000_000 || j.Receipt == nil || j.Receipt.Net != j.Charged {
			t.Errorf("job %d: charged %d for both parts; receipt %+v", id, j.Charged, j.Receipt)
		}
		t.Logf("job %d: charged %s for optional work, receipt %+v", id, fmt.Sprint(j.Charged-2_000_000), j.Receipt.Lines)
	}
	b.verify()
}
