package limit

import (
	"strings"
	"testing"
	"time"
)

// Slurm begins no job for whose time limit there is not as much left as it counts for; tried on 22.05
// (QOSGrpCPURunMinutesLimit, AssocGrpCPUMinutesLimit).
func TestTimeThatJobsHaveTogether(t *testing.T) {
	read := func(enforce, own, account, qos string) *Site {
		return Read(Said{
			Config: "AccountingStorageEnforce = " + enforce + "\n", Partition: "PartitionName=libra State=UP\n",
			Manager: "ClusterName=c Account=physics UserName= Partition= ID=3\n    ParentAccount=\n    " + account + "\n" +
				"ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n    " + own + "\n\nQOS=normal(1)\n    " + qos + "\n",
		})
	}
	hour := Ask{User: "alice", Processors: 2, Programs: 1, MemoryMB: 10, Time: time.Hour}
	open, later := hour, hour
	open.Open, open.Time, later.Later = true, time.Minute, true
	for name, c := range map[string]struct {
		site *Site
		ask  Ask
		want string // in the detail; empty: it may
		most time.Duration
	}{
		"as much as is left":                {read("limits", "", "GrpTRESRunMins=cpu=150(30)", ""), hour, "", 0},
		"more than is left":                 {read("limits", "", "GrpTRESRunMins=cpu=150(31)", ""), hour, "GrpTRESRunMins cpu=150 of account physics, of which 31 are used, and until its deadline this job may be 120 more", 59 * time.Minute},
		"which is no matter to who waits":   {read("limits", "", "GrpTRESRunMins=cpu=150(31)", ""), later, "", 0},
		"more than there ever is":           {read("limits", "", "GrpTRESRunMins=cpu=119(0)", ""), later, "GrpTRESRunMins cpu=119", 59 * time.Minute},
		"nothing is left":                   {read("limits", "GrpTRESRunMins=cpu=150(150)", "", ""), hour, "of which 150 are used", 0},
		"memory":                            {read("limits", "", "", "GrpTRESRunMins=mem=1199(0)"), hour, "GrpTRESRunMins mem=1199 of QOS normal", 59 * time.Minute},
		"the QOS in place of the account":   {read("limits", "", "GrpTRESRunMins=cpu=1(0)", "GrpTRESRunMins=cpu=120(0)"), hour, "", 0},
		"no deadline":                       {read("limits", "", "GrpTRESRunMins=cpu=150(0)", ""), open, "--deadline", 0},
		"no deadline, and a longest time":   {read("limits", "MaxWallPJ=60", "GrpTRESRunMins=cpu=150(0)", ""), open, "", 0},
		"used, and nobody looks ahead":      {read("limits", "", "GrpTRESMins=cpu=150(149.5)", ""), hour, "", 0},
		"used up":                           {read("limits", "", "GrpTRESMins=cpu=150(150)", ""), hour, "GrpTRESMins cpu=150 is used up", 0},
		"none at all":                       {read("limits", "", "GrpTRESMins=cpu=0(0)", ""), hour, "GrpTRESMins cpu=0 is used up", 0},
		"of memory":                         {read("limits", "", "GrpTRESMins=mem=5(5)", ""), hour, "GrpTRESMins mem=5 is used up", 0},
		"of GPUs, and it has none":          {read("limits", "", "GrpTRESMins=gres/gpu=0(0)", ""), hour, "", 0},
		"used, and somebody looks ahead":    {read("safe", "", "GrpTRESMins=cpu=150(20)    GrpTRESRunMins=cpu=N(11)", ""), hour, "GrpTRESMins cpu=150 of account physics, of which 31 are used", 59 * time.Minute},
		"as much as there is, looked ahead": {read("safe", "", "GrpTRESMins=cpu=150(20) GrpTRESRunMins=cpu=N(10)", ""), hour, "", 0},
		"all the time that there is":        {read("limits", "", "", "GrpWall=5(5.00)"), hour, "GrpWall=5 is used up", 0},
		"not all of it":                     {read("limits", "", "", "GrpWall=5(4.99)"), hour, "", 0},
	} {
		e := c.site.Check(c.ask, Books{})
		if (e == nil) != (c.want == "") || e != nil && (!strings.Contains(e.Detail, c.want) || e.Most != c.most.Milliseconds()) {
			t.Errorf("%s: %+v, want %q and %s", name, e, c.want, c.most)
		}
	}
	for account, want := range map[string]time.Duration{"GrpTRESRunMins=cpu=N(30)": 0, "GrpTRESRunMins=cpu=151(31)": time.Hour, "GrpTRESRunMins=cpu=10(20)": 0} {
		if got := read("limits", "", account, "").RoomFor(Ask{User: "alice", Processors: 2, MemoryMB: 10}); got != want {
			t.Errorf("%s: %s, want %s", account, got, want)
		}
	}
}

