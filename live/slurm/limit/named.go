package limit

import (
	"fmt"
	"slices"
	"strings"
)

// A job may name the QOS that it is to have. Which its user may is in slurmdbd, whose last answer counts
// while it is away; where Slurm holds jobs against limits, or QOS, no other is taken for it, though a Slurm that
// enforces limits alone would take any name, and hold a job of a QOS that there is not against none.

// trait is what a QOS is beside its limits.
type trait struct {
	flags    []string
	preempts []string // the QOS whose jobs Slurm may end for those of this one
}

func (s *Site) readTrait(name, flags, preempts string) {
	if s.traits == nil {
		s.traits = map[string]trait{}
	}
	words := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	}
	s.traits[name] = trait{words(flags), words(preempts)}
}

// preempts reports whether Slurm ends, or suspends, jobs of a QOS for those of another.
func preempts(config string) bool {
	return word(config, "PreemptType") == "preempt/qos"
}

// AsksQualities reports whether it matters what QOS there are.
func AsksQualities(config string) bool { return Enforces(config) || preempts(config) }

// NamesQOS is how a refusal of a QOS is called, which is a mistake of who names it.
const NamesQOS = "qos"

// named is why a job may not have the QOS that it names, or has if it names none; nil: it may.
func (s *Site) named(own *record, a *Ask) *Excess {
	no := func(format string, words ...any) *Excess {
		return &Excess{Field: NamesQOS, Unknown: true, Detail: fmt.Sprintf(format, words...)}
	}
	c := s.choiceOf(own)
	if usual := s.ownQOS(own); own != nil && (a.QOS == "" || a.QOS == usual && c != nil) {
		if s.strict && c != nil && !slices.Contains(c.may, usual) {
			return no("one that %s may have in Slurm, by its name: %s; there is no default one, and %s, which Slurm takes then, is not among them (Invalid qos specification)", own.name(), among(c.may), usual)
		}
		return nil
	} else if a.QOS == "" {
		return nil
	}
	switch _, is := s.qualities[a.QOS]; {
	case !s.enforced:
	case c != nil && (!is || !slices.Contains(c.may, a.QOS)):
		return no("one that %s may have in Slurm: %s, and not %s (Invalid qos specification)", own.name(), among(c.may), a.QOS)
	case !is: // where slurmdbd has never answered, slurmctld knows whose it is, and says so when it is handed in
		return no("one that there is in Slurm, and not %s (Invalid qos specification)", a.QOS)
	}
	if s.is(a.QOS, "RequiresReservation") && !a.Reserved {
		return no("a reservation with %s, which Slurm takes in one alone (--reservation; Invalid qos specification)", a.QOS)
	}
	if !s.preempts {
		return nil
	}
	switch trait, known := s.traits[a.QOS]; {
	case !known && len(s.traits) > 0: // there is none: to Slurm the job has none
	case !known:
		return no("none now: Slurm does not say (slurmdbd) whether jobs of %s are ended for those of others", a.QOS)
	case len(trait.preempts) > 0:
		return no("one that ends no others' jobs: for those of %s Slurm may end those of %s (PreemptType=preempt/qos), and the market promises these their end", a.QOS, strings.Join(trait.preempts, ", "))
	}
	for other, trait := range s.traits {
		if slices.Contains(trait.preempts, a.QOS) {
			return no("one whose jobs are left alone: Slurm may end those of %s for those of %s (PreemptType=preempt/qos), and no end of it could be promised", a.QOS, other)
		}
	}
	return nil
}

// NoQOS says why a job of a user may not have the QOS that it names, or has if it names none; nil: it may.
func (s *Site) NoQOS(user, named string, reserved bool) *Excess {
	return s.named(s.association(user), &Ask{User: user, QOS: named, Reserved: reserved})
}

// among are the names of some QOS.
func among(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// is reports whether a QOS has a flag.
func (s *Site) is(name, flag string) bool { return slices.Contains(s.traits[name].flags, flag) }

// partitionFor is what the partition allows a job that names a QOS, which may lift some of it.
func (s *Site) partitionFor(named string) *Partition {
	p := s.Partition
	if named != "" && s.is(named, "PartitionTimeLimit") {
		p.MaxTime = 0
	}
	if named != "" && s.is(named, "PartitionMaxNodes") {
		p.MaxNodes = 0
	}
	return &p
}

// Named is the QOS that a job has in Slurm, where that is another than its user's jobs have which name
// none, and it matters; else empty.
func (s *Site) Named(user, qos string) string {
	own := s.association(user)
	if !s.enforced && !s.preempts || own != nil && qos == s.ownQOS(own) {
		return ""
	}
	return qos
}
