package agent

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/live/passwd"
)

// ErrUser says that a task cannot run as the user it names.
var ErrUser = errors.New("cannot run as this user")

// account is a unix user, as a process that becomes it needs to know it.
type account struct {
	Name   string `json:"name"`
	UID    int    `json:"uid"`
	GID    int    `json:"gid"`
	Groups []int  `json:"groups"`
	Home   string `json:"home"`
	Shell  string `json:"shell"`
}

// lookupAccount finds a user by name and checks that this process may run
// something as that user. A user of the system has to be among those named.
func lookupAccount(name string, named []string) (account, error) {
	a, err := findAccount(name)
	if err != nil {
		return a, err
	}
	return a, a.permit(name, os.Geteuid(), named)
}

// permit checks that a process of the user euid may become the account. Whoever
// has taken the controller says what runs here, and as whom: they must not become
// root by it, nor the user of a daemon, unless whoever runs this agent said so.
func (a account) permit(name string, euid int, named []string) error {
	switch {
	case a.UID == 0 && name != "root":
		// A second name for root would slip through every check by name.
		return fmt.Errorf("%w: %q has the powers of root", ErrUser, name)
	case euid != 0 && a.UID != euid:
		return fmt.Errorf("%w: this agent is not root and runs only its own user's tasks, not those of %q", ErrUser, name)
	case passwd.System(a.UID) && !slices.Contains(named, name):
		return fmt.Errorf("%w: %q is a user of the system, and this agent was not started with --system-users %s (agent.system_users)", ErrUser, name, name)
	}
	return nil
}

func findAccount(name string) (account, error) {
	if name == "" || strings.ContainsAny(name, ":\x00\n") || name[0] == '-' {
		return account{}, fmt.Errorf("%w: %q is not the name of a user", ErrUser, name)
	}
	found, err := user.Lookup(name)
	var unknown user.UnknownUserError
	switch {
	case errors.As(err, &unknown):
		// A program without the C library sees only /etc/passwd; directory
		// services (LDAP and the like) are reached through getent.
		return askDirectory(name)
	case err != nil:
		return account{}, fmt.Errorf("%w: %q: %w", ErrUser, name, err)
	}
	a := account{Name: found.Username, Home: found.HomeDir, Shell: shellOf(name)}
	ids, err := found.GroupIds()
	if err == nil {
		a.UID, err = strconv.Atoi(found.Uid)
	}
	if err == nil {
		a.GID, err = strconv.Atoi(found.Gid)
	}
	if err == nil {
		a.Groups, err = numbers(ids)
	}
	if err != nil {
		return account{}, fmt.Errorf("%w: %q: %w", ErrUser, name, err)
	}
	return a, nil
}

// askDirectory asks the system's own programs, which know every source of users.
func askDirectory(name string) (account, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	line, err := output(ctx, "getent", "passwd", name)
	if err != nil {
		return account{}, fmt.Errorf("%w: there is no user %q on this node", ErrUser, name)
	}
	ids, err := output(ctx, "id", "-G", "--", name)
	if err != nil {
		return account{}, fmt.Errorf("%w: groups of %q: %w", ErrUser, name, err)
	}
	a, ok := parsePasswd(strings.TrimSpace(line))
	if !ok || a.Name != name { // getent takes a number for a name
		return account{}, fmt.Errorf("%w: there is no user %q on this node", ErrUser, name)
	}
	if a.Groups, err = numbers(strings.Fields(ids)); err != nil {
		return account{}, fmt.Errorf("%w: groups of %q: %w", ErrUser, name, err)
	}
	return a, nil
}

func output(ctx context.Context, program string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, program, args...)
	command.WaitDelay = time.Second
	out, err := command.Output()
	return string(out), err
}

// parsePasswd reads a line of /etc/passwd.
func parsePasswd(line string) (account, bool) {
	fields := strings.Split(line, ":")
	if len(fields) != 7 {
		return account{}, false
	}
	uid, err := strconv.Atoi(fields[2])
	gid, err2 := strconv.Atoi(fields[3])
	a := account{Name: fields[0], UID: uid, GID: gid, Home: fields[5], Shell: fields[6]}
	if a.Shell == "" {
		a.Shell = "/bin/sh"
	}
	return a, err == nil && err2 == nil && uid >= 0 && gid >= 0
}

// shellOf is the user's shell, which package os/user does not tell.
func shellOf(name string) string {
	file, err := os.Open("/etc/passwd")
	if err != nil {
		return "/bin/sh"
	}
	defer file.Close() // it was only read
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if a, ok := parsePasswd(lines.Text()); ok && a.Name == name {
			return a.Shell
		}
	}
	return "/bin/sh"
}

func numbers(texts []string) ([]int, error) {
	list := make([]int, 0, len(texts))
	for _, text := range texts {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}
