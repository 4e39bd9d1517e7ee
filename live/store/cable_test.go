package store_test

import (
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// cable lies between a store and its server.
type cable struct {
	address                               string
	loseAnswer, loseRequest, dead, silent atomic.Bool

	mu   sync.Mutex
	ends []net.Conn
}

// cut ends all connections, and lets nobody through any more.
func (c *cable) cut() {
	c.dead.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, end := range c.ends {
		end.Close() // it may be closed already
	}
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	near, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close() }) // only a test's end
	server := u.Host
	u.Host = near.Addr().String()
	c := &cable{address: u.String()}
	go func() {
		for {
			client, err := near.Accept()
			if err != nil {
				return
			}
			go c.connect(client, server)
		}
	}()
	return c
}

// connect carries bytes both ways until one side ends or something is lost.
func (c *cable) connect(client net.Conn, server string) {
	defer client.Close() // it may be closed already
	far, err := net.Dial("tcp", server)
	if err != nil || c.dead.Load() {
		return
	}
	defer far.Close() // it may be closed already
	c.mu.Lock()
	c.ends = append(c.ends, client, far)
	c.mu.Unlock()
	var asked atomic.Int64
	go func() {
		defer far.Close()    // it may be closed already
		defer client.Close() // it may be closed already
		buffer := make([]byte, 32<<10)
		for {
			n, err := client.Read(buffer)
			if err != nil || asked.Add(int64(n)) > 200_000 && c.loseRequest.CompareAndSwap(true, false) {
				return
			}
			if c.silent.Load() {
				continue
			}
			if _, err := far.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := far.Read(buffer)
		if err != nil || asked.Swap(0) > 200_000 && c.loseAnswer.CompareAndSwap(true, false) {
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}
