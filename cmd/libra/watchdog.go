package main

import (
	"context"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// watchdog tells systemd how the daemon stands, where it was started by it
// (sd_notify(3)): that it is up, what it is doing, and, if it is asked to, that it
// has not come to a halt. By hand: it is a datagram to a socket.
type watchdog struct {
	line  net.Conn // nil: nobody wants to know
	check atomic.Pointer[func(context.Context) error]
	ended chan struct{}
}

func newWatchdog() *watchdog {
	w := &watchdog{ended: make(chan struct{})}
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return w
	}
	line, err := net.Dial("unixgram", path) // one that begins with @ is not in the file system, which net knows
	if err != nil {
		return w // the daemon runs without
	}
	w.line = line
	if us, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64); err == nil && us > 0 {
		go w.beat(time.Duration(us) * time.Microsecond / 2)
	}
	return w
}

func (w *watchdog) tell(text string) {
	if w.line != nil {
		_, _ = w.line.Write([]byte(text)) // it will ask again, or restart us
	}
}

func (w *watchdog) ready()             { w.tell("READY=1") }
func (w *watchdog) status(text string) { w.tell("STATUS=" + text) }

// guard has a question answered before each beat; nil: none. What it says does not
// matter, a market that is closed is not stuck; that it says something does.
func (w *watchdog) guard(check func(context.Context) error) {
	if check == nil {
		w.check.Store(nil)
		return
	}
	w.check.Store(&check)
}

func (w *watchdog) beat(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-w.ended:
			return
		case <-tick.C:
			if w.answers(every) {
				w.tell("WATCHDOG=1")
			}
		}
	}
}

func (w *watchdog) answers(within time.Duration) bool {
	check := w.check.Load()
	if check == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	_ = (*check)(ctx) // see guard
	return ctx.Err() == nil
}

func (w *watchdog) stop() {
	w.tell("STOPPING=1")
	close(w.ended)
	if w.line != nil {
		_ = w.line.Close() // nothing is lost with it
	}
}
