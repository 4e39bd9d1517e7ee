package client

import (
	"fmt"
	"testing"
)

// Partitions that begin nothing, of what scontrol of 22.05 says. One that drains begins what it has.
func TestWhichPartitionsBeginNothing(t *testing.T) {
	line := func(name, state string) string {
		return "PartitionName=" + name + " AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL Default=YES QoS=N/A DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED Nodes=n[1-2] PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=FORCE:64 OverTimeLimit=NONE PreemptMode=OFF State=" + state + " TotalCPUs=4 TotalNodes=2 SelectTypeParameters=NONE JobDefaults=(null) DefMemPerCPU=128 MaxMemPerNode=UNLIMITED TRES=cpu=4,mem=8G,node=2,billing=4 \n"
	}
	got := readClosed(line("a", "UP") + line("b", "DOWN") + line("c", "DRAIN") + line("d", "INACTIVE"))
	if fmt.Sprint(got) != "map[b:DOWN d:INACTIVE]" {
		t.Errorf("%v", got)
	}
}
