package limit

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// named is a Slurm where alice may use normal, high, long and booked, and of which secret is not hers; the
// account may run four jobs at a time.
func named(enforce, preempt string) Said {
	return Said{
		Config:    "AccountingStorageEnforce = " + enforce + "\nPreemptType             = " + preempt + "\n",
		Partition: "PartitionName=libra MaxTime=01:00:00 MaxNodes=2 AllowQos=ALL State=UP\n",
		Manager: "ClusterName=c Account=physics UserName= Partition= ID=3\n    ParentAccount=root(1)\n    GrpJobs=4(0)\n" +
			"ClusterName=c Account=physics UserName=alice(7) Partition= ID=4\n    DefAssoc=Yes\n    MaxWallPJ=50\n" +
			"ClusterName=c Account=physics UserName=bob(8) Partition= ID=5\n    DefAssoc=Yes\n" +
			"\nQOS=normal(1)\n    MaxWallPJ=\n    GrpTRES=cpu=N(0)\nQOS=high(2)\n    MaxWallPJ=10\n    GrpTRES=cpu=3(0)\nQOS=long(3)\n    MaxWallPJ=600\nQOS=secret(4)\n    MaxWallPJ=\nQOS=booked(5)\n    MaxWallPJ=\n",
		Granted: Granted{
			Choices:   "physics||||normal\nphysics|alice||normal|booked,high,long,normal\nphysics|bob|||normal\n",
			Qualities: "normal|2|||||\nhigh|1||||DenyOnLimit|normal\nlong|||||PartitionMaxNodes,PartitionTimeLimit|\nsecret||||||\nbooked|||||RequiresReservation|\n",
		},
	}
}

func TestAQOSThatIsNamed(t *testing.T) {
	all := []string{"associations", "limits", "qos,limits"}
	held := all[1:]
	for name, c := range map[string]struct {
		enforce []string // where it is refused
		preempt string
		ask     Ask
		want    string // in the detail; empty: it may
	}{
		"none":                              {ask: Ask{User: "alice"}},
		"the usual one":                     {ask: Ask{User: "alice", QOS: "normal"}, preempt: "preempt/qos"},
		"another that is hers":              {ask: Ask{User: "alice", QOS: "high"}},
		"another's":                         {held, "", Ask{User: "alice", QOS: "secret"}, "may have in Slurm: booked, high, long, normal, and not secret (Invalid qos specification)"},
		"one that there is not":             {held, "", Ask{User: "alice", QOS: "nosuch"}, "and not nosuch (Invalid qos specification)"},
		"hers, by somebody else":            {held, "", Ask{User: "bob", QOS: "high"}, "user bob in account physics may have in Slurm: normal, and not high"},
		"longer than it lets a job run":     {held, "", Ask{User: "alice", QOS: "high", Time: 11 * time.Minute}, "MaxWall of QOS high"},
		"as long as it lets":                {ask: Ask{User: "alice", QOS: "high", Time: 10 * time.Minute}},
		"longer than the association lets":  {held, "", Ask{User: "alice", Time: 51 * time.Minute}, "MaxWall of user alice"},
		"in place of which its own stands":  {ask: Ask{User: "alice", QOS: "long", Time: 9 * time.Hour}, enforce: nil},
		"longer than even that":             {held, "", Ask{User: "alice", QOS: "long", Time: 11 * time.Hour}, "MaxWall of QOS long"},
		"longer than the partition lets":    {held, "", Ask{User: "alice", QOS: "booked", Reserved: true, Time: 2 * time.Hour}, "MaxTime of"},
		"more nodes than the partition has": {all, "", Ask{User: "alice", QOS: "booked", Reserved: true, Programs: 3}, "MaxNodes of"},
		"which a QOS may lift":              {ask: Ask{User: "alice", QOS: "long", Programs: 3}},
		"without its reservation":           {all, "", Ask{User: "alice", QOS: "booked"}, "--reservation; Invalid qos specification"},
		"in a reservation":                  {ask: Ask{User: "alice", QOS: "booked", Reserved: true}},
		"one that ends others' jobs":        {all, "preempt/qos", Ask{User: "alice", QOS: "high"}, "for those of high Slurm may end those of normal"},
	} {
		for _, enforce := range all {
			a := c.ask
			a.Processors, a.Programs = max(1, a.Processors), max(1, a.Programs)
			if enforce == "associations" && name == "longer than the partition lets" {
				continue
			}
			e := Read(named(enforce, c.preempt)).Check(a, Books{})
			if refused := c.want != "" && slices.Contains(c.enforce, enforce); (e != nil) != refused || refused && !strings.Contains(e.Detail, c.want) {
				t.Errorf("%s, enforced are %s: %+v, want %q", name, enforce, e, c.want)
			}
		}
	}
}

