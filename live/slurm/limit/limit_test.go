package limit

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// site is a Slurm 24.11 as it was: root may run two jobs at a time of two processors and
// an hour each, and by its QOS one, of half an hour; its account has six processors.
func site(t *testing.T) *Site {
	t.Helper()
	text, err := os.ReadFile("testdata/assoc_mgr.txt")
	if err != nil {
		t.Fatal(err)
	}
	return Read(Said{
		Config:    "AccountingStorageEnforce = associations,limits,qos\nDefMemPerCPU            = 128\nMaxMemPerCPU            = UNLIMITED\n",
		Partition: "PartitionName=libra AllowGroups=ALL QoS=N/A MaxNodes=UNLIMITED MaxTime=1-12:00:00 MaxMemPerCPU=2048 State=UP\n",
		Manager:   string(text), Granted: Granted{Choices: "root||||normal\nphysics|alice|||normal\nphysics|root||tight|normal,tight\n", Qualities: "normal||||\ntight|1||cpu=3|00:30:00\n"},
	})
}

func TestWhatAPartitionAllows(t *testing.T) {
	s := site(t)
	if p := s.Partition; p.DefMemoryMB != 128 || p.MaxMemoryMB != 2048 || p.MaxTime != 36*time.Hour || p.MaxNodes != 0 {
		t.Errorf("%+v", p)
	}
	for want, a := range map[string]Ask{
		"MaxTime":      {User: "alice", Processors: 1, Programs: 1, Time: 37 * time.Hour},
		"MaxMemPerCPU": {User: "alice", Processors: 1, Programs: 1, MemoryMB: 2049},
	} {
		if e := s.Check(a, Books{}); e == nil || !strings.Contains(e.Detail, want) || e.Most == 0 {
			t.Errorf("%+v: %+v, want %s", a, e, want)
		}
	}
	s.Partition.MaxNodes = 2
	if e := s.Check(Ask{User: "alice", Processors: 6, Programs: 3}, Books{}); e == nil || e.Field != "processors" || e.Most != 4 {
		t.Errorf("three programs on two nodes: %+v", e)
	}
}

func TestWhatSomebodyMayHave(t *testing.T) {
	one := Ask{User: "alice", Processors: 1, Programs: 1, MemoryMB: 128, Time: time.Minute}
	has := func(user string, jobs, processors int) map[Who]Use {
		return map[Who]Use{{User: user}: {Jobs: jobs, Processors: processors}}
	}
	for name, c := range map[string]struct {
		ask   func(*Ask)
		books Books
		want  string // in the detail; empty: it may
		most  int64
	}{
		"alice has no limits of her own":        {want: ""},
		"a stranger":                            {ask: func(a *Ask) { a.User = "bob" }, want: "has no account in Slurm"},
		"all of what is left of the account":    {ask: func(a *Ask) { a.Processors = 5 }},
		"more than is left of it":               {ask: func(a *Ask) { a.Processors = 6 }, want: "GrpTRES cpu=6 of account physics, of which 1 are used", most: 5},
		"others of the account have some":       {books: Books{Underway: has("alice", 5, 5)}, want: "GrpTRES cpu"},
		"what Slurm counts is the market's too": {books: Books{Underway: has("root", 1, 1), Submitted: has("root", 1, 1), Running: has("root", 1, 1)}, ask: func(a *Ask) { a.Processors = 5 }},
		"root has what its QOS allows":          {ask: func(a *Ask) { a.User = "root" }, want: "MaxJobsPU=1 of user root in QOS tight"},
		"root, wide":                            {ask: func(a *Ask) { a.User, a.Processors = "root", 3 }, want: "MaxJobsPU=1", most: 0},
		"root, for longer than its QOS allows":  {ask: func(a *Ask) { a.User, a.Time = "root", 31*time.Minute }, want: "30m0s", most: 1_800_000},
	} {
		a := one
		if c.ask != nil {
			c.ask(&a)
		}
		e := site(t).Check(a, c.books)
		switch {
		case c.want == "" && e != nil:
			t.Errorf("%s: %+v", name, e)
		case c.want != "" && (e == nil || !strings.Contains(e.Detail, c.want) || c.most != e.Most):
			t.Errorf("%s: %+v, want %q and %d", name, e, c.want, c.most)
		}
	}
}

func TestTheLongestOfAJob(t *testing.T) {
	s := site(t)
	for user, want := range map[string]time.Duration{"alice": 36 * time.Hour, "root": 30 * time.Minute, "bob": 36 * time.Hour} {
		if got := s.LongestFor(user, "", 1); got != want {
			t.Errorf("%s: %s, want %s", user, got, want)
		}
	}
}

