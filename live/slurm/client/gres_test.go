package client

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// What Slurm says of the generic resources of a node, and what of it are GPUs.
func TestReadGres(t *testing.T) {
	for _, c := range []struct {
		has, used string
		gpus      int
		kind      string
		taken     int
	}{
		{"(null)", "N/A", 0, "", 0},
		{"", "", 0, "", 0},
		{"gpu:2", "gpu:1(IDX:0)", 2, "", 1},
		{"gpu", "gpu:0(IDX:N/A)", 1, "", 0},
		{"gpu:a100:4(S:0-1)", "gpu:a100:3(IDX:0,2-3)", 4, "a100", 3},
		{"gpu:a100:2(S:0),gpu:a100:2(S:1)", "gpu:a100:4(IDX:0-3)", 4, "a100", 4},
		{"gpu:v100:1(S:1),gpu:a100:2(S:0)", "gpu:a100:1(IDX:1),gpu:v100:1(IDX:0)", 3, "a100:2,v100:1", 2},
		{"gpu:a100:2,gpu:1", "gpu:a100:0(IDX:N/A),gpu:1(IDX:2)", 3, "a100:2", 1},
		{"nic:mlx:4,gpu:1g.5gb:7,bandwidth:lustre:no_consume:4G", "nic:2,gpu:1g.5gb:2(IDX:0-1)", 7, "1g.5gb", 2},
		{"gpu:much,gpu:a:b:c:1,gpu:-1,gpu:99999999", "gpu:x:y:1", 0, "", 0},
		{"shard:8,mps:100", "shard:1", 0, "", 0},
	} {
		var n Node
		if n.equip(c.has, c.used); n.GPUs != c.gpus || n.GPUKind != c.kind || n.UsedGPUs != c.taken {
			t.Errorf("%s, used %s: %+v", c.has, c.used, n)
		}
	}
}

func TestGPUsAreAskedFor(t *testing.T) {
	s := sample()
	s.GPUs, s.AllGPUs = "a100:2", "3"
	if flags := s.flags(); !slices.Contains(flags, "--gres=gpu:a100:2") || !slices.Contains(flags, "--gpus=3") {
		t.Errorf("%v", flags)
	}
	for _, bad := range []string{"a100:2,nic:1", "much", "a=b:1", "2\n"} {
		if s.GPUs = bad; s.check() == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	for text, shape := range map[string]any{
		`"gres":"gpu:a100:2","gpus":"3"`:                                first{}.submission(&Submission{GPUs: "a100:2", AllGPUs: "3"}, nil),
		`"tres_per_node":"gres/gpu:a100:2","tres_per_job":"gres/gpu:3"`: second{}.submission(&Submission{GPUs: "a100:2", AllGPUs: "3"}, nil),
	} {
		got, err := json.Marshal(shape)
		if err != nil || !strings.Contains(string(got), text) {
			t.Errorf("%s, want %s", got, text)
		}
	}
}

// Both ways to list nodes say what GPUs they have.
func TestListedNodesHaveGPUs(t *testing.T) {
	listed, err := readNodes("NodeName=n1 CPUTot=8 Gres=gpu:a100:2(S:0-1) GresDrain=N/A GresUsed=gpu:a100:1(IDX:0) RealMemory=100 State=MIXED Partitions=libra BootTime=77\n", "libra")
	if err != nil {
		t.Fatal(err)
	}
	var answer nodesAnswer
	if err = json.Unmarshal([]byte(`{"nodes":[{"name":"n1","state":["MIXED"],"cpus":8,"real_memory":100,"partitions":["libra"],"gres":"gpu:a100:2(S:0-1)","gres_used":"gpu:a100:1(IDX:0)"}]}`), &answer); err != nil {
		t.Fatal(err)
	}
	told, err := answer.read("libra")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range append(listed, told...) {
		if n.GPUs != 2 || n.GPUKind != "a100" || n.UsedGPUs != 1 {
			t.Errorf("%+v", n)
		}
	}
	if len(listed) != 1 || len(told) != 1 {
		t.Errorf("%d and %d nodes", len(listed), len(told))
	}
}
