package survey

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/slurm/client"
)

func TestWhatSlurmLacksIsSaid(t *testing.T) {
	for over, wrong := range map[string]bool{"FORCE:64": false, "NO": true, "YES:4": true, "FORCE:4": true} {
		c := &config.Slurm{Partition: "libra", Control: "agents"}
		if found := sharing(c, "libra", over); found[0].Wrong != wrong {
			t.Errorf("OverSubscribe=%s: %s", over, found[0])
		}
		if found := sharing(&config.Slurm{Partition: "libra", Control: "none"}, "libra", over); found[0].Wrong {
			t.Errorf("OverSubscribe=%s without agents: %s", over, found[0])
		}
	}
	for over, says := range map[string]string{"FORCE:2": "only 2 jobs", "FORCE": "only 4 jobs"} {
		if found := sharing(&config.Slurm{Partition: "libra", Control: "agents"}, "libra", over); !strings.Contains(found[0].Text, says) {
			t.Errorf("OverSubscribe=%s: %s", over, found[0])
		}
	}
	conf := "ProctrackType           = proctrack/linuxproc\nJobAcctGatherType = jobacct_gather/cgroup\nDefMemPerNode=UNLIMITED\nSelectTypeParameters = CR_CPU_MEMORY\n"
	if found := tracking(conf); len(found) != 3 || !found[0].Wrong {
		t.Errorf("%v", found)
	}
}

func TestAPluginThatIsMissingIsWrong(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "plugstack.conf")
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if found := spank(file, ""); !found.Wrong {
		t.Errorf("there is no file: %s", found)
	}
	put("plugstack.conf", "optional "+dir+"/libra_spank.so\n")
	if found := spank("(null)", filepath.Join(dir, "slurm.conf")); !found.Wrong {
		t.Errorf("it is named and not there: %s", found)
	}
	put("libra_spank.so", "")
	if found := spank(file, ""); found.Wrong {
		t.Errorf("it is there: %s", found)
	}
}

