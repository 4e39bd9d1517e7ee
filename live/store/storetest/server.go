package storetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// shared is the server that most tests use, started when the first asks.
var shared struct {
	once   sync.Once
	server *Server
	err    error
}

// Postgres is the address of a new, empty PostgreSQL database that goes with
// the test. It is on the server named by LIBRA_TEST_POSTGRES (a user there must
// be able to create databases), or on one started for the tests of this process.
func Postgres(tb testing.TB) string {
	tb.Helper()
	if !inMain {
		tb.Fatal("storetest.Postgres needs storetest.Main in TestMain")
	}
	shared.once.Do(func() {
		if address := os.Getenv("LIBRA_TEST_POSTGRES"); address != "" {
			shared.server = &Server{address: address}
			return
		}
		// These tests kill clients, not the server, so it need not wait for
		// the disk.
		shared.server, shared.err = newServer("fsync=off")
	})
	if shared.err != nil {
		Missing(tb, "postgres", shared.err)
	}
	return shared.server.Database(tb)
}

// Server is a PostgreSQL server of the tests' own.
type Server struct {
	address  string // of its first database
	bin      string
	dir      string
	port     int
	as       *syscall.Credential
	settings []string

	process *exec.Cmd
	ended   chan struct{} // closed when the process is gone
}

// NewServer is a server for one test alone, which may do with it what it likes.
func NewServer(tb testing.TB, settings ...string) *Server {
	tb.Helper()
	s, err := newServer(settings...)
	if err != nil {
		Missing(tb, "postgres", err)
	}
	tb.Cleanup(func() {
		if err := s.remove(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func newServer(settings ...string) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, settings: settings}
	if os.Getuid() == 0 { // the server refuses to run as root
		if s.as, err = credential("postgres"); err != nil {
			return nil, err
		}
	}
	if s.dir, err = os.MkdirTemp("", "libra-postgres-"); err != nil {
		return nil, err
	}
	if s.as != nil {
		if err := os.Chown(s.dir, int(s.as.Uid), int(s.as.Gid)); err != nil {
			return nil, errors.Join(err, s.remove())
		}
	}
	made := exec.Command(filepath.Join(bin, "initdb"), "-D", s.data(), "-U", "postgres", "-A", "trust",
		"-E", "UTF8", "--locale=C", "--no-sync")
	made.Dir = s.dir
	made.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	if said, err := made.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("initdb: %w: %s", err, said), s.remove())
	}
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

// programs is where the newest PostgreSQL on this machine keeps its programs.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		version := func(path string) int {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // 0 is the oldest
			return n
		}
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", err
	}
	return filepath.Dir(path), nil
}

func credential(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// Start runs the server, at the port it had before if it had one.
func (s *Server) Start() error {
	if s.port == 0 {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		s.port = free.Addr().(*net.TCPAddr).Port
		if err := free.Close(); err != nil {
			return err
		}
		s.address = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres", s.port)
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the server has its own
	args := []string{"-D", s.data(), "-k", s.dir, "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1"}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	s.process = exec.Command(filepath.Join(s.bin, "postgres"), args...)
	s.process.Dir = s.dir
	s.process.Stdout, s.process.Stderr = log, log
	// It must not outlive the tests, however they end.
	s.process.SysProcAttr = &syscall.SysProcAttr{Credential: s.as, Pdeathsig: syscall.SIGQUIT}
	started := make(chan error)
	ended := make(chan struct{})
	s.ended = ended
	go func(process *exec.Cmd) {
		runtime.LockOSThread() // that signal comes when this thread ends, so it must not
		defer runtime.UnlockOSThread()
		defer close(ended)
		err := process.Start()
		started <- err
		if err == nil {
			process.Wait() // how it ended is in its log
		}
	}(s.process)
	if err := <-started; err != nil {
		return err
	}
	return s.ready()
}

// ready waits until the server answers.
func (s *Server) ready() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.address)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("postgres does not answer: %w", err)
		case <-s.ended:
			log, _ := os.ReadFile(filepath.Join(s.dir, "log")) // then there is nothing to show
			return fmt.Errorf("postgres ended: %s", log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Crash ends the server as a power cut would end it.
func (s *Server) Crash() error { return s.end(syscall.SIGQUIT) }

func (s *Server) end(with syscall.Signal) error {
	if s.process == nil || s.process.Process == nil {
		return nil
	}
	if err := s.process.Process.Signal(with); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-s.ended
	s.process = nil
	return nil
}

func (s *Server) remove() error {
	if s.dir == "" {
		return nil
	}
	return errors.Join(s.end(syscall.SIGINT), os.RemoveAll(s.dir))
}

// Address is that of the server's first database, where others are made from.
func (s *Server) Address() string { return s.address }

var databases atomic.Int64

// Database is the address of a new, empty database that goes with the test.
func (s *Server) Database(tb testing.TB, options ...string) string {
	tb.Helper()
	name := fmt.Sprintf("libra_test_%d_%d", os.Getpid(), databases.Add(1))
	if err := s.exec(tb.Context(), "CREATE DATABASE "+name+" "+strings.Join(options, " ")); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.exec(context.WithoutCancel(tb.Context()), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
			tb.Error(err)
		}
	})
	address, err := url.Parse(s.address)
	if err != nil {
		tb.Fatal(err)
	}
	address.Path = "/" + name
	return address.String()
}

// Exec runs a statement in the first database.
func (s *Server) Exec(tb testing.TB, statement string) {
	tb.Helper()
	if err := s.exec(context.WithoutCancel(tb.Context()), statement); err != nil {
		tb.Fatal(err)
	}
}

// connect speaks to a server.
func connect(ctx context.Context, address string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, address)
}

func (s *Server) exec(ctx context.Context, statement string) error {
	conn, err := connect(ctx, s.address)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) // the statement's error counts
	_, err = conn.Exec(ctx, statement)
	return err
}
