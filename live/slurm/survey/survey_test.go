package survey

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/slurm/client"
)

func TestWhatSlurmLacksIsSaid(t *testing.T) {
	for over, wrong := range map[string]bool{"FORCE:64": false, "NO": true, "YES:4": true, "FORCE:4": true} {
		c := &config.Slurm{Partition: "libra", Control: "agents"}
		if found := sharing(c, over); found[0].Wrong != wrong {
			t.Errorf("OverSubscribe=%s: %s", over, found[0])
		}
		if found := sharing(&config.Slurm{Partition: "libra", Control: "none"}, over); found[0].Wrong {
			t.Errorf("OverSubscribe=%s without agents: %s", over, found[0])
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
