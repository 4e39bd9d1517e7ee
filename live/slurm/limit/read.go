package limit

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// value is a limit, and what Slurm counts of it.
type value struct {
	set        bool
	most, used int64
}

// record is an association, or a QOS.
type record struct {
	account, user, partition, parent string
	usual                            bool   // of an association: its user's, if no account is named
	qos                              string // its name, of a QOS
	counts                           map[string]value
	tres                             map[string]map[string]value
	byUser, byAccount                map[string]*record // of a QOS: what it lets each have
}

func (r *record) name() string {
	switch {
	case r.qos != "" && r.user != "":
		return fmt.Sprintf("user %s in QOS %s", r.user, r.qos)
	case r.qos != "" && r.account != "":
		return fmt.Sprintf("account %s in QOS %s", r.account, r.qos)
	case r.qos != "":
		return "QOS " + r.qos
	case r.user != "":
		return fmt.Sprintf("user %s in account %s", r.user, r.account)
	}
	return "account " + r.account
}

func newRecord() *record {
	return &record{counts: map[string]value{}, tres: map[string]map[string]value{}}
}

// Said is what Slurm's commands said of its limits.
type Said struct {
	Config    string // scontrol show config
	Partition string // scontrol -o show partition NAME
	Manager   string // scontrol show assoc_mgr
	Licenses  string // scontrol -o show licenses
	Reserved  []Reserved

	Granted
}

// Granted is what slurmdbd has said: slurmctld goes by it while slurmdbd is away, but does not tell it.
type Granted struct {
	Choices   string `json:"choices,omitempty"`   // sacctmgr -nP show assoc where cluster=... format=... (ChoiceFields)
	Qualities string `json:"qualities,omitempty"` // sacctmgr -nP show qos format=... (QualityFields)
}

// ClusterOf is what a cluster is called: in slurmdbd there may be others.
func ClusterOf(config string) string { return word(config, "ClusterName") }

// Enforces reports whether a configuration makes the limits of associations count, so
// that they have to be asked for.
func Enforces(config string) bool {
	is := word(config, "AccountingStorageEnforce")
	for _, name := range strings.Split(is, ",") {
		switch name {
		case "associations", "limits", "qos", "safe", "all":
			return true
		}
	}
	return false
}

// Read makes a site of what Slurm said.
func Read(said Said) *Site {
	s := &Site{accounts: map[string]string{}, qualities: qualities{}, reserved: said.Reserved, licenses: readLicenses(said.Licenses), Granted: said.Granted, Launchers: launchers(said.Config), PerTask: word(said.Config, "SLURM_VERSION") >= "24.11"}
	if n, err := strconv.Atoi(word(said.Config, "MaxArraySize")); err == nil {
		s.arrays = n
	}
	for _, name := range strings.Split(word(said.Config, "AccountingStorageEnforce"), ",") {
		switch name {
		case "limits", "safe", "qos", "all":
			s.enforced, s.required = true, true // they imply it
			s.safe = s.safe || name == "safe" || name == "all"
			s.strict = s.strict || name == "qos" || name == "all"
		case "associations":
			s.required = true
		}
	}
	s.Partition = readPartition(said.Partition, said.Config)
	s.readManager(said.Manager)
	// 22.05 takes MaxTRESRunMins of a user and an account, and holds nobody against them.
	s.timed = word(said.Config, "SLURM_VERSION") >= "24.11" || strings.Contains(said.Manager, "MaxTRESRunMinsPU=")
	s.readChoices(said.Choices)
	s.readQualities(said.Qualities)
	s.readIndex()
	s.preempts = preempts(said.Config)
	return s
}

// word finds Name=value or Name = value.
func word(text, name string) string {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		for i, f := range fields {
			if v, is := strings.CutPrefix(f, name+"="); is {
				return v
			}
			if f == name && i+2 < len(fields) && fields[i+1] == "=" {
				return fields[i+2]
			}
		}
	}
	return ""
}

func readPartition(text, config string) Partition {
	p := Partition{Name: word(text, "PartitionName"), MaxTime: span(word(text, "MaxTime")), DefaultTime: span(word(text, "DefaultTime")), MaxNodes: int(number(word(text, "MaxNodes")))}
	if state := word(text, "State"); state != "UP" {
		p.Closed = state
	}
	if q := word(text, "QoS"); q != "N/A" && q != "(null)" {
		p.QOS = q
	}
	p.Accounts = readAdmits(word(text, "AllowAccounts"), word(text, "DenyAccounts"))
	p.Qualities = readAdmits(word(text, "AllowQos"), word(text, "DenyQos"))
	memory := func(name string) int64 {
		for _, from := range []string{text, config} {
			if n := number(word(from, name)); n > 0 {
				return n
			}
		}
		return 0
	}
	p.weights = readWeights(text, config)
	p.DefMemoryMB, p.MaxMemoryMB, p.MaxMemoryAll = memory("DefMemPerCPU"), memory("MaxMemPerCPU"), memory("MaxMemPerNode")
	return p
}

// number reads a number; anything else, as UNLIMITED, is 0.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// span reads [days-]hours:minutes:seconds; anything else is 0.
func span(text string) time.Duration {
	days, clock, found := strings.Cut(text, "-")
	if !found {
		days, clock = "0", text
	}
	parts := strings.Split(clock, ":")
	if len(parts) != 3 {
		return 0
	}
	seconds := number(days)*86400 + number(parts[0])*3600 + number(parts[1])*60 + number(parts[2])
	return time.Duration(seconds) * time.Second
}

