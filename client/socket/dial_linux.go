package socket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"
)

// Dial connects to the first of several sockets that is there and that is whose
// it should be. Nothing is sent before that is certain.
func Dial(ctx context.Context, at ...Address) (net.Conn, error) {
	var all error
	for _, a := range at {
		conn, err := trust{self: os.Geteuid(), named: a.Owner}.dial(ctx, a.Path)
		if err == nil {
			return conn, nil
		}
		all = errors.Join(all, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, all
}

func (t trust) dial(ctx context.Context, path string) (net.Conn, error) {
	clean, owner, err := t.place(path)
	if err != nil {
		return nil, absent(path, err)
	}
	about, err := os.Lstat(clean)
	switch {
	case err != nil:
		return nil, absent(path, err)
	case about.Mode().Type() != fs.ModeSocket:
		return nil, fmt.Errorf("%s: %w: it is no socket", clean, ErrStranger)
	case ownerOf(about) != 0 && ownerOf(about) != owner:
		return nil, fmt.Errorf("%s: %w: it belongs to user %d, and its directory to user %d", clean, ErrStranger, ownerOf(about), owner)
	}
	name, done, err := short(clean)
	if err != nil {
		return nil, err
	}
	defer done()
	conn, err := connect(ctx, name)
	if err != nil {
		return nil, err // it names the path
	}
	if err := known(conn.(*net.UnixConn), owner); err != nil { //nolint:forcetypeassert // of network unix
		return nil, errors.Join(fmt.Errorf("%s: %w", clean, err), conn.Close())
	}
	return conn, nil
}

// connect waits a while at a door before which there is a crowd: the kernel says at
// once that there is no room to wait in.
func connect(ctx context.Context, name string) (net.Conn, error) {
	const pause, most = 20 * time.Millisecond, 100
	for tries := 1; ; tries++ {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", name)
		if !errors.Is(err, syscall.EAGAIN) || tries == most {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// known checks that who listens is root or the owner of the place.
func known(conn *net.UnixConn, owner int) error {
	uid, err := peer(conn)
	if err == nil && uid != 0 && uid != owner {
		err = fmt.Errorf("%w: user %d listens there, and the place is user %d's", ErrStranger, uid, owner)
	}
	return err
}

// absent says of a socket that is not there what a client says of a server that
// does not answer.
func absent(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &net.OpError{Op: "dial", Net: "unix", Addr: &net.UnixAddr{Name: path, Net: "unix"}, Err: fs.ErrNotExist}
	}
	return err
}
