package limit

import (
	"strings"
	"testing"
	"time"
)

// speakers is a Slurm where the partition has a QOS, jobs have another, and alice's association and account limits
// of their own.
func speakers(flags string) *Site {
	return Read(Said{
		Config:    "AccountingStorageEnforce = limits,qos\n",
		Partition: "PartitionName=libra QoS=part State=UP\n",
		Manager: "ClusterName=c Account=root UserName= Partition= ID=1\n    ParentAccount=\n    GrpTRES=cpu=9(0),mem=1000(0)\n" +
			"ClusterName=c Account=physics UserName= Partition= ID=3\n    ParentAccount=root(1)\n    GrpJobs=3(0)\n    GrpTRES=cpu=7(0)\n" +
			"ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n    MaxJobs=2(0) MaxSubmitJobs=5(0) MaxWallPJ=5\n    MaxTRESPJ=cpu=2,mem=300\n" +
			"ClusterName=c Account=physics UserName=bob(8) Partition= ID=5\n    DefAssoc=Yes\n" +
			"ClusterName=c Account=biology UserName=carl(9) Partition= ID=6\n    DefAssoc=Yes\n" +
			"\nQOS=normal(1)\n    GrpJobs=N(0)\nQOS=part(2)\n    MaxWallPJ=60\n    MaxTRESPJ=cpu=4\nQOS=job(3)\n    GrpJobs=6(0)\n    MaxWallPJ=30\n    MaxTRESPJ=cpu=3,mem=400\n    GrpTRES=mem=600(0)\n" +
			"    Account Limits\n      physics\n        MaxJobsPA=4(1) MaxSubmitJobsPA=40(1)\n        MaxTRESPA=cpu=6(0)\n    User Limits\n      alice(7)\n        MaxJobsPU=3(0)\n",
		Granted: Granted{
			Choices:   "physics|alice|||job,normal\nphysics|bob|||job,normal\nbiology|carl|||job,normal\n",
			Qualities: "normal|||||||||\npart||||||||50|\njob|3|||30|" + flags + "||4|40|cpu=6\n",
		},
	})
}

