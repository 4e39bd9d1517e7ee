package association

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
)

// Change is one thing to be done about an account.
type Change struct {
	Op      string `json:"op"` // open, bind, unbind
	Account string `json:"account"`
	User    string `json:"user,omitempty"`
	First   bool   `json:"first,omitempty"` // it pays for the user from now on
}

func (c Change) String() string {
	switch {
	case c.Op == "open" && c.User != "":
		return fmt.Sprintf("open %s, for %s", c.Account, c.User)
	case c.Op == "open":
		return "open " + c.Account
	case c.Op == "unbind":
		return fmt.Sprintf("unbind %s from %s", c.User, c.Account)
	case c.First:
		return fmt.Sprintf("bind %s to %s, which pays from now on", c.User, c.Account)
	}
	return fmt.Sprintf("bind %s to %s", c.User, c.Account)
}

// Plan is what is to be done so that accounts are as Slurm has them, in order, and what
// cannot be done or somebody should know.
type Plan struct {
	Changes []Change `json:"changes"`
	Notes   []string `json:"notes"`
}

// Plan compares the accounts below one of the market's with those of a cluster, for one
// partition of it, or several with commas between them. Done twice, the second time there is nothing to do.
func (t *Tree) Plan(under, partition string, have []v1.Account) Plan {
	p := planner{Plan: Plan{Changes: []Change{}, Notes: []string{}}, have: map[string]*v1.Account{}, pays: map[string]string{}}
	for i := range have {
		a := have[i]
		if ledger.Within(market.Account(a.Path), market.Account(under)) {
			p.have[a.Path] = &a
			for _, user := range a.PaysFor {
				p.pays[user] = a.Path
			}
		}
	}
	for _, line := range t.Unread {
		p.note("sacctmgr says %q, which has more columns than titles: passed over", line)
	}
	paths := p.open(t, under)
	wanted := p.bind(t, partition, paths)
	if len(wanted) == 0 && p.somebody() { // it is an answer that broke, more likely than the end of all
		p.note("sacctmgr says of nobody that they may use partition %s of %s: nobody is unbound (libra account unbind does it, where that is so)", partition, t.Cluster)
		p.Changes = p.Changes[:0]
		return p.Plan
	}
	p.unbind(wanted, slices.Collect(maps.Values(paths)))
	return p.Plan
}

// somebody reports whether anybody is bound to an account that is Slurm's.
func (p *planner) somebody() bool {
	for _, a := range p.have {
		if len(a.Users) > 0 {
			return true
		}
	}
	return false
}

type planner struct {
	Plan
	have map[string]*v1.Account
	pays map[string]string // for whom the account pays that is Slurm's
}

func (p *planner) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(p.Notes, text) {
		p.Notes = append(p.Notes, text)
	}
}

// open opens the accounts that are missing, those above first, and says where each is.
// Slurm's root is the account that they are below, which is there when another is.
func (p *planner) open(t *Tree, under string) map[string]string {
	paths := map[string]string{root: under}
	for _, name := range slices.Sorted(maps.Keys(t.above)) {
		if path, why := t.path(under, name); why != "" {
			p.note("account %q of Slurm has no place in the market: %s", name, why)
		} else {
			paths[name] = path
		}
	}
	var closed []market.Account
	for _, name := range slices.SortedFunc(maps.Keys(paths), func(a, b string) int { return cmp.Compare(paths[a], paths[b]) }) {
		path := paths[name]
		switch a := p.have[path]; {
		case slices.ContainsFunc(closed, func(above market.Account) bool { return ledger.Within(market.Account(path), above) }):
			delete(paths, name)
		case a != nil && a.Closed:
			p.note("%s is closed (libra account open %[1]s): nobody is bound to it, nor to what Slurm has below it", path)
			closed = append(closed, market.Account(path))
			delete(paths, name)
		case a == nil && name != root:
			p.Changes = append(p.Changes, Change{Op: "open", Account: path})
		}
	}
	return paths
}

// path is where an account of Slurm's is, or why there is no place for it.
func (t *Tree) path(under, name string) (path, why string) {
	parts := []string{}
	for at := name; at != root; at = t.above[at] {
		if _, known := t.above[at]; !known || len(parts) > len(t.above) {
			return "", fmt.Sprintf("what is above it leads nowhere (%q)", at)
		}
		if strings.Contains(at, "/") {
			return "", fmt.Sprintf("%q has a slash in it", at)
		}
		parts = append(parts, at)
	}
	slices.Reverse(parts)
	path = strings.Join(append([]string{under}, parts...), "/")
	if err := ledger.CheckPath(market.Account(path)); err != nil {
		return "", err.Error()
	}
	return path, ""
}

// bind binds users to what they may use, the default first, and says who is to be bound
// to what.
func (p *planner) bind(t *Tree, partition string, paths map[string]string) map[string]bool {
	type pair struct{ user, account string }
	seen, wanted := map[pair]bool{}, map[string]bool{}
	members := slices.Clone(t.members)
	slices.SortStableFunc(members, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.user, b.user), -compareBool(t.defaults[a.user] == a.account, t.defaults[b.user] == b.account), cmp.Compare(a.account, b.account))
	})
	for _, m := range members {
		path, placed := paths[m.account]
		switch {
		case m.user == root || m.partition != "" && !slices.Contains(strings.Split(partition, ","), m.partition):
			continue
		case seen[pair{m.user, m.account}]: // for several partitions
			continue
		case !validUser(m.user):
			p.note("user %q of Slurm can be none of the market: names are of letters, digits, . _ - and @", m.user)
			continue
		case !placed: // which was said
			continue
		}
		seen[pair{m.user, m.account}], wanted[path+" "+m.user] = true, true
		c := Change{Op: "bind", Account: path, User: m.user}
		pays := p.pays[m.user]
		c.First = t.defaults[m.user] == m.account && pays != "" && pays != path
		a := p.have[path]
		switch {
		case a == nil && path == paths[root] && len(p.Changes) == 0: // nothing below it is opened; with its user, so that nobody gets it by name
			c.Op = "open"
		case a != nil && slices.Contains(a.Users, m.user) && !c.First:
			continue
		}
		p.Changes = append(p.Changes, c)
	}
	return wanted
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// unbind lets those use accounts no longer who are not in them any more. What the
// accounts have stays where it is.
func (p *planner) unbind(wanted map[string]bool, known []string) {
	for _, path := range slices.Sorted(maps.Keys(p.have)) {
		a, stay := p.have[path], 0
		for _, user := range a.Users {
			if wanted[path+" "+user] {
				stay++
				continue
			}
			p.Changes = append(p.Changes, Change{Op: "unbind", Account: path, User: user})
		}
		if owned := market.Money(a.Free + a.Held); stay == 0 && owned != 0 && !slices.Contains(known, path) {
			p.note("%s owns %s, and Slurm has no such account any more (libra account transfer --from %[1]s)", path, owned.Text())
		}
	}
}

// validUser reports whether the market can have a user of that name.
func validUser(name string) bool {
	if name == "" || len(name) > 64 || name[0] == '-' || name[0] == '.' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-@", r))
	})
}