func TestADoorThatIsMissingIsWrong(t *testing.T) {
	dir := t.TempDir()
	conf, script, key := filepath.Join(dir, "slurm.conf"), filepath.Join(dir, "job_submit.lua"), filepath.Join(dir, "key")
	c := &config.Slurm{Partition: "libra", DoorKey: key}
	for _, step := range []struct{ file, text, says string }{
		{"", "", "there is no"}, {script, "return slurm.SUCCESS\n", "knows nothing of Libra"}, {script, "-- libra's door\n", "the key of job_submit.lua"}, {key, "k", ""},
	} {
		if step.file != "" {
			if err := os.WriteFile(step.file, []byte(step.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		found := door(conf, c)
		if step.says == "" && len(found) > 0 || step.says != "" && (len(found) != 1 || !found[0].Wrong || !strings.Contains(found[0].Text, step.says)) {
			t.Errorf("%+v: %v", step, found)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0 nodes", 1: "1 node", 999: "999 nodes", 1000: "1,000 nodes", 1234567: "1,234,567 nodes"} {
		if got := number(n, "node"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// equipped is a Slurm whose nodes have GPUs.
type equipped struct{ client.Slurm }

func (equipped) Name() string               { return "a test" }
func (equipped) Ping(context.Context) error { return nil }
func (equipped) Nodes(context.Context, string) ([]client.Node, error) {
	return []client.Node{{Name: "n1", Processors: 4, Up: true, GPUs: 4}, {Name: "n2", Processors: 4, Up: true, GPUs: 1}, {Name: "n3", Processors: 4, Up: true}}, nil
}

func TestGPUsAreCounted(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no Slurm but this
	found := Inspect(t.Context(), &config.Slurm{Partition: "libra"}, equipped{})
	if !slices.Contains(found, Finding{Text: "partition libra has 3 nodes with 12 processors and 5 GPUs"}) {
		t.Errorf("%v", found)
	}
}

// lame is a Slurm that has not heard of one node, and has drained another.
type lame struct{ equipped }

func (lame) Nodes(context.Context, string) ([]client.Node, error) {
	return []client.Node{{Name: "n1", Processors: 4}, {Name: "n2", Processors: 4, Up: true, Draining: true, Reason: "a fan"}, {Name: "n3", Processors: 4, Up: true}}, nil
}

func TestNodesThatAreDownAreNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	found := Inspect(t.Context(), &config.Slurm{Partition: "libra"}, lame{})
	if !slices.Contains(found, Finding{Text: "of these are down or drained: n1, n2 (a fan)"}) {
		t.Errorf("%v", found)
	}
}

// Where a slurmrestd is named that does not answer, commands would do its work, several times slower.
func TestASlurmrestdThatIsAwayIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	wrong := func(rest string, batch client.Slurm) bool {
		return slices.ContainsFunc(Inspect(t.Context(), &config.Slurm{Partition: "libra", Rest: rest}, batch), func(f Finding) bool {
			return f.Wrong && strings.Contains(f.Text, "no slurmrestd answers")
		})
	}
	const rest = "http://127.0.0.1:6820"
	if wrong("", equipped{}) || !wrong(rest, equipped{}) || wrong(rest, byRest{}) {
		t.Errorf("without one: %t, one that is away: %t, one that answers: %t", wrong("", equipped{}), wrong(rest, equipped{}), wrong(rest, byRest{}))
	}
}

type byRest struct{ equipped }

func (byRest) Name() string { return client.RestName + "v0.0.38" }

func TestLimitsOfThePartition(t *testing.T) {
	const free = "PartitionName=libra AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL Default=NO QoS=N/A ExclusiveUser=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 " +
		"MaxCPUsPerNode=UNLIMITED ReqResv=NO PreemptMode=OFF MaxMemPerNode=UNLIMITED"
	if found := limits(free, "libra", 4); len(found) != 0 {
		t.Errorf("nothing is limited: %v", found)
	}
	for change, wrong := range map[string]bool{
		"ExclusiveUser=YES": true, "ReqResv=YES": true, "MinNodes=2": true, "MaxCPUsPerNode=2": true,
		"MaxTime=1-00:00:00": false, "AllowGroups=staff": false, "AllowAccounts=physics": false, "DenyAccounts=guests": false, "QoS=normal": false, "PreemptMode=REQUEUE": false, "MaxNodes=3": false,
	} {
		key, _, _ := strings.Cut(change, "=")
		text := regexp.MustCompile(key+`=\S+`).ReplaceAllString(free, change)
		if !strings.Contains(text, change) {
			text += " " + change
		}
		if found := limits(text, "libra", 4); len(found) != 1 || found[0].Wrong != wrong || !strings.Contains(found[0].Text, key) {
			t.Errorf("%s: %v", change, found)
		}
	}
	if found := limits(strings.Replace(free, "MaxCPUsPerNode=UNLIMITED", "MaxCPUsPerNode=4", 1), "libra", 4); len(found) != 0 {
		t.Errorf("as many as a node has: %v", found)
	}
}

func TestTheMarketsNodesAgainstSlurms(t *testing.T) {
	slurms := []client.Node{{Name: "n1", Processors: 4, Up: true}, {Name: "n2", Processors: 4, Up: true, GPUs: 2, GPUKind: "a100"}, {Name: "n3", Processors: 4, Up: true}}
	same := []v1.NodeView{
		{Node: "n1", Processors: 4, Rating: 1, Up: true}, {Node: "n2", Processors: 4, Rating: 1, Up: true, GPUs: 2, GPUKind: "a100"}, {Node: "n3", Processors: 4, Rating: 1.1, Up: true},
	}
	if found := Compare("libra", slurms, same); len(found) != 1 || found[0].Wrong || !strings.Contains(found[0].Text, "the same 3 nodes") {
		t.Errorf("%v", found)
	}
	for want, change := range map[string]func(n []v1.NodeView) []v1.NodeView{
		"WRONG: the market has a node other":                                      func(n []v1.NodeView) []v1.NodeView { return append(n, v1.NodeView{Node: "other", Rating: 1, Up: true}) },
		"the market remembers a node other":                                       func(n []v1.NodeView) []v1.NodeView { return append(n, v1.NodeView{Node: "other"}) },
		"WRONG: node n3 of partition libra is not in the market":                  func(n []v1.NodeView) []v1.NodeView { return n[:2] },
		"WRONG: node n1 has 4 processors in Slurm and 8 processors in the market": func(n []v1.NodeView) []v1.NodeView { n[0].Processors = 8; return n },
		"WRONG: node n2 has 2 GPUs (a100) in Slurm and 1 GPU in the market":       func(n []v1.NodeView) []v1.NodeView { n[1].GPUs, n[1].GPUKind = 1, ""; return n },
		"WRONG: node n1 is up in Slurm and not in the market (no word from it)":   func(n []v1.NodeView) []v1.NodeView { n[0].Up, n[0].Why = false, "no word from it"; return n },
		"ratings differ: n3 (0.5), where others have about 1":                     func(n []v1.NodeView) []v1.NodeView { n[2].Rating = 0.5; return n },
	} {
		said := fmt.Sprint(Compare("libra", slurms, change(slices.Clone(same))))
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %s", want, said)
		}
	}
}

// A node that is in two partitions of the market has no price, and one that is in another than
// the market believes has the wrong one.
func TestPartitionsThatOverlap(t *testing.T) {
	nodes := []client.Node{{Name: "n1", Up: true, Partition: "batch"}, {Name: "n2", Up: true, Partition: "batch", Also: []string{"fast"}}}
	if found := overlaps(nodes); len(found) != 1 || !found[0].Wrong || !strings.Contains(found[0].Text, "each can have one price: n2 (batch, fast);") {
		t.Errorf("%v", found)
	}
	if found := overlaps(nodes[:1]); len(found) != 0 {
		t.Errorf("%v", found)
	}
	said := fmt.Sprint(Compare("batch,fast", nodes[:1], []v1.NodeView{{Node: "n1", Up: true, Partition: "fast"}}))
	if !strings.Contains(said, "WRONG: node n1 is in partition batch of Slurm and in fast of the market") {
		t.Error(said)
	}
}

// A door that does not know a partition is open there.
func TestADoorKnowsAllPartitions(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "job_submit.lua"), []byte("-- libra\nlocal PARTITIONS = { \"batch\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	conf := filepath.Join(dir, "slurm.conf")
	if found := door(conf, &config.Slurm{Partition: "batch,fast"}); len(found) != 1 || !found[0].Wrong || !strings.Contains(found[0].Text, "does not know partition fast") {
		t.Errorf("%v", found)
	}
	if found := door(conf, &config.Slurm{Partition: "batch"}); len(found) != 0 {
		t.Errorf("%v", found)
	}
}

// Where Slurm bounds the memory that goes with a processor nobody holds all of a node's with one.
func TestWhoMayHoldAllMemory(t *testing.T) {
	for _, c := range []struct {
		partition, conf string
		told            bool
	}{
		{"MaxMemPerCPU=1024", "MaxMemPerCPU            = UNLIMITED\n", false},
		{"MaxMemPerNode=UNLIMITED", "MaxMemPerCPU            = 1024\n", false},
		{"MaxMemPerCPU=UNLIMITED", "MaxMemPerCPU            = UNLIMITED\n", true},
		{"MaxMemPerNode=1024", "MaxMemPerNode           = 2048\n", true},
		{"MaxMemPerCPU=0", "", true},
	} {
		if found := hoards("PartitionName=libra "+c.partition, c.conf); c.told != (len(found) == 1) || c.told && (found[0].Wrong || !strings.HasPrefix(found[0].Text, "no MaxMemPerCPU")) {
			t.Errorf("%+v: %v", c, found)
		}
	}
}
