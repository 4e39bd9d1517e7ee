package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Replica is a copy of a server that follows it (streaming replication) under a
// name, and that can be promoted to take its place.
func (s *Server) Replica(tb testing.TB, name string) *Server {
	tb.Helper()
	r, err := s.replica(name)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := r.remove(); err != nil {
			tb.Error(err)
		}
	})
	return r
}

func (s *Server) replica(name string) (*Server, error) {
	r := &Server{bin: s.bin, as: s.as, settings: s.settings}
	var err error
	if r.dir, err = os.MkdirTemp("", "libra-postgres-"); err != nil {
		return nil, err
	}
	if r.as != nil {
		if err = os.Chown(r.dir, int(r.as.Uid), int(r.as.Gid)); err != nil {
			return nil, errors.Join(err, r.remove())
		}
	}
	source := fmt.Sprintf("host=127.0.0.1 port=%d user=postgres application_name=%s", s.port, name)
	copied := exec.Command(filepath.Join(s.bin, "pg_basebackup"), "-D", r.data(), "-R", "-c", "fast", "--no-sync", "-d", source)
	copied.Dir = r.dir
	copied.SysProcAttr = &syscall.SysProcAttr{Credential: r.as}
	if said, bad := copied.CombinedOutput(); bad != nil {
		return nil, errors.Join(fmt.Errorf("pg_basebackup: %w: %s", bad, said), r.remove())
	}
	if err = r.Start(); err != nil {
		return nil, errors.Join(err, r.remove())
	}
	return r, nil
}

// Promote makes a replica a server of its own.
func (s *Server) Promote(tb testing.TB) {
	tb.Helper()
	s.Exec(tb, "SELECT pg_promote(true, 60)")
}

// Stop ends the server in order.
func (s *Server) Stop() error { return s.end(syscall.SIGINT) }

// Wait waits until a statement that answers with a truth says yes.
func (s *Server) Wait(tb testing.TB, statement string) {
	tb.Helper()
	for !s.truth(tb, statement) {
		if tb.Context().Err() != nil {
			tb.Fatalf("waited in vain for %s", statement)
		}
	}
}

func (s *Server) truth(tb testing.TB, statement string) (yes bool) {
	tb.Helper()
	ctx := context.WithoutCancel(tb.Context())
	conn, err := connect(ctx, s.address)
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(ctx) // the answer counts
	if err := conn.QueryRow(ctx, statement).Scan(&yes); err != nil {
		tb.Fatal(err)
	}
	return yes
}

// Several is the address of a database that is on one of several servers.
func Several(address string, others ...*Server) string {
	head, rest, _ := strings.Cut(strings.TrimPrefix(address, "postgres://"), "/")
	for _, o := range others {
		host, _, _ := strings.Cut(strings.TrimPrefix(o.address, "postgres://postgres@"), "/")
		head += "," + host
	}
	return "postgres://" + head + "/" + rest
}