func TestASiteWithoutLimits(t *testing.T) {
	for _, said := range []Said{{}, {Config: "AccountingStorageEnforce = none\n", Partition: "PartitionName=libra MaxTime=UNLIMITED DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED\n"}} {
		s := Read(said)
		if e := s.Check(Ask{User: "bob", Processors: 1000, Programs: 1000, MemoryMB: 1 << 30, Time: 1e6 * time.Hour}, Books{}); e != nil || s.LongestFor("bob", "", 1) != 0 || Enforces(said.Config) {
			t.Errorf("%+v", e)
		}
	}
}

func TestAmounts(t *testing.T) {
	for text, want := range map[string]value{"6(2)": {true, 6, 2}, "60": {true, 60, 0}, "N(3)": {false, 0, 3}, "4G(512)": {true, 4096, 512}, "": {}, "100(1.50)": {true, 100, 1}} {
		if got := readValue(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	if span("1-02:03:04") != 26*time.Hour+3*time.Minute+4*time.Second || span("UNLIMITED") != 0 || span("5") != 0 {
		t.Error("spans")
	}
}

// GPUs are counted like processors: what others of the account hold, what the market has
// sold, and what a job asks for.
func TestLimitsOfGPUs(t *testing.T) {
	text, err := os.ReadFile("testdata/assoc_mgr.txt")
	if err != nil {
		t.Fatal(err)
	}
	has := func(user string, gpus int) map[Who]Use { return map[Who]Use{{User: user}: {GPUs: gpus}} }
	for name, c := range map[string]struct {
		asks  int
		books Books
		want  string
		most  int64
	}{
		"none":                       {},
		"what is left":               {asks: 3},
		"more than is left":          {asks: 4, want: "GrpTRES gres/gpu=4 of account physics, of which 1 are used", most: 3},
		"the market has sold some":   {asks: 2, books: Books{Underway: has("root", 2)}, want: "GrpTRES gres/gpu", most: 1},
		"which Slurm counts as well": {asks: 2, books: Books{Underway: has("root", 1), Submitted: has("root", 1), Running: has("root", 1)}},
		"none, where none are left":  {books: Books{Underway: has("root", 9)}},
		"all are sold":               {asks: 1, books: Books{Underway: has("root", 3)}, want: "GrpTRES gres/gpu"},
	} {
		said := strings.Replace(string(text), "GrpTRES=cpu=6(1)", "GrpTRES=gres/gpu=4(1),cpu=N(1)", 1)
		if said == string(text) {
			t.Fatal("the recorded limits are others")
		}
		s := Read(Said{Config: "AccountingStorageEnforce = limits\n", Partition: "PartitionName=libra MaxTime=UNLIMITED\n", Manager: strings.ReplaceAll(said, ",gres/gpu=N(0)", ""), Granted: Granted{Choices: "physics|alice||\n"}})
		e := s.Check(Ask{User: "alice", Processors: 1, Programs: 1, GPUs: c.asks}, c.books)
		switch {
		case c.want == "" && e != nil:
			t.Errorf("%s: %+v", name, e)
		case c.want != "" && (e == nil || !strings.Contains(e.Detail, c.want) || e.Most != c.most || (e.Field == "gpus") != (c.most > 0)):
			t.Errorf("%s: %+v, want %q and %d", name, e, c.want, c.most)
		}
	}
	each := newRecord()
	each.readValues([]string{"MaxTRESPJ=gres/gpu:a100=1", "GrpTRES=gres/gpu:a100=3(1)"})
	of := func(n int) reckoning { return reckoning{market: Use{GPUs: n, Kinds: map[string]int{"a100": n}}} }
	for name, c := range map[string]struct {
		asks Ask
		sold int
		most int64
		ok   bool
	}{
		"another kind":    {Ask{GPUs: 4, GPUKind: "v100"}, 0, 0, true},
		"any kind":        {Ask{GPUs: 4}, 0, 0, true},
		"as many":         {Ask{GPUs: 2, GPUKind: "a100"}, 0, 0, true},
		"more":            {Ask{GPUs: 3, GPUKind: "a100"}, 0, 2, false},
		"one was sold":    {Ask{GPUs: 2, GPUKind: "a100"}, 1, 1, false},
		"more than there": {Ask{GPUs: 1, GPUKind: "a100"}, 2, 0, false},
	} {
		if e := each.checkCounts(&c.asks, of(c.sold), "GrpJobs", "GrpSubmitJobs", "GrpTRES"); (e == nil) != c.ok || e != nil && (e.Most != c.most || !strings.Contains(e.Detail, "gres/gpu:a100=3")) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e := each.checkJob(&Ask{Processors: 1, Programs: 1, GPUs: 2, GPUKind: "a100"}); e == nil || e.Field != "gpus" || e.Most != 1 || !strings.Contains(e.Detail, "a100") {
		t.Errorf("more of a kind than a job may have: %+v", e)
	}
	var sum Use
	sum.Add(Use{GPUs: 2, Kinds: map[string]int{"a100": 2}})
	sum.Add(Use{GPUs: 1, Kinds: map[string]int{"a100": 1}})
	if sum.Count("v100", 4); sum.Kinds["a100"] != 3 || sum.Kinds["v100"] != 4 {
		t.Errorf("%+v", sum)
	}
	each = newRecord()
	each.readValues([]string{"MaxTRESPJ=gres/gpu=2"})
	if e := each.checkJob(&Ask{Processors: 1, Programs: 1, GPUs: 3}); e == nil || e.Field != "gpus" || e.Most != 2 {
		t.Errorf("more than a job may have: %+v", e)
	}
	if e := each.checkJob(&Ask{Processors: 1, Programs: 1, GPUs: 2}); e != nil {
		t.Errorf("as much as a job may have: %+v", e)
	}
}

// Of several reservations of a node the first counts, and of those that have begun none is to come.
func TestWhatIsReserved(t *testing.T) {
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	in := func(from, till int, name string, nodes ...string) Reserved {
		return Reserved{Name: name, From: now.Add(time.Duration(from) * time.Minute), Till: now.Add(time.Duration(till) * time.Minute), Nodes: nodes}
	}
	begun, soon, later := in(-10, 10, "begun", "n3"), in(20, 30, "soon", "n1", "n2"), in(40, 50, "later", "n1", "n3")
	over := in(-20, 0, "over", "n1", "n4")
	if over.Active(now) || !begun.Active(now) || soon.Active(now) || !begun.Active(begun.From) || begun.Active(begun.Till) {
		t.Error("whose time it is is not known")
	}
	for _, order := range [][]Reserved{{over, begun, soon, later}, {later, soon, begun, over}} {
		s := Read(Said{Reserved: order})
		for aside, want := range map[string]string{"": "n1 soon, n2 soon, n3 begun", "soon": "n1 later, n3 begun", "begun": "n1 soon, n2 soon, n3 later"} {
			var got []string
			for name, r := range Ahead(s.Reserved(), now, func(string) string { return aside }) {
				got = append(got, name+" "+r.Name)
			}
			if slices.Sort(got); strings.Join(got, ", ") != want {
				t.Errorf("set aside for %q: %q, want %q", aside, got, want)
			}
		}
		for nodes, want := range map[string]time.Time{"n1": soon.From, "n3": later.From, "n3 n2": soon.From, "n4": {}} {
			if got := s.ReservedFrom(strings.Fields(nodes), now); !got.Equal(want) {
				t.Errorf("%s: %s, want %s", nodes, got, want)
			}
		}
	}
}

// What the QOS of a partition allows is counted in the partitions that have it; where a job has
// it anyway, in all.
func TestTheQOSOfAPartition(t *testing.T) {
	one := Ask{User: "alice", Processors: 1, Programs: 1, MemoryMB: 128, Time: time.Minute}
	has := func(processors int) Books {
		return Books{Underway: map[Who]Use{{User: "alice"}: {Jobs: 1, Processors: processors}}}
	}
	s := site(t)
	s.Partition.QOS = "tight" // which lets each have three processors
	all, none, some := has(3), Books{}, has(3)
	for name, c := range map[string]struct {
		books   Books
		refused bool
	}{
		"in others":         {Books{Underway: all.Underway, Here: &none, Kin: &none}, false},
		"in its own":        {Books{Underway: all.Underway, Here: &some, Kin: &some}, true},
		"in one like it":    {Books{Underway: all.Underway, Here: &none, Kin: &some}, true},
		"there is no other": {all, true},
	} {
		if e := s.Check(one, c.books); (e != nil) != c.refused || e != nil && !strings.Contains(e.Detail, "QOS tight") {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// Of everybody who has jobs it is asked, for each job that is handed in, whose association, account and QOS they
// have: they are found by name, and not looked for among thousands.
func TestWhoIsFoundByName(t *testing.T) {
	s := Read(Said{
		Config: "AccountingStorageEnforce = limits,qos\n", Partition: "PartitionName=fast State=UP\n",
		Manager: "UserName=alice(7) DefAccount=physics Privs=None\n" +
			"ClusterName=c Account=root UserName= Partition= ID=1\n    ParentAccount=\n" +
			"ClusterName=c Account=physics UserName= Partition= ID=2\n    ParentAccount=root(1)\n" +
			"ClusterName=c Account=biology UserName=alice(7) Partition= ID=3\n    DefAssoc=No\n" +
			"ClusterName=c Account=physics UserName=alice(7) Partition=slow ID=4\n    DefAssoc=No\n" +
			"ClusterName=c Account=physics UserName=alice(7) Partition=fast ID=5\n    DefAssoc=No\n" +
			"ClusterName=c Account=physics UserName=alice(7) Partition= ID=6\n    DefAssoc=Yes\n" +
			"ClusterName=c Account=physics UserName=bob(8) Partition= ID=7\n    DefAssoc=Yes\n",
		Granted: Granted{Choices: "physics|alice||normal|normal\nphysics|alice|fast|high|high,normal\n"},
	})
	s.records, s.choices = nil, nil
	own := s.association("alice")
	if own == nil || own.partition != "fast" || s.ownQOS(own) != "high" {
		t.Fatalf("alice's is %+v", own)
	}
	if bob := s.association("bob"); bob == nil || s.ownQOS(bob) != "normal" || s.association("carl") != nil || s.association("") != nil {
		t.Errorf("bob's is %+v", bob)
	}
	if root := s.parent(s.parent(own)); root == nil || root.account != "root" || s.parent(root) != nil || !s.under("bob", root) {
		t.Errorf("above is %+v", root)
	}
}

// Of those who have something in a QOS slurmctld says the number alone (22.05): what its own jobs of theirs have
// counts for them.
func TestUsersOfAQOSByNumber(t *testing.T) {
	for _, named := range []string{"7", "alice(7)"} {
		s := Read(Said{
			Config: "AccountingStorageEnforce = limits,qos\n",
			Manager: "ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\nClusterName=c Account=physics UserName=bob(8) Partition= ID=5\n    DefAssoc=Yes\n" +
				"QOS=one(1)\n    GrpJobs=N(1)\n    User Limits\n      " + named + "\n        MaxJobsPU=1(1) MaxSubmitJobsPU=N(1)\n",
			Granted: Granted{Choices: "physics|alice||one|one\nphysics|bob||one|one\n", Qualities: "one|1|||||\n"},
		})
		if e := s.Check(Ask{User: "alice"}, Books{}); e == nil || e.Short != "MaxJobsPU=1 of user alice in QOS one" {
			t.Errorf("%s: who runs one of Slurm's own: %+v", named, e)
		}
		if e := s.Check(Ask{User: "bob"}, Books{}); e != nil {
			t.Errorf("%s: who runs none: %+v", named, e)
		}
	}
}

// Short says in what others leave no room, of a job that there is room for by itself.
func TestWhatIsShortForNow(t *testing.T) {
	s := Read(Said{
		Config: "AccountingStorageEnforce = limits\n",
		Manager: "ClusterName=c Account=physics UserName= Partition= ID=3\n    ParentAccount=\n    GrpTRES=cpu=4(3)\n    GrpTRESRunMins=cpu=100(60)\n" +
			"ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n    MaxJobs=2(0) MaxWallPJ=90\n",
		Licenses: "LicenseName=fluent Total=2 Used=1 Free=1 Reserved=0 Remote=no\n",
	})
	two := Books{Underway: map[Who]Use{{User: "alice"}: {Jobs: 2}}}
	for name, c := range map[string]struct {
		ask   Ask
		had   Books
		short string
		fits  bool
	}{
		"it may":                       {Ask{Processors: 1, Time: time.Minute}, Books{}, "", true},
		"jobs":                         {Ask{Processors: 1, Time: time.Minute}, two, "MaxJobs=2 of user alice in account physics", false},
		"processors":                   {Ask{Processors: 2, Time: time.Minute}, Books{}, "GrpTRES cpu=4 of account physics", false},
		"more than there are":          {Ask{Processors: 5, Time: time.Minute}, Books{}, "", false},
		"minutes":                      {Ask{Processors: 1, Time: time.Hour}, Books{}, "GrpTRESRunMins cpu=100 of account physics", false},
		"more minutes than there are":  {Ask{Processors: 2, Time: time.Hour}, Books{}, "", false},
		"longer than any may":          {Ask{Processors: 1, Time: 2 * time.Hour}, two, "", false},
		"licences":                     {Ask{Processors: 1, Time: time.Minute, Licenses: map[string]int{"fluent": 2}}, Books{}, "the licences fluent that Slurm has", false},
		"more licences than there are": {Ask{Processors: 1, Time: time.Minute, Licenses: map[string]int{"fluent": 3}}, Books{}, "", false},
	} {
		c.ask.User = "alice"
		if e := s.Check(c.ask, c.had); (e == nil) != c.fits || e != nil && e.Short != c.short {
			t.Errorf("%s: %+v, want %q", name, e, c.short)
		}
	}
}