// Whoever could be ended for another's job is promised nothing.
func TestAQOSWhoseJobsAreEnded(t *testing.T) {
	said := named("limits", "preempt/qos")
	said.Qualities = strings.Replace(said.Qualities, "DenyOnLimit|normal", "DenyOnLimit|long", 1)
	if e := Read(said).Check(Ask{User: "alice", Processors: 1, Programs: 1, QOS: "long"}, Books{}); e == nil || e.Field != NamesQOS || !strings.Contains(e.Detail, "may end those of long for those of high") {
		t.Errorf("%+v", e)
	}
	said.Choices, said.Qualities = "", ""
	for _, enforce := range []string{"limits", "associations"} {
		said.Config = named(enforce, "preempt/qos").Config
		if e := Read(said).Check(Ask{User: "alice", Processors: 1, Programs: 1, QOS: "long"}, Books{}); e == nil || !strings.Contains(e.Detail, "slurmdbd") {
			t.Errorf("%s, and slurmdbd is away: %+v", enforce, e)
		}
	}
}

// Jobs of one user in different QOS count against different limits, and all against the account's.
func TestWhatCountsForAQOS(t *testing.T) {
	s := Read(named("limits", ""))
	ask := func(user, qos string, processors int, had ...Who) string {
		t.Helper()
		books := Books{Underway: map[Who]Use{}}
		for _, w := range had {
			use := books.Underway[w]
			use.Add(Use{Jobs: 1, Processors: 1})
			books.Underway[w] = use
		}
		if e := s.Check(Ask{User: user, QOS: qos, Processors: processors, Programs: 1}, books); e != nil {
			return e.Detail
		}
		return ""
	}
	plain, high, long, bobs := Who{"alice", ""}, Who{"alice", "high"}, Who{"alice", "long"}, Who{"bob", ""}
	for name, c := range map[string]struct{ got, want string }{
		"the first":                          {ask("alice", "high", 1), ""},
		"one more in the same":               {ask("alice", "high", 1, high), "MaxJobsPU=1 of user alice in QOS high, of which 1 are used"},
		"one more in another":                {ask("alice", "long", 1, high, plain), ""},
		"in none":                            {ask("alice", "", 1, high, long), ""},
		"in none, and in the usual by name":  {ask("alice", "normal", 1, plain, Who{"alice", "normal"}), "MaxJobsPU=2 of user alice in QOS normal, of which 2 are used"},
		"in none, after one by name":         {ask("alice", "", 1, plain, Who{"alice", "normal"}), "MaxJobsPU=2 of user alice in QOS normal"},
		"another user's do not count for it": {ask("bob", "", 1, plain, plain), ""},
		"all of a QOS together":              {ask("alice", "high", 4), "GrpTRES cpu=3 of QOS high, of which 0 are used"},
		"which others of it fill":            {ask("alice", "high", 2, Who{"bob", "high"}, Who{"bob", "high"}), "GrpTRES cpu=3 of QOS high, of which 2 are used"},
		"and of other QOS do not":            {ask("alice", "high", 3, plain, bobs), ""},
		"all of the account together":        {ask("alice", "long", 1, plain, high, long, bobs), "GrpJobs=4 of account physics, of which 4 are used"},
	} {
		if c.got != c.want && (c.want == "" || !strings.Contains(c.got, c.want)) {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	for named, want := range map[string]time.Duration{"": 50 * time.Minute, "high": 10 * time.Minute, "long": 10 * time.Hour} {
		if got := s.LongestFor("alice", named, 1); got != want {
			t.Errorf("%q: %s, want %s", named, got, want)
		}
	}
	if s.Named("alice", "normal") != "" || s.Named("alice", "high") != "high" || Read(Said{}).Named("alice", "high") != "" {
		t.Error("what a job of plain sbatch has that its user need not have named")
	}
}
