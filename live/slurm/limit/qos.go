package limit

import "strings"

// qualities are the QOS by name.
type qualities map[string]*record

// QualityFields are what sacctmgr is asked for of a QOS: slurmctld names what each user
// may have only of those who have something.
const QualityFields = "name,maxjobspu,maxsubmitpu,maxtrespu,maxwall"

func (s *Site) readQualities(text string) {
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 5 || s.qualities[f[0]] == nil {
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

// effective are the limits that count for jobs of an association: what a QOS says of a
// limit stands in place of what the association does.
func (s *Site) effective(own *record) []*record {
	all := s.qosOf(own)
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
