package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Listen makes a socket at the first of several paths whose directory can be
// made, or is there and writable by its owner alone. The market has the directory
// to itself. Where others can enter it they can connect: that is how root's
// market is everybody's on its machine. Where they cannot, none but the owner and
// root is let in, whoever may have opened the door.
func Listen(paths ...string) (net.Listener, error) {
	var all error
	for _, path := range paths {
		l, err := listen(path)
		if err == nil || errors.Is(err, ErrTaken) {
			return l, err
		}
		all = errors.Join(all, err)
	}
	return nil, all
}

func listen(path string) (net.Listener, error) {
	self := os.Geteuid()
	made, err := furnish(filepath.Dir(path), self)
	if err != nil {
		return nil, err
	}
	clean, owner, err := trust{self: self, named: Nobody}.place(path)
	if err != nil {
		return nil, err
	}
	if owner != self {
		return nil, fmt.Errorf("%s: %w: it belongs to user %d, and a market listens in a directory of its own", filepath.Dir(clean), ErrStranger, owner)
	}
	key, err := lock(filepath.Dir(clean))
	if err != nil {
		return nil, err
	}
	l, err := bind(clean, key)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen on %s: %w", clean, err), unlock(key))
	}
	usual := slices.Contains(Own(filepath.Base(filepath.Dir(path))), path)
	l.made = made || usual
	return l, nil
}

// furnish makes the directory of a socket, if it is not there: for root one that
// all may enter, for others one of their own.
func furnish(dir string, self int) (made bool, err error) {
	mode := fs.FileMode(0o700)
	if self == 0 {
		mode = 0o755
	}
	parent := filepath.Dir(dir)
	if _, err = os.Lstat(parent); errors.Is(err, fs.ErrNotExist) {
		_, err = furnish(parent, self)
	}
	if err == nil {
		if _, err = os.Lstat(dir); err == nil {
			return false, nil // whose it is will be looked at
		}
		err = trust{self: self, named: Nobody}.above(parent) // before something is made there
	}
	if err != nil {
		return false, err
	}
	err = os.Mkdir(dir, mode)
	switch {
	case errors.Is(err, fs.ErrExist):
		return false, nil // whose it is will be looked at
	case err != nil:
		return false, err
	}
	return true, os.Chmod(dir, mode) // whatever the mask
}

// lock takes a directory for one market, until it is unlocked or the process ends:
// by a file that nobody else can open, for whoever can open a thing can lock it.
func lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, ".lock")
	key, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	err = key.Chmod(0o600)
	if err == nil {
		err = syscall.Flock(int(key.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%w: in %s", ErrTaken, dir)
	}
	if err == nil {
		err = stillThere(key, path)
	}
	if err != nil {
		return nil, errors.Join(err, key.Close())
	}
	return key, nil
}

// unlock lets another market have the directory.
func unlock(key *os.File) error { return errors.Join(os.Remove(key.Name()), key.Close()) }

// stillThere makes sure that what is locked is what has the name: the market
// before may have taken it away in between.
func stillThere(key *os.File, path string) error {
	held, err := key.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(path)
	if err == nil && !os.SameFile(held, named) {
		err = fmt.Errorf("%w: in %s", ErrTaken, path)
	}
	return err
}

// bind listens. What lies there was left behind by one that was killed: the
// directory is locked.
func bind(path string, key *os.File) (*listener, error) {
	about, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	public := about.Mode().Perm()&0o001 != 0
	if old, bad := os.Lstat(path); bad == nil && old.Mode().Type() != fs.ModeSocket {
		return nil, fmt.Errorf("%w: something else is there", fs.ErrExist)
	}
	if err = os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	name, done, err := short(path)
	if err != nil {
		return nil, err
	}
	defer done()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // by a name that may be gone; Close does it
	mode := fs.FileMode(0o600)
	if public {
		mode = 0o666
	}
	if err := os.Chmod(path, mode); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &listener{UnixListener: l, path: path, key: key, public: public, guests: map[int]int{}}, nil
}

// listener lets in who may come.
type listener struct {
	*net.UnixListener

	path   string
	key    *os.File // of the directory
	public bool
	made   bool // the directory is there for the socket alone
	once   sync.Once

	mu     sync.Mutex
	guests map[int]int // connections, by user
}

// roomEach is how many connections one user has at a time, root and the market's
// own aside: one who opens them and says nothing must leave some for others.
const roomEach = 512

// subordinates is where a host says which numbers users have for their containers, beside
// their own: tens of thousands each.
const subordinates = "/etc/subuid"

// lender is the first number of those that a number was lent to a user with, or the number
// itself where it was not: with however many of them somebody comes, it is one.
func lender(file string, uid int) int {
	text, err := os.ReadFile(file)
	if err != nil {
		return uid
	}
	for line := range strings.Lines(string(text)) { // name:first:count
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) != 3 {
			continue
		}
		first, bad1 := strconv.Atoi(fields[1])
		count, bad2 := strconv.Atoi(fields[2])
		if bad1 == nil && bad2 == nil && first > 0 && uid >= first && uid-first < count {
			return first
		}
	}
	return uid
}

// enter counts a connection of a user, and reports whether there is room for it.
func (l *listener) enter(uid int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.guests[uid] >= roomEach && uid != 0 && uid != os.Geteuid() {
		return false
	}
	l.guests[uid]++
	return true
}

func (l *listener) leave(uid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.guests[uid]--; l.guests[uid] == 0 {
		delete(l.guests, uid)
	}
}

// Addr is where the socket is.
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: l.path, Net: "unix"} }

// Accept waits for somebody who may come in.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		uid, err := peer(conn)
		whose := lender(subordinates, uid)
		if err != nil || !l.public && uid != 0 && uid != os.Geteuid() || !l.enter(whose) {
			_ = conn.Close() // they are told nothing
			continue
		}
		return &guest{UnixConn: conn, who: visitor(uid), leave: sync.OnceFunc(func() { l.leave(whose) })}, nil
	}
}

// Close takes the socket away and lets another market have the directory.
func (l *listener) Close() (err error) {
	l.once.Do(func() {
		if err = os.Remove(l.path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		err = errors.Join(err, l.UnixListener.Close(), unlock(l.key))
		if l.made {
			_ = os.Remove(filepath.Dir(l.path)) // it stays if there is something else in it
		}
	})
	return err
}

// guest is a connection that knows who came.
type guest struct {
	*net.UnixConn

	who   visitor
	leave func()
}

// Close makes room for another of the same user.
func (g *guest) Close() error {
	g.leave()
	return g.UnixConn.Close()
}

func (g *guest) RemoteAddr() net.Addr { return g.who }

func (g *guest) from() int { return int(g.who) }

// visitor is a user of this machine as an address.
type visitor int

func (visitor) Network() string  { return "unix" }
func (v visitor) String() string { return "user " + strconv.Itoa(int(v)) }
