package main

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheWatchdog hears what systemd would: that the daemon is up, and beats as
// long as its market answers.
func TestTheWatchdog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	there, err := net.ListenPacket("unixgram", path)
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "40000")
	hear := func(want string) {
		t.Helper()
		text := make([]byte, 256)
		for {
			n, _, err := there.ReadFrom(text)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(string(text[:n]), want) {
				return
			}
		}
	}
	w := newWatchdog()
	w.ready()
	hear("READY=1")
	hear("WATCHDOG=1")
	asked := make(chan struct{})
	w.guard(func(ctx context.Context) error {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-ctx.Done() // a market that has come to a halt
		return ctx.Err()
	})
	<-asked
	if w.answers(1) {
		t.Error("a market that does not answer is well")
	}
	w.guard(func(context.Context) error { return context.Canceled })
	hear("WATCHDOG=1") // one that says no is not stuck
	w.stop()
	hear("STOPPING=1")
}
