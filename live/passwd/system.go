package passwd

import (
	"bufio"
	"io"
	"os"
	"os/user"
	"strconv"
	"strings"
	"sync"
)

// Users by these numbers own nothing on most systems, and therefore much on some:
// files of users that are not known here are theirs.
const (
	nobody   = 1<<16 - 2
	noUser   = 1<<16 - 1
	nobody32 = 1<<32 - 2
	noUser32 = 1<<32 - 1
)

// lastSystem is the highest number of a system user where the host does not say.
const lastSystem = 999

// System reports whether a number is that of root, of a system user or of nobody.
func System(uid int) bool {
	switch uid {
	case nobody, noUser, nobody32, noUser32:
		return true
	}
	return uid <= hostsLast()
}

// hostsLast is the highest number of a system user of this host.
var hostsLast = sync.OnceValue(func() int {
	file, err := os.Open("/etc/login.defs")
	if err != nil {
		return lastSystem
	}
	defer file.Close() // it was only read
	return lastOf(file)
})

// lastOf reads the highest number of a system user from login.defs. Less than a
// number that daemons have everywhere is taken for a mistake.
func lastOf(defs io.Reader) int {
	const least = 99
	last, first := 0, 0
	for lines := bufio.NewScanner(defs); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		n, err := strconv.Atoi(fields[1])
		switch {
		case err != nil:
		case fields[0] == "SYS_UID_MAX":
			last = n
		case fields[0] == "UID_MIN":
			first = n
		}
	}
	switch {
	case last >= least:
		return last
	case first > least:
		return first - 1
	default:
		return lastSystem
	}
}

// IsSystem reports whether a name is that of a system user of this host. Of a
// name that is not known here nobody can say: other hosts have their own.
func IsSystem(name string) bool {
	if name == "root" {
		return true
	}
	u, err := user.Lookup(name)
	if err != nil {
		return false
	}
	uid, err := strconv.Atoi(u.Uid)
	return err == nil && System(uid)
}
