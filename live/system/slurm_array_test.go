package system_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// element is what each of them does: it says who it is, and waits to be let go.
const element = `#!/bin/bash
#SBATCH -t 1 --mem=20 -o /dev/null
echo "$SLURM_JOB_ID $SLURM_ARRAY_JOB_ID $(sed -n 's/.*:cpuacct[^:]*:.*\///p' /proc/self/cgroup)" >.$SLURM_ARRAY_TASK_ID && mv .$SLURM_ARRAY_TASK_ID began-$SLURM_ARRAY_TASK_ID
until [ -e go ]; do sleep 0.2; done
exit $((SLURM_ARRAY_TASK_ID == 3 ? 7 : 0))
`

// An array by sbatch is one of Slurm's: its elements have numbers of their own, by which they are
// shown and cancelled one by one; all on a node are in one group. They go on while the market is
// killed, and elsewhere when their node takes no new jobs.
func elementsAreJobs(t *testing.T) {
	site := newSite(t, slurmtest.Options{Nodes: 2, CPUs: 2}, terms{}, 0.9)
	b := logIn(site, 100_000)
	if err := os.WriteFile(filepath.Join(b.dir, "job.sh"), []byte(element), 0o644); err != nil {
		t.Fatal(err)
	}
	number := b.command("libra", "sbatch", "--parsable", "-a", "1-6,9", "job.sh")
	var job v1.Job
	if err := json.Unmarshal([]byte(b.command("libra", "job", "--json", "slurm:"+number)), &job); err != nil {
		t.Fatal(err)
	}
	began := func(i int) string {
		text, _ := os.ReadFile(filepath.Join(b.dir, fmt.Sprintf("began-%d", i)))
		return strings.TrimSpace(string(text))
	}
	own := map[string]bool{}
	for i := 1; i <= 4; i++ {
		until(t, "four run", func() bool { return began(i) != "" })
		words := strings.Fields(began(i))
		if len(words) != 3 || words[1] != number || words[2] != "slurm_"+number {
			t.Errorf("element %d of %s says %q", i, number, began(i))
		}
		own[words[0]] = true
	}
	if len(own) != 4 {
		t.Errorf("their numbers are %v", own)
	}
	shown := strings.Join(strings.Fields(b.command("squeue", "-h", "-r", "-S", "i", "-j", number, "-o", "%i")), " ")
	if want := strings.ReplaceAll("N_1 N_2 N_3 N_4 N_5 N_6 N_9", "N", number); shown != want {
		t.Errorf("squeue shows %s, want %s", shown, want)
	}
	after := b.command("libra", "sbatch", "--parsable", "-t", "1", "-a", "1-4", "-o", "/dev/null", "-d", "aftercorr:"+number, "--wrap", "echo >after-$SLURM_ARRAY_TASK_ID")
	b.command("scancel", number+"_2", number+"_9") // the sixth comes after the second
	b.serve.kill()
	until(t, "the next begins with nobody there", func() bool { return began(6) != "" })
	b.open()
	if err := os.WriteFile(filepath.Join(b.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	end := b.ended(job.ID)
	how := map[int]string{}
	for _, rank := range end.Tasks {
		for _, e := range rank.Elements {
			how[e.Index] = fmt.Sprint(e.Exit, e.Signal)
		}
	}
	if want := (map[int]string{1: "0", 2: "0SIGTERM", 3: "7", 4: "0", 5: "0", 6: "0"}); fmt.Sprint(how) != fmt.Sprint(want) || end.State != v1.Failed || end.Attempt != 0 {
		t.Errorf("attempt %d ended %s, elements %v, want %v", end.Attempt, end.State, how, want)
	}
	var next v1.Job
	if err := json.Unmarshal([]byte(b.command("libra", "job", "--json", "slurm:"+after)), &next); err != nil {
		t.Fatal(err)
	}
	if j := b.completed(next.ID); j.Batch != after {
		t.Errorf("it ran as %s, and waited as %s", j.Batch, after)
	}
	if ran, _ := filepath.Glob(filepath.Join(b.dir, "after-*")); len(ran) != 2 || filepath.Base(ran[0]) != "after-1" || filepath.Base(ran[1]) != "after-4" {
		t.Errorf("after those that succeeded came %v", ran)
	}
	b.elementsStayInTurn(t)
	b.elementsMove(t)
	b.elementsOutlastAClosedPartition(t)
	b.verify()
}

// elementsMove has a node drain that elements are to run on.
func (b *login) elementsMove(t *testing.T) {
	if err := os.WriteFile(filepath.Join(b.dir, "slow.sh"), []byte("#!/bin/sh\n#SBATCH -t 1 --mem=20 -a 1-9 -o /dev/null\necho $SLURMD_NODENAME >on-$SLURM_ARRAY_TASK_ID; until [ -e begun ]; do sleep 0.2; done\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	number := b.command("libra", "sbatch", "--parsable", "slow.sh")
	node := ""
	until(t, "four run", func() bool {
		for i := 1; i <= 4; i++ {
			text, _ := os.ReadFile(filepath.Join(b.dir, fmt.Sprintf("on-%d", i)))
			if node = strings.TrimSpace(string(text)); node == "" {
				return false
			}
		}
		return true
	})
	b.command("scontrol", "update", "nodename="+node, "state=drain", "reason=smoke")
	if err := os.WriteFile(filepath.Join(b.dir, "begun"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var job v1.Job
	if err := json.Unmarshal([]byte(b.command("libra", "job", "--json", "slurm:"+number)), &job); err != nil {
		t.Fatal(err)
	}
	if end := b.completed(job.ID); end.Attempt != 0 {
		t.Errorf("it was begun anew: attempt %d", end.Attempt)
	}
}

// elementsStayInTurn has those cancelled between which others wait: one lane was sold, and one element
// runs at a time.
func (b *login) elementsStayInTurn(t *testing.T) {
	script := "#!/bin/sh\n#SBATCH -t 1 --mem=20 -a 1-5%1 -o /dev/null\n" +
		"mkdir lane || echo $SLURM_ARRAY_TASK_ID >two\necho >turn-$SLURM_ARRAY_TASK_ID\nuntil [ -e cut ]; do sleep 0.2; done\nsleep 4\nrmdir lane\n"
	if err := os.WriteFile(filepath.Join(b.dir, "turns.sh"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	number := b.command("libra", "sbatch", "--parsable", "turns.sh")
	until(t, "the first runs", func() bool {
		_, err := os.Stat(filepath.Join(b.dir, "turn-1"))
		return err == nil
	})
	b.command("scancel", number+"_2", number+"_4")
	if err := os.WriteFile(filepath.Join(b.dir, "cut"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var job v1.Job
	if err := json.Unmarshal([]byte(b.command("libra", "job", "--json", "slurm:"+number)), &job); err != nil {
		t.Fatal(err)
	}
	end := b.ended(job.ID)
	if ran, _ := filepath.Glob(filepath.Join(b.dir, "turn-*")); len(ran) != 3 || end.State != v1.Failed || end.Attempt != 0 {
		t.Errorf("%v ran, it is %s, attempt %d", ran, end.State, end.Attempt)
	}
	if who, err := os.ReadFile(filepath.Join(b.dir, "two")); err == nil {
		t.Errorf("element %s began while another ran", who)
	}
}

// elementsOutlastAClosedPartition closes the partition while one runs: the next begins when it is open
// again. So does what waits in the market, and whose time comes meanwhile.
func (b *login) elementsOutlastAClosedPartition(t *testing.T) {
	script := "#!/bin/sh\n#SBATCH -t 1 --mem=20 -a 1-2%1 -o /dev/null\necho >shop-$SLURM_ARRAY_TASK_ID\nuntil [ -e closed ]; do sleep 0.2; done\n"
	if err := os.WriteFile(filepath.Join(b.dir, "shop.sh"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	there := func(i int) bool {
		_, err := os.Stat(filepath.Join(b.dir, fmt.Sprintf("shop-%d", i)))
		return err == nil
	}
	of := func(number string) (j v1.Job) {
		t.Helper()
		if err := json.Unmarshal([]byte(b.command("libra", "job", "--json", "slurm:"+number)), &j); err != nil {
			t.Fatal(err)
		}
		return j
	}
	waits := b.command("libra", "sbatch", "--parsable", "-t", "1", "--hold", "-o", "/dev/null", "--wrap", "true")
	number := b.command("libra", "sbatch", "--parsable", "shop.sh")
	until(t, "the first runs", func() bool { return there(1) })
	b.command("scontrol", "update", "partitionname="+slurmtest.Partition, "state=DOWN")
	if err := os.WriteFile(filepath.Join(b.dir, "closed"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	until(t, "Slurm to say why it waits", func() bool {
		return b.command("squeue", "-h", "-r", "-j", number, "-o", "%r") == "PartitionDown"
	})
	until(t, "the market to know", func() bool { return strings.Contains(b.command("libra", "nodes"), "DOWN in Slurm") })
	b.command("libra", "release", "slurm:"+waits)
	time.Sleep(2 * time.Second)
	if there(2) {
		t.Error("an element began in a closed partition")
	}
	if j := of(waits); j.State != v1.Held || j.Price != 0 {
		t.Errorf("one that waited was sold in a closed partition: it is %s", j.State)
	}
	b.command("scontrol", "update", "partitionname="+slurmtest.Partition, "state=UP")
	for _, n := range []string{number, waits} {
		if end := b.completed(of(n).ID); end.Attempt != 0 || end.Batch != n {
			t.Errorf("it was begun anew: attempt %d, as %s", end.Attempt, end.Batch)
		}
	}
}
