package socket

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

const stranger = 65534 // nobody, on most systems

// greeted opens a socket that says a word to whoever is let in.
func greeted(t *testing.T, path string) net.Listener {
	t.Helper()
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("hello " + conn.RemoteAddr().String()))
			conn.Close()
		}
	}()
	return l
}

func hear(t *testing.T, conn net.Conn) string {
	t.Helper()
	defer conn.Close()
	var text [64]byte
	n, _ := conn.Read(text[:]) // hung up upon: nothing
	return string(text[:n])
}

func at(path string) Address { return Address{Path: path, Owner: Nobody} }

func TestASocketOfOnesOwn(t *testing.T) {
	for name, dir := range map[string]string{"short": "d", "longer than the kernel takes": strings.Repeat("d", 120)} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), dir, Name)
			if _, err := Dial(t.Context(), at(path)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("before there is one: %v", err)
			}
			l := greeted(t, path)
			conn, err := Dial(t.Context(), at("/nowhere/"+Name), at(path))
			if err != nil {
				t.Fatal(err)
			}
			if said := hear(t, conn); !strings.HasPrefix(said, "hello user ") {
				t.Errorf("it said %q", said)
			}
			if _, err := Listen(path); !errors.Is(err, ErrTaken) {
				t.Errorf("a second market at the same place: %v", err)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("it left its directory behind: %v", err)
			}
		})
	}
}

// A market that was killed leaves its socket, and the next takes its place.
func TestASocketLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d", Name)
	if _, err := furnish(filepath.Dir(path), os.Geteuid()); err != nil {
		t.Fatal(err)
	}
	old, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	old.SetUnlinkOnClose(false)
	old.Close()
	if _, err := Dial(t.Context(), at(path)); err == nil {
		t.Error("nobody listens, and yet")
	}
	greeted(t, path)
	conn, err := Dial(t.Context(), at(path))
	if err != nil {
		t.Fatal(err)
	}
	hear(t, conn)
	file := filepath.Join(t.TempDir(), Name)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
}

// Where others can write, others can put a socket of theirs: nothing is sent.
func TestAPlaceThatOthersCanWriteTo(t *testing.T) {
	top := t.TempDir()
	path := filepath.Join(top, "d", Name)
	greeted(t, path)
	refused := func(what string) {
		t.Helper()
		if _, err := Dial(t.Context(), at(path)); !errors.Is(err, ErrStranger) {
			t.Errorf("%s: %v", what, err)
		}
	}
	change := func(dir string, mode fs.FileMode) {
		t.Helper()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	change(filepath.Dir(path), 0o777)
	refused("everybody")
	change(filepath.Dir(path), 0o777|fs.ModeSticky)
	refused("everybody, sticky")
	change(filepath.Dir(path), 0o770)
	refused("a group")
	if _, err := Listen(filepath.Join(filepath.Dir(path), "other.sock")); !errors.Is(err, ErrStranger) {
		t.Errorf("a market listens there: %v", err)
	}
	change(filepath.Dir(path), 0o700)
	change(top, 0o777)
	refused("everybody, further up")
	change(top, 0o777|fs.ModeSticky)
	conn, err := Dial(t.Context(), at(path))
	if err != nil {
		t.Fatalf("below a place like /tmp: %v", err)
	}
	hear(t, conn)
}

// placeOfAnother: who is neither root nor the one whose the place is gets to hear
// nothing, unless they were named. To root every place is its own.
func placeOfAnother(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d", Name)
	greeted(t, path)
	another := trust{self: os.Geteuid() + 1, named: Nobody}
	if _, err := another.dial(t.Context(), path); !errors.Is(err, ErrStranger) {
		t.Errorf("another's place: %v", err)
	}
	another.named = os.Geteuid()
	conn, err := another.dial(t.Context(), path)
	if err != nil {
		t.Fatalf("the place of one who was named: %v", err)
	}
	hear(t, conn)
}

// as does something as another user, in a thread that ends with it.
func as(uid int, do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread is not to be used again
		for _, id := range []uintptr{syscall.SYS_SETRESGID, syscall.SYS_SETRESUID} {
			if _, _, no := syscall.RawSyscall(id, uintptr(uid), uintptr(uid), uintptr(uid)); no != 0 {
				panic(no)
			}
		}
		do()
	}()
	<-done
}

