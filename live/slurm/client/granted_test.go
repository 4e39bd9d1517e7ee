package client

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/live/slurm/limit"
)

// What slurmdbd said last counts while it is away, while it does not answer, and in a process that has never
// heard it; it is asked of the market's own cluster.
func TestSlurmdbdsLastWord(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	program := func(name, does string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+does), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program("scontrol", `case "$*" in
*config*) echo 'AccountingStorageEnforce = limits,qos'; echo 'ClusterName = ours' ;;
*partition*) echo 'PartitionName=libra State=UP' ;;
*assoc_mgr*) printf 'ClusterName=ours Account=physics UserName=ann(7) Partition= ID=3\n    DefAssoc=Yes\n\nQOS=normal(1)\n    GrpJobs=N(0)\nQOS=high(2)\n    GrpJobs=N(0)\nQOS=low(3)\n    GrpJobs=N(0)\n' ;;
esac
`)
	answers := func(qos string) string {
		return fmt.Sprintf("case \"$*\" in\n*assoc*cluster=ours*) echo 'physics|ann||%[1]s|%[1]s,normal' ;;\n*assoc*) echo 'physics|ann||theirs|theirs' ;;\n*) printf 'high|1|||||||||\\nlow|||||||||\\n' ;;\nesac\n", qos)
	}
	has := func(c *commands, want, not string) {
		t.Helper()
		site, err := c.Limits(t.Context(), "libra")
		if err != nil {
			t.Fatal(err)
		}
		if got := site.Named("ann", want); got != "" { // her default one is not named
			t.Errorf("%s is not her default QOS", got)
		}
		if e := site.Check(limit.Ask{User: "ann", Processors: 1, Programs: 1, QOS: not}, limit.Books{}); e == nil || !strings.Contains(e.Detail, "Invalid qos") {
			t.Errorf("%s is hers: %+v", not, e)
		}
	}
	patient := func() *commands { return &commands{timeout: 60e9, granted: granted{soon: time.Hour}} }
	c := patient()
	program("sacctmgr", answers("high"))
	has(c, "high", "low")
	for _, away := range []string{"exit 1\n", "echo 'physics|ann||low|low'; exit 1\n", "sleep 2; exit 1\n"} {
		program("sacctmgr", away)
		has(c, "high", "low")
	}
	program("sacctmgr", "exit 1\n")
	anew := patient()
	anew.Recall(limit.Granted{Choices: "physics|ann||low|low\n", Qualities: "low|||||||||\n"})
	has(anew, "low", "high")
	program("sacctmgr", answers("high"))
	anew.granted.mute = false // it is waited for
	has(anew, "high", "low")
	anew.Recall(limit.Granted{Choices: "physics|ann||low|low\n"})
	has(anew, "high", "low")
}

// Where slurmdbd has never answered, slurmctld has the last word: whoever names a QOS that there is may have it,
// and its limits count.
func TestSlurmdbdHasNeverSaidAnything(t *testing.T) {
	site := limit.Read(limit.Said{
		Config: "AccountingStorageEnforce = limits,qos\n", Partition: "PartitionName=libra State=UP\n",
		Manager: "ClusterName=ours Account=physics UserName=ann(7) Partition= ID=3\n    DefAssoc=Yes\n    MaxJobs=2(0)\n\nQOS=normal(1)\n    MaxWallPJ=20\nQOS=high(2)\n    GrpTRES=cpu=4(2)\n",
	})
	for want, a := range map[string]limit.Ask{
		"":                      {QOS: "high"},
		"GrpTRES cpu=4":         {QOS: "high", Processors: 3},
		"not nosuch":            {QOS: "nosuch"},
		"MaxWall of QOS normal": {Time: 21 * 60e9},
		"MaxJobs=2 of user ann": {Jobs: 3},
	} {
		a.User, a.Programs, a.Processors = "ann", 1, max(1, a.Processors)
		if e := site.Check(a, limit.Books{}); (e == nil) != (want == "") || e != nil && !strings.Contains(e.Detail, want) {
			t.Errorf("%+v: %+v, want %q", a, e, want)
		}
	}
}
