package socket

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
)

// Name is what a socket is called in its directory.
const Name = "market.sock"

// Nobody is the owner of an address that names none.
const Nobody = -1

// What keeps a client from a socket, or a market from its own.
var (
	ErrAddress  = errors.New("not the address of a socket")
	ErrStranger = errors.New("not to be trusted")
	ErrTaken    = errors.New("another market listens there")
	ErrSystem   = errors.New("this system does not say who is at the other end of a socket")
)

// Own are the places for the socket of a market that this user runs and whose
// TCP port is the given one, the best first. They depend on the user alone and
// not on the environment, so that a job or a service finds what a terminal made.
func Own(port string) []string { return placesOf(os.Geteuid(), port) }

// Places are where a client looks for the market behind a port of this machine:
// the user's own first, then that of the machine.
func Places(port string) []string {
	own := Own(port)
	if os.Geteuid() != 0 {
		own = append(own, placesOf(0, port)...)
	}
	return own
}

func placesOf(uid int, port string) []string {
	number := strconv.Itoa(uid)
	if uid == 0 {
		return []string{filepath.Join("/run/libra", port, Name), filepath.Join("/tmp/libra-0", port, Name)}
	}
	// What is below /run/user goes when its user logs out, and a market may stay.
	return []string{filepath.Join("/tmp/libra-"+number, port, Name), filepath.Join("/run/user", number, "libra", port, Name)}
}

// Address is a socket, and whose it may be beside root's and the caller's.
type Address struct {
	Path  string
	Owner int // user number, or Nobody
}

// Parse reads unix:/path, unix:///path or unix://user@/path. The user, by name or
// number, is who may own the socket beside root and the caller.
func Parse(text string) (Address, error) {
	a := Address{Owner: Nobody}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "unix" || u.Host != "" || !filepath.IsAbs(u.Path) || u.RawQuery != "" || u.Fragment != "" {
		return a, fmt.Errorf("%w: %q (want unix:/path/%s, or unix://user@/path/%s)", ErrAddress, text, Name, Name)
	}
	a.Path = filepath.Clean(u.Path)
	if u.User == nil {
		return a, nil
	}
	if _, secret := u.User.Password(); secret {
		return a, fmt.Errorf("%w: %q (want no password)", ErrAddress, u.Redacted())
	}
	if a.Owner, err = numberOf(u.User.Username()); err != nil {
		return a, fmt.Errorf("%w: %q: %w", ErrAddress, text, err)
	}
	return a, nil
}

// numberOf is the number of a user.
func numberOf(name string) (int, error) {
	if uid, err := strconv.Atoi(name); err == nil && uid >= 0 {
		return uid, nil
	}
	who, err := user.Lookup(name)
	if err != nil {
		return Nobody, err
	}
	return strconv.Atoi(who.Uid)
}
