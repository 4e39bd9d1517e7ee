package association

import (
	"errors"
	"fmt"
	"strings"
)

// What sacctmgr is asked for, with --parsable2: the accounts and who is in them, and
// which account is whose default.
const (
	Fields        = "cluster,account,user,partition,parentname"
	DefaultFields = "cluster,user,defaultaccount,account"
)

// root is the account above all others, in every cluster of Slurm's, and the user that
// is in it.
const root = "root"

// Tree is the accounts of one cluster, and who may use them.
type Tree struct {
	Cluster  string
	Unread   []string // lines that cannot be read: a name with a bar in it
	above    map[string]string
	members  []member
	defaults map[string]string // of users
}

// member is that a user may use an account, in one partition or in all.
type member struct{ user, account, partition string }

// ErrNothing says that a text does not tell the accounts of a cluster.
var ErrNothing = errors.New("it does not have the accounts of the cluster")

// Read takes what sacctmgr said of a cluster, one or more of its tables, each with its
// line of titles. Tables of other clusters, and columns that nobody asks for, may be
// among it.
func Read(cluster, text string) (*Tree, error) {
	t := &Tree{Cluster: cluster, above: map[string]string{}, defaults: map[string]string{}}
	var at map[string]int
	width := 0
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimRight(line, "\r\n"), "|")
		switch {
		case len(f) == 1 && f[0] == "":
		case f[0] == "Cluster":
			var err error
			if at, err = titles(f); err != nil {
				return nil, err
			}
			width = len(f)
		case at == nil:
			return nil, fmt.Errorf("%w: it does not begin with a line of titles: %.60q", ErrNothing, line)
		case f[0] != cluster:
		case len(f) != width:
			t.Unread = append(t.Unread, strings.Join(f, "|"))
		default:
			t.row(at, f)
		}
	}
	if _, there := t.above[root]; !there {
		return nil, fmt.Errorf("%s: %w", cluster, ErrNothing)
	}
	return t, nil
}

// titles says which column is where. There are two tables: one knows what is above an
// account, the other what a user's default is.
func titles(f []string) (map[string]int, error) {
	at := map[string]int{}
	for i, title := range f {
		at[title] = i
	}
	if i, there := at["DefaultAccount"]; there { // some versions say so
		at["Def Acct"] = i
	}
	has := func(titles ...string) bool {
		for _, title := range titles {
			if _, there := at[title]; !there {
				return false
			}
		}
		return true
	}
	if !has("User", "Def Acct") && !has("Account", "User", "Partition", "ParentName") {
		return nil, fmt.Errorf("%w: columns are missing (want format=%s)", ErrNothing, Fields)
	}
	return at, nil
}

func (t *Tree) row(at map[string]int, f []string) {
	user := f[at["User"]]
	if _, tree := at["ParentName"]; !tree {
		if usual := f[at["Def Acct"]]; user != "" && usual != "" {
			t.defaults[user] = usual
		}
		return
	}
	switch account := f[at["Account"]]; {
	case account == "":
	case user == "":
		t.above[account] = f[at["ParentName"]]
	default:
		t.members = append(t.members, member{user, account, f[at["Partition"]]})
	}
}
