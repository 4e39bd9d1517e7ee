package limit

import (
	"slices"
	"strings"
)

// qualities are the QOS by name.
type qualities map[string]*record

// QualityFields are what sacctmgr is asked for of a QOS: slurmctld names what each user
// may have only of those who have something.
const QualityFields = "name,maxjobspu,maxsubmitpu,maxtrespu,maxwall,flags,preempt,maxjobspa,maxsubmitpa,maxtrespa,maxtresrunminspu,maxtresrunminspa"

func (s *Site) readQualities(text string) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) >= 7 {
			s.readTrait(f[0], f[5], f[6])
		}
		if len(f) < 5 || s.qualities[f[0]] == nil {
			continue
		}
		each := newRecord()
		each.qos = f[0]
		each.readValues([]string{"MaxJobsPU=" + f[1], "MaxSubmitJobsPU=" + f[2], "MaxTRESPU=" + f[3]})
		s.qualities[f[0]].byUser[""] = each
		timed := len(f) >= 12 && s.timed
		if timed {
			each.readValues([]string{"MaxTRESRunMinsPU=" + f[10]})
		}
		if len(f) < 10 {
			continue
		}
		all := newRecord()
		all.qos = f[0]
		all.readValues([]string{"MaxJobsPA=" + f[7], "MaxSubmitJobsPA=" + f[8], "MaxTRESPA=" + f[9]})
		if timed {
			all.readValues([]string{"MaxTRESRunMinsPA=" + f[11]})
		}
		s.qualities[f[0]].byAccount[""] = all
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

// forAccount is what a QOS lets an account have, with what Slurm counts.
func (r *record) forAccount(account string) *record {
	each := r.byAccount[account]
	if each == nil {
		if each = r.byAccount[""]; each == nil {
			return newRecord()
		}
	}
	named := *each
	named.account = account
	return &named
}

// ChoiceFields are what sacctmgr is asked for of associations: which QOS each may have.
const ChoiceFields = "account,user,partition,defaultqos,qos"

// choice is which QOS an association has if nothing is said, and which it may have.
type choice struct {
	account, user, partition string

	qos string // empty: it has none of its own
	may []string
}

func (s *Site) readChoices(text string) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) == 5 {
			s.choices = append(s.choices, choice{f[0], f[1], f[2], f[3], strings.FieldsFunc(f[4], func(r rune) bool { return r == ',' })})
		}
	}
}

// ownQOS is the one that a job of an association has which names none: the default one, else the only one
// that it may have, else, also where it may not, normal.
func (s *Site) ownQOS(own *record) string {
	switch c := s.choiceOf(own); {
	case c == nil:
	case c.qos != "":
		return c.qos
	case len(c.may) == 1:
		return c.may[0]
	}
	return "normal"
}

// choiceOf is what slurmdbd has said of an association; nil: nothing.
func (s *Site) choiceOf(own *record) *choice {
	if own == nil {
		return nil
	}
	return s.chosen[chooser{own.account, own.user, own.partition}]
}

// qosWith is the one that a job of an association has, which names that one or none.
func (s *Site) qosWith(own *record, named string) string {
	if named != "" {
		return named
	}
	return s.ownQOS(own)
}

// qosOf are those that count for jobs of an association: the one that they name, or its own, and that
// of the partition; first the one whose limits stand in place of the other's.
func (s *Site) qosOf(own *record, named string) []*record {
	var found []*record
	names := []string{s.Partition.QOS, s.qosWith(own, named)}
	if s.is(names[1], "OverPartQOS") {
		slices.Reverse(names)
	}
	for _, name := range slices.Compact(names) {
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
