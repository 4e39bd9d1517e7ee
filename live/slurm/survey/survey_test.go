package survey

import (
	"testing"

	"github.com/libra-market/libra/live/config"
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

func TestNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0 nodes", 1: "1 node", 999: "999 nodes", 1000: "1,000 nodes", 1234567: "1,234,567 nodes"} {
		if got := number(n, "node"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
