package limit

import (
	"slices"
	"strings"
)

// qualities are the QOS by name.
type qualities map[string]*record

// QualityFields are what sacctmgr is asked for of a QOS: slurmctld names what each user
// may have only of those who have something.
const QualityFields = "name,maxjobspu,maxsubmitpu,maxtrespu,maxwall,flags,preempt"

func (s *Site) readQualities(text string) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) == 7 {
			s.readTrait(f[0], f[5], f[6])
		}
		if len(f) != 5 && len(f) != 7 || s.qualities[f[0]] == nil {
			continue
		}
		each := newRecord()
		each.qos = f[0]
		each.readValues([]string{"MaxJobsPU=" + f[1], "MaxSubmitJobsPU=" + f[2], "MaxTRESPU=" + f[3]})
		s.qualities[f[0]].byUser[""] = each
	}
}

// forUser is what a QOS lets a user have, with what Slurm counts; an association is its
// user's as it is.
func (r *record) forUser(user string) *record {
	if r.qos == "" {
		return r
	}
	each := r.byUser[user]
	if each == nil {
		if each = r.byUser[""]; each == nil {
			return newRecord()
		}
	}
	named := *each
	named.user = user
	return &named
}

// effective are the limits that count for jobs of an association, with a QOS that they name: what a QOS says of a
// limit stands in place of what the association does.
func (s *Site) effective(own *record, named string) []*record {
	all := s.qosOf(own, named)
	rest := newRecord()
	rest.account, rest.user, rest.partition = own.account, own.user, own.partition
	said := func(name string) bool {
		for _, q := range all {
			if q.counts[name].set || q.forUser(own.user).counts[name+"PU"].set {
				return true
			}
		}
		return false
	}
	for name, v := range own.counts {
		if !said(name) {
			rest.counts[name] = v
		}
	}
	for name, kinds := range own.tres {
		rest.tres[name] = map[string]value{}
		for kind, v := range kinds {
			overruled := false
			for _, q := range all {
				overruled = overruled || q.tres[name][kind].set
			}
			if !overruled {
				rest.tres[name][kind] = v
			}
		}
	}
	return append(all, rest)
}

// ChoiceFields are what sacctmgr is asked for of associations: which QOS each may have.
const ChoiceFields = "account,user,partition,defaultqos,qos"

// choice is which QOS an association has if nothing is said, and which it may have.
type choice struct {
	account, user, partition string

	qos string   // empty: it has none of its own
	may []string // none: nobody has said
}

func (s *Site) readChoices(text string) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		switch {
		case len(f) == 5:
			s.choices = append(s.choices, choice{f[0], f[1], f[2], f[3], strings.FieldsFunc(f[4], func(r rune) bool { return r == ',' })})
		case len(f) == 4 && f[3] != "":
			s.choices = append(s.choices, choice{f[0], f[1], f[2], f[3], nil})
		}
	}
}

// ownQOS is the one that a job of an association has which names none.
func (s *Site) ownQOS(own *record) string {
	name := "normal"
	for i := range s.choices {
		if c := &s.choices[i]; c.of(own) && c.qos != "" {
			name = c.qos
		}
	}
	return name
}

func (c *choice) of(own *record) bool {
	return c.account == own.account && c.user == own.user && c.partition == own.partition
}

// qosWith is the one that a job of an association has, which names that one or none.
func (s *Site) qosWith(own *record, named string) string {
	if named != "" {
		return named
	}
	return s.ownQOS(own)
}

// qosOf are those that count for jobs of an association: the one that they name, or its own, and that
// of the partition.
func (s *Site) qosOf(own *record, named string) []*record {
	var found []*record
	for _, name := range slices.Compact([]string{s.qosWith(own, named), s.Partition.QOS}) {
		if q := s.qualities[name]; q != nil {
			found = append(found, q)
		}
	}
	return found
}

// has reports whose jobs have a QOS; of an association that does not matter.
func (s *Site) has(r *record) func(Who) bool {
	return func(w Who) bool {
		if r.qos == "" {
			return true
		}
		own := s.association(w.User)
		return own != nil && slices.Contains(s.qosOf(own, w.QOS), r)
	}
}
