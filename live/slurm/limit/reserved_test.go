package limit

import (
	"cmp"
	"strings"
	"testing"
)

// Who may use a reservation: by user and by account, or the account that it is in; where
// associations do not count, one of both is enough, as in Slurm.
func TestWhoMayUseAReservation(t *testing.T) {
	manager := `Association Records

ClusterName=c Account=root UserName= Partition= Priority=0 ID=1
    SharesRaw/Norm/Level/Factor=1/0.00/1/0.00
    ParentAccount= Lft=1 DefAssoc=No
ClusterName=c Account=physics UserName= Partition= Priority=0 ID=2
    ParentAccount=root(1) Lft=2 DefAssoc=No
ClusterName=c Account=theory UserName= Partition= Priority=0 ID=3
    ParentAccount=physics(2) Lft=3 DefAssoc=No
ClusterName=c Account=theory UserName=ann(1001) Partition= Priority=0 ID=4
    ParentAccount= Lft=4 DefAssoc=Yes
`
	counts := Read(Said{Config: "AccountingStorageEnforce = associations\n", Manager: manager})
	free := Read(Said{Config: "AccountingStorageEnforce = none\n"})
	for name, c := range map[string]struct {
		r            Reserved
		counts, free bool
	}{
		"nobody is named":               {Reserved{}, true, true},
		"ann is":                        {Reserved{Users: []string{"bob", "ann"}}, true, true},
		"ann is not":                    {Reserved{Users: []string{"bob"}}, false, false},
		"ann may not":                   {Reserved{Users: []string{"-ann"}}, false, false},
		"bob may not":                   {Reserved{Users: []string{"-bob"}}, true, true},
		"her account":                   {Reserved{Accounts: []string{"theory"}}, true, false},
		"the one that it is in":         {Reserved{Accounts: []string{"physics"}}, true, false},
		"another":                       {Reserved{Accounts: []string{"chemistry"}}, false, false},
		"not the one that it is in":     {Reserved{Accounts: []string{"-physics"}}, false, true},
		"not another":                   {Reserved{Accounts: []string{"-chemistry"}}, true, true},
		"both":                          {Reserved{Users: []string{"ann"}, Accounts: []string{"physics"}}, true, true},
		"ann, of another account":       {Reserved{Users: []string{"ann"}, Accounts: []string{"chemistry"}}, false, true},
		"another user, or all accounts": {Reserved{Users: []string{"bob"}, Accounts: []string{"-chemistry"}}, false, true},
		"her account, and another user": {Reserved{Users: []string{"bob"}, Accounts: []string{"theory"}}, false, false},
	} {
		if why := counts.Grants(&c.r, "ann"); (why == "") != c.counts {
			t.Errorf("%s, where associations count: %q", name, why)
		}
		if why := free.Grants(&c.r, "ann"); (why == "") != c.free {
			t.Errorf("%s, where they do not: %q", name, why)
		}
	}
	both := Reserved{Users: []string{"bob", "eve"}, Accounts: []string{"chemistry", "biology"}}
	if why := counts.Grants(&both, "ann"); why != "it is for others: users bob, eve; accounts chemistry, biology" {
		t.Error(why)
	}
	if why := free.Grants(&both, "ann"); !strings.HasPrefix(why, "it is for others: users bob, eve; accounts chemistry, biology (whose account") {
		t.Error(why)
	}
	if why := counts.Grants(&Reserved{Users: []string{"bob"}}, "ann"); why != "it is for others: users bob" {
		t.Error(why)
	}
	if why := counts.Grants(&Reserved{Accounts: []string{"chemistry"}}, "ann"); why != "it is for others: accounts chemistry" {
		t.Error(why)
	}
	circle := Read(Said{Config: "AccountingStorageEnforce = associations\n", Manager: strings.ReplaceAll(manager, "ParentAccount=root(1)", "ParentAccount=theory(3)")})
	if why := circle.Grants(&Reserved{Accounts: []string{"chemistry"}}, "ann"); why == "" {
		t.Error("accounts that are in each other are in all others")
	}
	for name, c := range map[string]struct {
		r   Reserved
		why string
	}{
		"plain":       {Reserved{Flags: []string{"SPEC_NODES", "DAILY", "PURGE_COMP"}}, ""},
		"maintenance": {Reserved{Flags: []string{"MAINT"}}, "maintenance"},
		"flexible":    {Reserved{Flags: []string{"SPEC_NODES", "FLEX"}}, "it has the flag FLEX, which the market does not know"},
		"magnetic":    {Reserved{Flags: []string{"MAGNETIC"}}, "flag MAGNETIC"},
		"floating":    {Reserved{Flags: []string{"TIME_FLOAT"}}, "flag TIME_FLOAT"},
		"partial":     {Reserved{Partial: true}, "some processors"},
		"of groups":   {Reserved{Groups: "staff"}, "groups (staff)"},
		"no word":     {Reserved{Name: "a:b"}, "its name"},
	} {
		if c.r.Name, c.r.Nodes = cmp.Or(c.r.Name, "course"), []string{"n1"}; (c.r.Odd() == "") != (c.why == "") || !strings.Contains(c.r.Odd(), c.why) {
			t.Errorf("%s: %q", name, c.r.Odd())
		}
	}
	if odd := (&Reserved{Name: "course"}).Odd(); !strings.Contains(odd, "no nodes") {
		t.Errorf("without nodes: %q", odd)
	}
}