// What a QOS says of a limit stands in place of what is said after it, and what it does not say is said by the next:
// as in Slurm (manual of resource limits), and tried on 22.05 and 24.11.
func TestWhoseLimitCounts(t *testing.T) {
	books := func(who Who, n int) Books {
		return Books{Underway: map[Who]Use{who: {Jobs: n, Processors: n}}}
	}
	alice, job, bobs, carls := Who{User: "alice"}, Who{"alice", "job"}, Who{"bob", "job"}, Who{"carl", "job"}
	for name, c := range map[string]struct {
		flags string
		ask   Ask
		had   Books
		want  string // in the detail; empty: it may
	}{
		"the partition's, longer than the job's":    {"", Ask{QOS: "job", Time: 45 * time.Minute}, Books{}, ""},
		"and longer than that":                      {"", Ask{QOS: "job", Time: 61 * time.Minute}, Books{}, "MaxWall of QOS part"},
		"the job's, where it comes first":           {"OverPartQOS", Ask{QOS: "job", Time: 45 * time.Minute}, Books{}, "MaxWall of QOS job"},
		"the partition's, of processors":            {"", Ask{QOS: "job", Processors: 4}, Books{}, ""},
		"the job's, of processors":                  {"OverPartQOS,DenyOnLimit", Ask{QOS: "job", Processors: 4}, Books{}, "MaxTRES of QOS job"},
		"the job's, of memory":                      {"", Ask{QOS: "job", MemoryMB: 350}, Books{}, ""},
		"the association's, of memory":              {"", Ask{MemoryMB: 350}, Books{}, "MaxTRES of user alice"},
		"jobs of a user, in place of theirs":        {"", Ask{QOS: "job"}, books(job, 2), ""},
		"as many as the QOS says":                   {"", Ask{QOS: "job"}, books(job, 3), "MaxJobsPU=3 of user alice in QOS job"},
		"theirs, in another":                        {"", Ask{}, books(alice, 2), "MaxJobs=2 of user alice in account physics"},
		"all of a QOS, in place of an account's":    {"", Ask{User: "carl", QOS: "job"}, books(carls, 3), "MaxJobsPU=3"},
		"the account's jobs of a QOS":               {"", Ask{QOS: "job"}, books(bobs, 4), "MaxJobsPA=4 of account physics in QOS job, of which 5"},
		"which are no other account's":              {"", Ask{User: "carl", QOS: "job"}, books(bobs, 4), ""},
		"processors of the account in it":           {"", Ask{User: "bob", QOS: "job", Processors: 2}, Books{Underway: map[Who]Use{job: {Jobs: 1, Processors: 5}}}, "MaxTRESPA cpu=6"},
		"GrpJobs of the QOS, and not the account's": {"", Ask{User: "bob", QOS: "job"}, books(alice, 3), ""},
		"GrpJobs of the account":                    {"", Ask{User: "bob"}, books(alice, 3), "GrpJobs=3 of account physics"},
		"its processors, which the QOS leaves":      {"", Ask{User: "bob", QOS: "job", Processors: 1}, Books{Underway: map[Who]Use{alice: {Jobs: 1, Processors: 7}}}, "GrpTRES cpu=7 of account physics"},
		"those of the account above it":             {"", Ask{User: "bob", MemoryMB: 1001}, Books{}, "GrpTRES mem=1000 of account root"},
		"submits, in the partition's":               {"", Ask{QOS: "job", Submits: 45}, Books{}, ""},
		"submits, in the job's":                     {"OverPartQOS", Ask{QOS: "job", Submits: 45}, Books{}, "MaxSubmitJobsPA=40"},
	} {
		a := c.ask
		if a.User == "" {
			a.User = "alice"
		}
		a.Programs, a.Processors = 1, max(1, a.Processors)
		s := speakers(c.flags)
		if e := s.Check(a, c.had); (e == nil) != (c.want == "") || e != nil && !strings.Contains(e.Detail, c.want) {
			t.Errorf("%s: %+v, want %q", name, e, c.want)
		}
	}
	for flags, want := range map[string]time.Duration{"": time.Hour, "OverPartQOS": 30 * time.Minute} {
		if got := speakers(flags).LongestFor("alice", "job", 1); got != want {
			t.Errorf("%q: %s, want %s", flags, got, want)
		}
	}
}

// What a job has to have at the least, and what each element of an array may have that is a job in Slurm.
func TestWhatOneJobMayHave(t *testing.T) {
	s := Read(Said{
		Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra State=UP\n",
		Manager: "ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n    MaxTRESPJ=cpu=4,gres/gpu=2,mem=4000\n\nQOS=normal(1)\n    MinTRESPJ=cpu=2,mem=200,node=1,gres/gpu=1\n",
	})
	for name, c := range map[string]struct {
		ask   Ask
		field string
		most  int64
		want  string
	}{
		"enough":                         {Ask{Processors: 2, MemoryMB: 100, GPUs: 1}, "", 0, ""},
		"too few processors":             {Ask{Processors: 1, MemoryMB: 200, GPUs: 1}, "processors", 2, "at least 2 processors (MinTRES of QOS normal)"},
		"too little memory":              {Ask{Processors: 2, MemoryMB: 99, GPUs: 1}, "", 0, "at least 200 MB in all (MinTRES"},
		"no GPU":                         {Ask{Processors: 2, MemoryMB: 100}, "", 0, "at least 1 GPUs (MinTRES"},
		"as much for each element":       {Ask{Processors: 12, MemoryMB: 100, GPUs: 6, Jobs: 3, Elements: 3}, "", 0, ""},
		"too many for each element":      {Ask{Processors: 15, MemoryMB: 100, GPUs: 3, Jobs: 3, Elements: 3}, "processors", 4, "at most 4 processors"},
		"too many of one that is no job": {Ask{Processors: 12, MemoryMB: 100, GPUs: 2, Elements: 3}, "processors", 4, "at most 4 processors"},
		"too few for each element":       {Ask{Processors: 3, MemoryMB: 400, GPUs: 3, Jobs: 3, Elements: 3}, "", 0, "at least 2 processors"},
		"too much memory for each":       {Ask{Processors: 12, MemoryMB: 1001, GPUs: 6, Jobs: 3}, "memory_mb", 1000, "at most 4000 MB"},
	} {
		c.ask.User, c.ask.Programs = "alice", 1
		e := s.Check(c.ask, Books{})
		if (e == nil) != (c.want == "") || e != nil && (e.Field != c.field || e.Most != c.most || !strings.Contains(e.Detail, c.want)) {
			t.Errorf("%s: %+v, want %q, %s %d", name, e, c.want, c.field, c.most)
		}
	}
}

