package limit

import "maps"

// What a QOS says of a limit stands in place of what is said of it after that: the partition's QOS speaks
// first, then the job's (which says OverPartQOS where it is the other way round), and then the user's
// association and its accounts, of which each counts.

// rule is what an association, or a QOS, says that counts for a job.
type rule struct {
	of      *record // as it is: whose jobs count for it
	all     *record // of one job, and of all together
	user    *record // of all jobs of a user
	account *record // of all jobs of an account, in a QOS; nil: nothing
}

// rules are the limits that count for jobs of an association, with a QOS that they name.
func (s *Site) rules(own *record, named string) (rules []rule) {
	var said, ofUser, ofAccount []*record
	for _, q := range s.qosOf(own, named) {
		user, account := q.forUser(own.user), q.forAccount(own.account)
		rules = append(rules, rule{q, q.after(said, same), user.after(ofUser, same), account.after(ofAccount, same)})
		said, ofUser, ofAccount = append(said, q), append(ofUser, user), append(ofAccount, account)
	}
	user := own.after(ofUser, func(name string) string { return name + "PU" })
	user = user.after(ofAccount, func(name string) string { return name + "PA" })
	return append(rules, rule{of: own, all: own.after(said, same), user: user})
}

// above are the limits of the accounts that an association is in.
func (s *Site) above(own *record, named string) (rules []rule) {
	said := s.qosOf(own, named)
	for at, deep := s.parent(own), 0; at != nil && deep < 64; at, deep = s.parent(at), deep+1 {
		rules = append(rules, rule{of: at, all: at.after(said, same)})
	}
	return rules
}

func same(name string) string { return name }

// after is what counts of a record after others, which may call limits otherwise.
func (r *record) after(said []*record, called func(string) string) *record {
	if len(said) == 0 || r == nil {
		return r
	}
	rest := *r
	fresh := false
	for _, before := range said {
		for name := range r.counts {
			if before.counts[called(name)].set {
				if !fresh {
					rest.counts, fresh = maps.Clone(r.counts), true
				}
				delete(rest.counts, name)
			}
		}
	}
	fresh = false
	for _, before := range said {
		for name, kinds := range r.tres {
			for kind := range kinds {
				if before.tres[called(name)][kind].set {
					if !fresh {
						rest.tres, fresh = maps.Clone(r.tres), true
						for each, of := range rest.tres {
							rest.tres[each] = maps.Clone(of)
						}
					}
					delete(rest.tres[name], kind)
				}
			}
		}
	}
	return &rest
}
