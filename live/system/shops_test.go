package system_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// Nodes say in which partition of the market they are, jobs are in the one that they name, at
// its rate, and commands show it; started anew with another rate, what was agreed stands.
func TestPartitionsOfAgents(t *testing.T) {
	t.Parallel()
	b := newBazaar(t, terms{rates: "{processor_hour: 3600, partitions: {batch: 1, dear: 2.5}, default_partition: batch}"})
	b.user("root", 100_000)
	for _, name := range []string{"batch", "dear"} {
		b.hire("in-"+name, "--partition", name)
	}
	b.hire("nowhere")
	libra := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), binary(), args...)
		cmd.Dir = b.dir
		cmd.Env = append(os.Environ(), "LIBRA_SERVER="+b.url, "LIBRA_TOKEN="+strings.TrimSpace(text(t, b.at("owner.token"))))
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = append(out, []byte("\n"+err.Error())...)
		}
		return string(out)
	}
	says := func(words string, args ...string) {
		t.Helper()
		if out := libra(args...); !strings.Contains(strings.Join(strings.Fields(out), " "), words) {
			t.Errorf("libra %s does not say %q: %s", strings.Join(args, " "), words, out)
		}
	}
	says("partition dear at x 2.5", "nodes")
	says("of no partition, and so not sold", "nodes")
	says("these prices x 2.5", "prices")
	says("these prices x 1, for jobs that name none", "prices")
	says("x 2.5 in its partition", "quote", "--preview", "-e", "10s", "-d", "10m", "-p", "dear")
	says("partition dear", "quote", "--preview", "-e", "10s", "-d", "10m", "-p", "dear")
	says("one of the market's: batch, dear", "submit", "-e", "10s", "-d", "10m", "-p", "gpu", "--", "true")
	var prices [2]int64
	for i, name := range []string{"", "dear"} {
		r := b.shell("true", 10*time.Second)
		r.DeadlineMS, r.Partition = 600_000, name
		j := b.completed(submit(t, b.owner, r).ID)
		prices[i] = j.Price
		if j.Request.Partition != []string{"batch", "dear"}[i] || !strings.HasSuffix(j.Places[0].Node, "in-"+j.Request.Partition) {
			t.Errorf("%s, on %v", j.Request.Partition, j.Places)
		}
	}
	if off := 2*prices[1] - 5*prices[0]; off > 5 || off < -5 {
		t.Errorf("%d, and %d in the dear one", prices[0], prices[1])
	}
	says("partition dear", "job", "2")

	long := b.shell(untilTold, time.Minute)
	long.DeadlineMS, long.Partition = 600_000, "dear"
	j := submit(t, b.owner, long)
	until(t, "the job", func() bool { return b.job(j.ID).State == v1.Running })
	b.serve.kill()
	b.args = append(b.args, "--partition", "batch,dear=10")
	b.open()
	until(t, "the new rate", func() bool {
		p, err := b.owner.Prices(t.Context())
		return err == nil && p.Rates.Partitions["dear"] == 10_000_000
	})
	tell(t, b.dir)
	if done := b.completed(j.ID); done.Price != j.Price || done.Charged != j.Price {
		t.Errorf("price %d, charged %d of %d", j.Price, done.Charged, done.Price)
	}
	says("x 10 in its partition", "quote", "--preview", "-e", "10s", "-d", "10m", "-p", "dear")
	b.verify()
}
