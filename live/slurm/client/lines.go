package client

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lines carries requests to slurmrestd over connections that are kept. The
// transport of net/http hands each request to two goroutines and back; whoever
// submits a job waits for the answer anyway, and doing it all without them takes a
// fifth off what the call costs here.
type lines struct {
	dial func(ctx context.Context) (net.Conn, error)
	now  func() time.Time

	mu   sync.Mutex
	free []*line // the last one was used last
}

// line is one connection, used by one at a time.
type line struct {
	conn net.Conn
	in   *bufio.Reader
	out  *bufio.Writer
	used time.Time
}

const (
	mostKept = 32
	keptFor  = time.Minute
	lineSize = 16 << 10 // a submission is one write, unless its script is large
)

func newLines(network, address string, now func() time.Time) *lines {
	return &lines{now: now, dial: func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
}

// RoundTrip asks, and waits for all of the answer.
func (l *lines) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	c, err := l.take(ctx)
	if err != nil {
		return nil, err
	}
	inTime := context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })
	resp, err := c.ask(req)
	if !inTime() || err != nil || resp.Close || c.in.Buffered() > 0 {
		_ = c.conn.Close() // what comes next on it might be the answer to this
	} else {
		l.give(c)
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return resp, err
}

// ask writes a request and reads the answer, whole.
func (c *line) ask(req *http.Request) (*http.Response, error) {
	err := req.Write(c.out)
	if err == nil {
		err = c.out.Flush()
	}
	if err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(c.in, req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(body) > mostAnswer {
		return nil, errTooLong
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// take finds a connection that is free, or makes one.
func (l *lines) take(ctx context.Context) (*line, error) {
	oldest := l.now().Add(-keptFor)
	for {
		l.mu.Lock()
		last := len(l.free) - 1
		if last < 0 {
			l.mu.Unlock()
			break
		}
		c := l.free[last]
		l.free = l.free[:last]
		l.mu.Unlock()
		if c.used.After(oldest) && c.quiet() {
			return c, nil
		}
		_ = c.conn.Close()
	}
	conn, err := l.dial(ctx)
	if err != nil {
		return nil, err
	}
	return &line{conn: conn, in: bufio.NewReaderSize(conn, lineSize), out: bufio.NewWriterSize(conn, lineSize)}, nil
}

// give keeps a connection for the next.
func (l *lines) give(c *line) {
	c.used = l.now()
	l.mu.Lock()
	kept := len(l.free) < mostKept
	if kept {
		l.free = append(l.free, c)
	}
	l.mu.Unlock()
	if !kept {
		_ = c.conn.Close()
	}
}

// quiet reports whether the other side neither said anything unasked nor hung up:
// a slurmrestd that was started anew must not look like one that took a job and
// lost its answer.
func (c *line) quiet() bool {
	raw, err := c.conn.(syscall.Conn).SyscallConn()
	if err != nil {
		return false
	}
	heard := true
	err = raw.Control(func(fd uintptr) {
		waiting, wrong := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		heard = wrong != nil || waiting > 0
	})
	return err == nil && !heard
}

var errTooLong = fmt.Errorf("it says more than %d bytes", mostAnswer)
