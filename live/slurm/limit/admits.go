package limit

import (
	"fmt"
	"slices"
	"strings"
)

// admits are the accounts, or the QOS, whose jobs a partition takes. Slurm takes the others'
// too, from root, and keeps them waiting for good.
type admits struct{ allow, deny []string } // allow empty: all; else deny counts for nothing

func readAdmits(allow, deny string) (a admits) {
	names := func(text string) []string {
		switch strings.ToUpper(text) {
		case "", "ALL", "NONE", "N/A", "(NULL)":
			return nil
		}
		return strings.Split(text, ",")
	}
	if a.allow = names(allow); a.allow == nil {
		a.deny = names(deny)
	}
	return a
}

// admitted says that a partition does not take an association's jobs, with a QOS that they name; nil: it does. Newer
// releases count an account with those that it is in: one of which any is allowed may be, and
// where Slurm says no all the same that is noticed when it does.
func (s *Site) admitted(own *record, named string) *Excess {
	p := &s.Partition
	if in := p.Accounts; len(in.allow) > 0 && !s.within(own, in.allow) {
		return &Excess{Detail: fmt.Sprintf("partition %s takes no jobs of account %s in Slurm (AllowAccounts=%s)", p.Name, own.account, strings.Join(in.allow, ","))}
	} else if slices.Contains(in.deny, own.account) {
		return &Excess{Detail: fmt.Sprintf("partition %s takes no jobs of account %s in Slurm (DenyAccounts=%s)", p.Name, own.account, strings.Join(in.deny, ","))}
	}
	if !s.enforced {
		return nil
	}
	qos := s.qosWith(own, named)
	if in := p.Qualities; len(in.allow) > 0 && !slices.Contains(in.allow, qos) {
		return &Excess{Detail: fmt.Sprintf("partition %s takes no jobs of QOS %s in Slurm (AllowQos=%s)", p.Name, qos, strings.Join(in.allow, ","))}
	} else if slices.Contains(in.deny, qos) {
		return &Excess{Detail: fmt.Sprintf("partition %s takes no jobs of QOS %s in Slurm (DenyQos=%s)", p.Name, qos, strings.Join(in.deny, ","))}
	}
	return nil
}

// within reports whether an association's account, or one that it is in, is among some.
func (s *Site) within(own *record, names []string) bool {
	for at, deep := own, 0; at != nil && deep < 64; at, deep = s.parent(at), deep+1 {
		if slices.Contains(names, at.account) {
			return true
		}
	}
	return false
}
