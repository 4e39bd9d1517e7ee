package limit

import (
	"strings"
	"testing"
	"time"
)

// A partition that takes no jobs in Slurm is nothing to promise in.
func TestAClosedPartition(t *testing.T) {
	for state, open := range map[string]bool{"UP": true, "DOWN": false, "DRAIN": false, "INACTIVE": false} {
		s := Read(Said{Partition: "PartitionName=fast AllowGroups=ALL MaxTime=UNLIMITED State=" + state + " TotalCPUs=4\n"})
		e := s.Check(Ask{User: "alice", Processors: 1, Programs: 1, Time: time.Minute}, Books{})
		if (e == nil) != open || e != nil && !strings.Contains(e.Detail, "partition fast is "+state) {
			t.Errorf("%s: %+v", state, e)
		}
	}
	if Read(Said{}).Partition.Closed != "" {
		t.Error("one of which nothing is known is closed")
	}
}

// Whose jobs a partition takes is known before anything is promised: Slurm would keep the
// others waiting for good. It counts where Slurm holds jobs against accounts, and QOS.
func TestWhomAPartitionTakes(t *testing.T) {
	const manager = "UserName=alice(7) DefAccount=lab\n\nClusterName=c Account=physics UserName= Partition= ID=3\n    ParentAccount=root(1)\n" +
		"ClusterName=c Account=lab UserName= Partition= ID=4\n    ParentAccount=physics(3)\nClusterName=c Account=lab UserName=alice(7) Partition= ID=5\n    DefAssoc=Yes\n"
	for says, want := range map[string]string{ // in the detail; empty: it may
		"AllowAccounts=ALL AllowQos=ALL":                "",
		"AllowAccounts=lab":                             "",
		"AllowAccounts=guests,physics":                  "", // newer releases count it in
		"AllowAccounts=guests,staff":                    "no jobs of account lab in Slurm (AllowAccounts=guests,staff)",
		"DenyAccounts=guests,lab AllowQos=ALL":          "no jobs of account lab in Slurm (DenyAccounts=guests,lab)",
		"DenyAccounts=physics":                          "",
		"AllowQos=long":                                 "no jobs of QOS normal in Slurm (AllowQos=long)",
		"AllowQos=long,normal":                          "",
		"AllowQos=ALL DenyQos=normal DenyAccounts=NONE": "no jobs of QOS normal in Slurm (DenyQos=normal)",
	} {
		for enforce, counts := range map[string]bool{"associations,limits,qos": true, "associations": !strings.Contains(want, "QOS"), "none": false} {
			s := Read(Said{Config: "AccountingStorageEnforce = " + enforce + "\n", Partition: "PartitionName=fast " + says + " State=UP\n", Manager: manager})
			e := s.Check(Ask{User: "alice", Processors: 1, Programs: 1, Time: time.Minute}, Books{})
			if refused := want != "" && counts; (e != nil) != refused || refused && !strings.Contains(e.Detail, want) {
				t.Errorf("%s, enforced are %s: %+v, want %q", says, enforce, e, want)
			}
		}
	}
}

// What all of an association of one partition may have together is counted in that partition,
// what all of its QOS may have in those that have it; and what the QOS allows that a job has
// anyway in all.
func TestWhatCountsInAPartition(t *testing.T) {
	one := Ask{User: "alice", Processors: 1, Programs: 1, MemoryMB: 128, Time: time.Minute}
	none, some := Books{}, Books{Underway: map[Who]Use{{User: "alice"}: {Jobs: 1, Processors: 3}}}
	read := func(qos, manager string) *Site {
		return Read(Said{
			Config: "AccountingStorageEnforce = limits,qos\n", Partition: "PartitionName=fast QoS=" + qos + "\n",
			Manager: "ClusterName=c Account=physics UserName=alice(7) Partition=" + manager,
		})
	}
	association := read("N/A", "fast ID=4\n    DefAssoc=Yes\n    GrpJobs=1(0)\n")
	quality := read("tight", " ID=4\n    DefAssoc=Yes\n\nQOS Records\n\nQOS=tight(2)\n    GrpJobs=1(0)\n")
	own := site(t)
	own.Partition.QOS = "tight"
	own.choices = []choice{{account: "physics", user: "alice", qos: "tight", may: []string{"tight"}}}
	own.readIndex()
	for name, c := range map[string]struct {
		site      *Site
		here, kin Books
		want      string // in the detail; empty: it may
	}{
		"the association, of what is in others":    {association, none, some, ""},
		"the association, of what is in its own":   {association, some, some, "GrpJobs=1"},
		"its QOS, of what is in others":            {quality, none, none, ""},
		"its QOS, of what is in one like it":       {quality, none, some, "GrpJobs=1"},
		"a QOS that it has anyway, in any of them": {own, none, none, "QOS tight"},
	} {
		e := c.site.Check(one, Books{Underway: some.Underway, Here: &c.here, Kin: &c.kin})
		if (e == nil) != (c.want == "") || e != nil && !strings.Contains(e.Detail, c.want) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