// Who has no default QOS has the only one that they may, or else normal, also where they may not: there
// Slurm refuses their jobs, if it looks.
func TestWhoHasNoDefaultQOS(t *testing.T) {
	for may, c := range map[string]struct{ own, strictly string }{
		"|":            {"normal", "by its name: none;"},
		"|high":        {"high", ""},
		"|high,low":    {"normal", "by its name: high, low; there is no default one, and normal, which Slurm takes then, is not among them (Invalid qos"},
		"|low,normal":  {"normal", ""},
		"low|high,low": {"low", ""},
	} {
		for _, enforce := range []string{"limits", "safe", "limits,qos", "all"} {
			s := Read(Said{
				Config: "AccountingStorageEnforce = " + enforce + "\n", Partition: "PartitionName=libra State=UP\n",
				Manager: "ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n\nQOS=normal(1)\n    MaxWallPJ=10\nQOS=high(2)\n    MaxWallPJ=20\nQOS=low(3)\n    MaxWallPJ=30\n",
				Granted: Granted{Choices: "physics|alice||" + may + "\n"},
			})
			want := c.strictly
			if enforce == "limits" || enforce == "safe" {
				want = ""
			}
			e := s.Check(Ask{User: "alice", Processors: 1, Programs: 1}, Books{})
			if (e == nil) != (want == "") || e != nil && (e.Field != NamesQOS || !strings.Contains(e.Detail, want)) {
				t.Errorf("%s, %s: %+v, want %q", may, enforce, e, want)
			}
			long := s.Check(Ask{User: "alice", Processors: 1, Programs: 1, Time: 31 * time.Minute}, Books{})
			if long == nil || want == "" && !strings.Contains(long.Detail, "MaxWall of QOS "+c.own) {
				t.Errorf("%s, %s: %+v, want the limits of %s", may, enforce, long, c.own)
			}
		}
	}
}

// Whoever has a job wait, as Slurm lets them, needs room only for that: what others have now they may not have then,
// and a partition that is DOWN may be up.
func TestWhatIsNoMatterToWhoWaits(t *testing.T) {
	full := Books{Underway: map[Who]Use{{"alice", "job"}: {Jobs: 3, Processors: 6}, {"bob", "job"}: {Jobs: 30}}}
	for name, c := range map[string]struct {
		ask  Ask
		want string
	}{
		"more than may run now":   {Ask{}, ""},
		"more than may be queued": {Ask{Submits: 15}, "MaxSubmitJobsPA=40"},
		"more than may ever run":  {Ask{Processors: 10}, "MaxTRES"},
		"too long":                {Ask{Time: 2 * time.Hour}, "MaxWall"},
		"too many elements":       {Ask{Jobs: 5, Elements: 5}, "MaxJobsPU=3 of user alice in QOS job, of which 0 are used"},
	} {
		a := c.ask
		a.User, a.QOS, a.Programs, a.Processors = "alice", "job", 1, max(1, a.Processors)
		s := speakers("OverPartQOS")
		if e := s.Check(a, full); e == nil {
			t.Errorf("%s: it may begin now", name)
		}
		a.Later = true
		if e := s.Check(a, full); (e == nil) != (c.want == "") || e != nil && !strings.Contains(e.Detail, c.want) {
			t.Errorf("%s: %+v, want %q", name, e, c.want)
		}
	}
	for state, open := range map[string]bool{"UP": true, "DOWN": true, "DRAIN": false, "INACTIVE": false} {
		s := Read(Said{Partition: "PartitionName=fast MaxTime=UNLIMITED State=" + state + "\n"})
		if e := s.Check(Ask{User: "alice", Processors: 1, Programs: 1, Later: true}, Books{}); (e == nil) != open {
			t.Errorf("%s: %+v", state, e)
		}
	}
}
