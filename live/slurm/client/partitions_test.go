package client

import "testing"

// Of several partitions a node is in one, and it is told which, and in which others too; where
// one alone was asked for there is nothing to tell.
func TestNodesOfSeveralPartitions(t *testing.T) {
	for named, want := range map[string]string{"batch": "", "batch,fast": "batch fast", "old,fast": "fast", "plain,batch,fast": "plain batch fast"} {
		nodes, err := readNodes("NodeName=n1 CPUTot=2 RealMemory=100 State=IDLE Partitions=plain,fast,batch BootTime=None SlurmdStartTime=None\n", named)
		if err != nil || len(nodes) != 1 {
			t.Fatal(named, nodes, err)
		}
		got := nodes[0].Partition
		for _, also := range nodes[0].Also {
			got += " " + also
		}
		if got != want {
			t.Errorf("%s: %q, want %q", named, got, want)
		}
	}
	if nodes, err := readNodes("NodeName=n1 CPUTot=2 RealMemory=100 State=IDLE Partitions=plain BootTime=None SlurmdStartTime=None\n", "batch,fast"); err != nil || len(nodes) != 0 {
		t.Error(nodes, err)
	}
}