// readManager reads what slurmctld counts: associations and QOS.
func (s *Site) readManager(text string) {
	var at, quality *record
	users := false               // the users of a QOS follow, else the accounts
	names := map[string]string{} // of users, by number: 22.05 says no more of those of a QOS
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case strings.HasPrefix(line, "UserName="):
			s.accounts[unnumbered(word(line, "UserName"))] = word(line, "DefAccount")
		case strings.HasPrefix(line, "ClusterName="):
			at, quality = newRecord(), nil
			at.account, at.user, at.partition = word(line, "Account"), unnumbered(word(line, "UserName")), word(line, "Partition")
			if _, number, known := strings.Cut(strings.TrimSuffix(word(line, "UserName"), ")"), "("); known {
				names[number] = at.user
			}
			s.records = append(s.records, at)
		case strings.HasPrefix(line, "QOS="):
			at = newRecord()
			at.qos, at.byUser = unnumbered(word(line, "QOS")), map[string]*record{}
			at.byAccount = map[string]*record{}
			quality, users = at, false
			s.qualities[at.qos] = at
		case at == nil:
		case quality != nil && len(fields) == 2 && fields[1] == "Limits":
			users, at = fields[0] == "User", newRecord()
		case quality != nil && at != quality && len(fields) == 1 && !strings.Contains(fields[0], "="):
			at = newRecord()
			if at.qos = quality.qos; users {
				at.user = cmp.Or(names[fields[0]], unnumbered(fields[0]))
				quality.byUser[at.user] = at
			} else {
				at.account = fields[0]
				quality.byAccount[at.account] = at
			}
		default:
			at.readValues(fields)
		}
	}
}

// unnumbered is a name without the number in brackets behind it.
func unnumbered(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return name
}

// readValues reads words like MaxJobs=2(1) and GrpTRES=cpu=6(0),mem=N(0).
func (r *record) readValues(fields []string) {
	for _, f := range fields {
		name, text, found := strings.Cut(f, "=")
		switch {
		case !found || text == "":
		case name == "ParentAccount":
			r.parent = unnumbered(text)
		case name == "DefAssoc":
			r.usual = text == "Yes"
		case strings.Contains(name, "TRES"):
			r.tres[name] = map[string]value{}
			for part := range strings.SplitSeq(text, ",") {
				if kind, amount, ok := strings.Cut(part, "="); ok {
					if v := readValue(amount); v.set || name == "GrpTRESRunMins" { // of that it matters what is used, whatever may be
						r.tres[name][kind] = v
					}
				}
			}
		default:
			if v := readValue(text); v.set {
				r.counts[name] = v
			}
		}
	}
}

// readValue reads 6(2), 60, N(0), 4G. Memory is in megabytes.
func readValue(text string) value {
	most, used, _ := strings.Cut(text, "(")
	m, set := quantity(most)
	u, _ := quantity(strings.TrimSuffix(used, ")"))
	return value{set: set, most: m, used: u}
}

func quantity(text string) (int64, bool) {
	text, _, _ = strings.Cut(text, ".") // of minutes that were used
	unit := int64(1)
	if n := len(text); n > 1 {
		switch text[n-1] {
		case 'M':
			text = text[:n-1]
		case 'G':
			unit, text = 1<<10, text[:n-1]
		case 'T':
			unit, text = 1<<20, text[:n-1]
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n * unit, err == nil && n >= 0 && n < 1<<40
}

// index is who is found by name: there may be thousands, and for each job that is handed in it is asked of
// everybody who has jobs.
type index struct {
	own    map[string]*record // associations of users, as [Site.association] has them
	groups map[string]*record // accounts
	chosen map[chooser]*choice
}

// chooser is whose choice of QOS something is.
type chooser struct{ account, user, partition string }

func (s *Site) readIndex() {
	s.index = index{map[string]*record{}, map[string]*record{}, map[chooser]*choice{}}
	for _, r := range s.records {
		switch before := s.own[r.user]; {
		case r.user == "":
			if s.groups[r.account] == nil {
				s.groups[r.account] = r
			}
		case !r.usual && r.account != s.accounts[r.user], before != nil && before.partition != "":
		case r.partition == "" || r.partition == s.Partition.Name:
			s.own[r.user] = r
		}
	}
	for i := range s.choices {
		c := &s.choices[i]
		if is := (chooser{c.account, c.user, c.partition}); s.chosen[is] == nil {
			s.chosen[is] = c
		}
	}
}

// association is that of a user without a word about accounts: of the default one, and
// of the partition if there is one for it.
func (s *Site) association(user string) *record { return s.own[user] }

// parent is the account that an association is of, or that an account is in.
func (s *Site) parent(r *record) *record {
	name := r.account
	if r.user == "" {
		name = r.parent
	}
	if p := s.groups[name]; name != "" && p != r {
		return p
	}
	return nil
}

// under reports whether what a user runs counts for an association.
func (s *Site) under(user string, at *record) bool {
	own := s.association(user)
	for deep := 0; own != nil && deep < 64; own, deep = s.parent(own), deep+1 {
		if own == at {
			return true
		}
	}
	return false
}

// accountOf is the account that a user's jobs count for.
func (s *Site) accountOf(user string) string {
	if own := s.association(user); own != nil {
		return own.account
	}
	return ""
}