// Limits of a site are of millions of minutes, and a deadline may be a month away.
func TestDeadlineWithinManyMinutes(t *testing.T) {
	site := Read(Said{
		Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra State=UP\n",
		Manager: "ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n    GrpTRESRunMins=cpu=3000000(0)\n",
	})
	month := 30 * 24 * time.Hour
	e := site.Check(Ask{User: "alice", Processors: 100, Programs: 1, MemoryMB: 10, Time: month}, Books{})
	if want := (30000 * time.Minute).Milliseconds(); e == nil || e.Field != "deadline_ms" || e.Most != want {
		t.Errorf("%+v, want %d ms at most", e, want)
	}
}

// What each user of a QOS, and each account, may have of time is held against them from 24.11 on: tried there
// (MaxCpuRunMinsPerUser, MaxMemoryRunMinsPerAccount), and on 22.05, which takes such limits and goes by none.
func TestTimeThatAUserHasInAQOS(t *testing.T) {
	read := func(version, inManager, granted string) *Site {
		return Read(Said{
			Config: "SLURM_VERSION = " + version + "\nAccountingStorageEnforce = limits\n", Partition: "PartitionName=libra State=UP\n",
			Manager: "ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n\nQOS=normal(1)\n    GrpJobs=N(0)\n" + inManager,
			Granted: Granted{Qualities: "normal|||||||||" + granted + "\n"},
		})
	}
	const used = "    Account Limits\n      physics\n        MaxTRESRunMinsPA=mem=N(8)\n    User Limits\n      alice(7)\n        MaxTRESRunMinsPU=cpu=150(31)\n"
	hour := Ask{User: "alice", Processors: 2, Programs: 1, MemoryMB: 10, Time: time.Hour}
	later, open := hour, hour
	later.Later, open.Open = true, true
	for name, c := range map[string]struct {
		site *Site
		ask  Ask
		want string // in the detail; empty: it may
		room time.Duration
	}{
		"nobody has anything yet":       {read("24.11.5", "", "|cpu=119|"), hour, "MaxTRESRunMinsPU cpu=119 of user alice in QOS normal, of which 0 are used", 59 * time.Minute},
		"an account's":                  {read("24.11.5", "", "||mem=1199"), hour, "MaxTRESRunMinsPA mem=1199 of account physics in QOS normal", 59 * time.Minute},
		"as much as there is":           {read("24.11.5", "", "|cpu=120|mem=1200"), hour, "", time.Hour},
		"an older release":              {read("22.05.8", "", "|cpu=119|mem=1199"), hour, "", 0},
		"what runs counts":              {read("24.11.5", used, ""), hour, "of which 31 are used, and until its deadline this job may be 120 more", 59 * time.Minute},
		"but not to who waits":          {read("24.11.5", used, ""), later, "", 59 * time.Minute},
		"no deadline":                   {read("24.11.5", used, ""), open, "--deadline", 59 * time.Minute},
		"GPUs, of which it asks none":   {read("24.11.5", "", "|gres/gpu=1|"), hour, "", 0},
		"nodes: it is on one, at least": {read("24.11.5", "", "|node=59|"), hour, "MaxTRESRunMinsPU node=59", 59 * time.Minute},
		"what was kept before that":     {read("24.11.5", "", ""), hour, "", 0},
	} {
		e := c.site.Check(c.ask, Books{})
		if (e == nil) != (c.want == "") || e != nil && !strings.Contains(e.Detail, c.want) {
			t.Errorf("%s: %+v, want %q", name, e, c.want)
		}
		if room := c.site.RoomFor(c.ask); room != c.room {
			t.Errorf("%s: room for %s, want %s", name, room, c.room)
		}
	}
}

// Slurm is told a time limit for which there is room in all that is counted, not in processors alone.
func TestRoomForMemoryAndNodes(t *testing.T) {
	site := func(limits string) *Site {
		return Read(Said{
			Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra State=UP TRESBillingWeights=CPU=3\n",
			Manager: "ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n    GrpTRESRunMins=" + limits + "\n",
		})
	}
	ask := Ask{User: "alice", Processors: 2, Programs: 2, MemoryMB: 10, GPUs: 1}
	for limits, want := range map[string]time.Duration{
		"mem=400(0)": 20 * time.Minute, "node=20(0)": 10 * time.Minute, "billing=60(0)": 10 * time.Minute, "gres/gpu=7(0)": 7 * time.Minute,
		"cpu=20(0),mem=100(0)": 5 * time.Minute, "cpu=N(7)": 0,
	} {
		if got := site(limits).RoomFor(ask); got != want {
			t.Errorf("%s: room for %s, want %s", limits, got, want)
		}
	}
}
