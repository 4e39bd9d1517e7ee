package limit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// license is how many licences of a name Slurm counts.
type license struct {
	all, used, reserved int64
}

// Licensed reports whether a configuration has licences, so that they have to be asked for.
func Licensed(config string) bool {
	is := word(config, "Licenses")
	return is != "" && is != "(null)"
}

// readLicenses reads what scontrol says of them, a line for each.
func readLicenses(text string) map[string]license {
	all := map[string]license{}
	for line := range strings.Lines(text) {
		if name := word(line, "LicenseName"); name != "" {
			all[name] = license{number(word(line, "Total")), number(word(line, "Used")), number(word(line, "Reserved"))}
		}
	}
	return all
}

// HasLicenses reports whether Slurm counts any.
func (s *Site) HasLicenses() bool { return len(s.licenses) > 0 }

// Licenses is how many of a name there are.
func (s *Site) Licenses(name string) int { return int(s.licenses[name].all) }

// CheckLicenses finds the first name of which there are not as many as a job asks for; nil:
// there are.
func (s *Site) CheckLicenses(some map[string]int, b Books) *Excess {
	return s.checkLicenses(&Ask{Licenses: some}, b.of(func(Who) bool { return true }))
}

// checkLicenses holds what a job asks for against what there is: less what others have in
// Slurm or have reserved, and what jobs of the market have, who hold them from when they are
// taken until they have ended.
func (s *Site) checkLicenses(a *Ask, of reckoning) *Excess {
	for _, name := range slices.Sorted(maps.Keys(a.Licenses)) {
		l, known := s.licenses[name]
		more := int64(a.Licenses[name])
		own, others := int64(of.market.Licenses[name]), max(0, l.used-int64(of.running.Licenses[name]))
		switch free := l.all - others - l.reserved - own; {
		case !known:
			return &Excess{Detail: fmt.Sprintf("Slurm has no licences called %s (scontrol show licenses)", name)}
		case more > l.all:
			return &Excess{Elements: a.few(more, l.all), Detail: fmt.Sprintf("it asks for %d of the licences %s%s, and Slurm has %d", more, name, a.forEach(more), l.all)}
		case more > free && !a.Waits:
			return &Excess{Short: "the licences " + name + " that Slurm has", Elements: a.few(more, free), Detail: fmt.Sprintf("it asks for %d of the licences %s%s, and %d are free: of %d jobs of the market have %d, others %d, and %d are reserved", more, name, a.forEach(more), max(0, free), l.all, own, others, l.reserved)}
		}
	}
	return nil
}

// few is how many elements of an array can have their licences, of which all together ask for so
// many, where so many are there.
func (a *Ask) few(all, there int64) int64 {
	if a.Elements == 0 {
		return 0
	}
	return max(0, there) / max(1, all/int64(a.Elements))
}

// forEach says how many each element of an array asks for.
func (a *Ask) forEach(all int64) string {
	if a.Elements <= 1 {
		return ""
	}
	return fmt.Sprintf(" (%d for each element)", all/int64(a.Elements))
}

// License adds licences to those that jobs have.
func (u *Use) License(some map[string]int) {
	if len(some) == 0 {
		return
	}
	sum := maps.Clone(some) // another's may be the same map
	for name, n := range u.Licenses {
		sum[name] += n
	}
	u.Licenses = sum
}