func TestStrangers(t *testing.T) {
	if os.Geteuid() != 0 { // and cannot be somebody else
		placeOfAnother(t)
		return
	}
	open := func(t *testing.T) string { // a place that everybody can get to
		t.Helper()
		dir, err := os.MkdirTemp("", "libra-socket-") //nolint:usetesting // t.TempDir is closed to other users
		if err == nil {
			err = os.Chmod(dir, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		return dir
	}
	t.Run("a directory of another", func(t *testing.T) {
		path := filepath.Join(open(t), "d", Name)
		greeted(t, path)
		if err := os.Chown(filepath.Dir(path), stranger, stranger); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(t.Context(), at(path)); !errors.Is(err, ErrStranger) {
			t.Errorf("got %v", err)
		}
		conn, err := Dial(t.Context(), Address{Path: path, Owner: stranger})
		if err != nil {
			t.Fatalf("named: %v", err)
		}
		hear(t, conn)
	})
	t.Run("a link to a directory of another", func(t *testing.T) {
		dir := open(t)
		path := filepath.Join(dir, "d", Name)
		greeted(t, path)
		if err := errors.Join(os.Chown(filepath.Dir(path), stranger, stranger), os.Symlink("d", filepath.Join(dir, "link"))); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(t.Context(), at(filepath.Join(dir, "link", Name))); !errors.Is(err, ErrStranger) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a link of another", func(t *testing.T) {
		dir := open(t)
		path, link := filepath.Join(dir, "d", Name), filepath.Join(dir, "link")
		greeted(t, path)
		if err := errors.Join(os.Symlink("d", link), os.Lchown(link, stranger, stranger)); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(t.Context(), at(filepath.Join(link, Name))); !errors.Is(err, ErrStranger) || !strings.Contains(err.Error(), "link of user") {
			t.Errorf("got %v", err)
		}
		// Nothing is made where it leads.
		if l, err := Listen(filepath.Join(link, "7070", Name)); !errors.Is(err, ErrStranger) {
			t.Errorf("listening: %v, %v", l, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, "d", "7070")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("made behind a stranger's link: %v", err)
		}
	})
	t.Run("a directory that another has made before", func(t *testing.T) {
		dir := filepath.Join(open(t), "d")
		if err := errors.Join(os.Mkdir(dir, 0o777), os.Chown(dir, stranger, stranger)); err != nil {
			t.Fatal(err)
		}
		if l, err := Listen(filepath.Join(dir, "7070", Name)); !errors.Is(err, ErrStranger) {
			t.Errorf("listening: %v, %v", l, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, "7070")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("made in a stranger's directory: %v", err)
		}
	})
	t.Run("a link of one's own", func(t *testing.T) {
		dir := open(t)
		greeted(t, filepath.Join(dir, "d", Name))
		if err := errors.Join(os.Symlink("../"+filepath.Base(dir)+"/d", filepath.Join(dir, "link")), os.Symlink("link", filepath.Join(dir, "more"))); err != nil {
			t.Fatal(err)
		}
		conn, err := Dial(t.Context(), at(filepath.Join(dir, "more", Name)))
		if err != nil {
			t.Fatal(err)
		}
		hear(t, conn)
	})
	t.Run("a socket of another", func(t *testing.T) {
		path := filepath.Join(open(t), "d", Name)
		greeted(t, path)
		if err := os.Chown(path, stranger, stranger); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(t.Context(), at(path)); !errors.Is(err, ErrStranger) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("another listens", func(t *testing.T) {
		path := filepath.Join(open(t), Name)
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err == nil {
			err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
		}
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(fd)
		as(stranger, func() { err = syscall.Listen(fd, 1) })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(t.Context(), at(path)); !errors.Is(err, ErrStranger) || !strings.Contains(err.Error(), "user 65534 listens") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("another comes", func(t *testing.T) {
		dir := filepath.Join(open(t), "d")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, Name)
		greeted(t, path)
		// Somebody has opened the door afterwards.
		if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(path, 0o666)); err != nil {
			t.Fatal(err)
		}
		said := "nothing was asked"
		as(stranger, func() {
			if conn, err := net.Dial("unix", path); err == nil {
				said = hear(t, conn)
			}
		})
		if said != "" {
			t.Errorf("a market of one's own said %q to another", said)
		}
	})
	t.Run("another cannot keep a market from its place", func(t *testing.T) {
		dir := filepath.Join(open(t), "d")
		path := filepath.Join(dir, Name)
		l := greeted(t, path)
		var squatted []*os.File
		as(stranger, func() {
			for _, name := range []string{dir, path, filepath.Join(dir, ".lock")} {
				if file, err := os.Open(name); err == nil {
					_ = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
					squatted = append(squatted, file)
				}
			}
		})
		if len(squatted) != 1 {
			t.Errorf("another has %d things open, and not the directory alone", len(squatted))
		}
		if _, err := os.Create(filepath.Join(dir, "stays")); err != nil {
			t.Fatal(err)
		}
		l.Close()
		again, err := Listen(path)
		if err != nil {
			t.Fatalf("while another has locked what it can: %v", err)
		}
		again.Close()
		for _, file := range squatted {
			file.Close()
		}
	})
	t.Run("another does not fill the house", func(t *testing.T) {
		path := filepath.Join(open(t), "d", Name)
		l, err := Listen(path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		let := make(chan net.Conn)
		go func() {
			defer close(let)
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				let <- conn
			}
		}()
		come := func() (conn net.Conn) {
			as(stranger, func() {
				if conn, err = connect(t.Context(), path); err != nil {
					t.Error(err)
				}
			})
			return conn
		}
		var inside []net.Conn
		for range roomEach {
			defer come().Close()
			inside = append(inside, <-let)
		}
		one := come()
		defer one.Close()
		if hear(t, one) != "" {
			t.Error("one too many was let in")
		}
		conn, err := Dial(t.Context(), at(path)) // root
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		(<-let).Close()
		inside[0].Close()
		defer come().Close()
		inside[0] = <-let
		for _, c := range inside {
			c.Close()
		}
	})
	t.Run("root's market is everybody's", func(t *testing.T) {
		path := filepath.Join(open(t), "d", Name)
		greeted(t, path)
		as(stranger, func() {
			conn, err := trust{self: stranger, named: Nobody}.dial(context.Background(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if said := hear(t, conn); said != "hello user 65534" {
				t.Errorf("it said %q", said)
			}
		})
	})
}

// The numbers that somebody has for containers are together one when it comes to how many
// may come.
func TestNumbersThatWereLent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "subuid")
	text := "alice:100000:65536\n# nothing\nbob:165536:65536\nbroken:x:5\nroot:0:70000\ncarol:300000:0"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for uid, want := range map[int]int{0: 0, 1000: 1000, 99_999: 99_999, 100_000: 100_000, 165_535: 100_000, 165_536: 165_536, 231_071: 165_536, 231_072: 231_072, 300_000: 300_000} {
		if got := lender(file, uid); got != want {
			t.Errorf("%d counts as %d, want %d", uid, got, want)
		}
	}
	if got := lender(file+"x", 100_001); got != 100_001 {
		t.Errorf("where nothing is lent: %d", got)
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]Address{
		"unix:/a/b":           at("/a/b"),
		"unix:///a/../b":      at("/b"),
		"unix://root@/a/b":    {Path: "/a/b", Owner: 0},
		"unix://1234@/a/b":    {Path: "/a/b", Owner: 1234},
		"unix:a":              {Owner: Nobody},
		"unix://a/b":          {Owner: Nobody},
		"unix://root:pw@/a/b": {Path: "/a/b", Owner: Nobody},
		"unix:/a?b":           {Owner: Nobody},
		"http://a/b":          {Owner: Nobody},
	} {
		got, err := Parse(text)
		if good := want.Path != "" && !strings.Contains(text, "pw"); got != want || good != (err == nil) || err != nil && strings.Contains(err.Error(), "pw") {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, path := range Places("7070") {
		if !filepath.IsAbs(path) || filepath.Base(path) != Name || filepath.Base(filepath.Dir(path)) != "7070" {
			t.Errorf("a place is %s", path)
		}
	}
}
