package limit

import (
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/core/market"
)

// Reserved is a time in which nodes are somebody else's, or nobody's, as for maintenance:
// Slurm starts nothing there that could last into it, but jobs that are in the reservation.
type Reserved struct {
	Name       string
	From, Till time.Time
	Nodes      []string

	Users     []string // who may use it; one with a minus may not, and then all others may
	Accounts  []string // the same of accounts
	Groups    string   // whose members may; empty: that is not how it is said
	Partition string   // whose jobs alone it takes; empty: anybody's
	Flags     []string
	CPUs      int  // of all its nodes; 0: not said
	Partial   bool // it is of some of their processors
}

// Active reports whether its time has come and is not over.
func (r *Reserved) Active(now time.Time) bool { return !now.Before(r.From) && now.Before(r.Till) }

// plain are the flags of a reservation that change nothing for who is in it.
var plain = []string{
	"SPEC_NODES", "ALL_NODES", "PART_NODES", "IGNORE_JOBS", "OVERLAP", "STATIC", "STATIC_ALLOC", "NO_HOLD_JOBS", "NO_HOLD_JOBS_AFTER", "NO_HOLD_JOBS_AFTER_END",
	"HOURLY", "DAILY", "WEEKDAY", "WEEKEND", "WEEKLY", "PURGE_COMP", "REPLACE_DOWN", "USER_DELETE",
}

// Odd is why no job of the market can be in a reservation; empty: one can.
func (r *Reserved) Odd() string {
	switch {
	case !market.Word(r.Name): // a node that is set aside for it would be refused by the market
		return "its name is no word of letters, digits, - _ and . of at most 128"
	case slices.Contains(r.Flags, "MAINT"):
		return "it is for maintenance"
	case len(r.Nodes) == 0:
		return "it is of no nodes"
	case r.Partial:
		return "it is of some processors of its nodes, and the market sells those of whole ones"
	case r.Groups != "":
		return "it is for groups (" + r.Groups + "), whose members the market does not know; users and accounts it does"
	}
	for _, flag := range r.Flags {
		if !slices.Contains(plain, flag) {
			return "it has the flag " + flag + ", which the market does not know how to keep"
		}
	}
	return ""
}

// Grants is why a user may not use a reservation, as far as it says who may; empty: they may.
// Where limits of associations count, both user and account have to be right, else one of them.
func (s *Site) Grants(r *Reserved, user string) string {
	users, accounts := listed(r.Users, user), s.listedAccount(r.Accounts, user)
	if users != denied && accounts != denied || !s.required && (users == allowed || accounts == allowed) {
		return ""
	}
	var who []string
	if len(r.Users) > 0 {
		who = append(who, "users "+strings.Join(r.Users, ", "))
	}
	if len(r.Accounts) > 0 {
		accounts := "accounts " + strings.Join(r.Accounts, ", ")
		if !s.required {
			accounts += " (whose account is whose is known where AccountingStorageEnforce says associations)"
		}
		who = append(who, accounts)
	}
	return "it is for others: " + strings.Join(who, "; ")
}

// standing is what a list says of somebody.
type standing uint8

const (
	unsaid standing = iota // there is no list
	allowed
	denied
)

// listed is what a list says of a name. A list of names with a minus is of those who may not.
func listed(list []string, name string) standing {
	switch {
	case len(list) == 0:
		return unsaid
	case strings.HasPrefix(list[0], "-"):
		if slices.Contains(list, "-"+name) {
			return denied
		}
		return allowed
	case slices.Contains(list, name):
		return allowed
	}
	return denied
}

// listedAccount is what a list says of the account of a user, or of one that it is in.
func (s *Site) listedAccount(list []string, user string) standing {
	if len(list) == 0 {
		return unsaid
	}
	named, others := allowed, denied
	if strings.HasPrefix(list[0], "-") {
		named, others = denied, allowed
	}
	for at, deep := s.association(user), 0; at != nil && deep < 64; at, deep = s.parent(at), deep+1 {
		if listed(list, at.account) == named {
			return named
		}
	}
	return others
}

// Reserved is what was reserved when Slurm was asked.
func (s *Site) Reserved() []Reserved { return s.reserved }

// Ahead is, of each node that is or will be reserved, by what first. The reservation that it is
// set aside for is in nobody's way.
func Ahead(all []Reserved, now time.Time, aside func(node string) string) map[string]Reserved {
	ahead := map[string]Reserved{}
	for _, r := range all {
		if !now.Before(r.Till) {
			continue
		}
		for _, name := range r.Nodes {
			if was, known := ahead[name]; (!known || r.From.Before(was.From)) && aside(name) != r.Name {
				ahead[name] = r
			}
		}
	}
	return ahead
}

// ReservedFrom is when the first of some nodes is reserved next; zero: none is.
func (s *Site) ReservedFrom(nodes []string, now time.Time) (first time.Time) {
	for _, r := range s.reserved {
		mine := slices.ContainsFunc(nodes, func(name string) bool { return slices.Contains(r.Nodes, name) })
		if mine && r.From.After(now) && (first.IsZero() || r.From.Before(first)) {
			first = r.From
		}
	}
	return first
}
