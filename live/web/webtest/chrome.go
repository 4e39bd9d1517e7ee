package webtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// chromium is where Debian and its kin put the browser.
var chromium = []string{"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}

// Chrome is a browser of its own, without a window.
type Chrome struct {
	t    testing.TB
	cmd  *exec.Cmd
	to   io.WriteCloser
	mu   sync.Mutex
	next int
	wait map[int]chan message
	tabs map[string]*Page // by session
	dead chan struct{}
}

// message is one of the debugging protocol.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Browser starts Chromium, or skips the test where there is none. It fails
// instead where LIBRA_REQUIRE names chromium.
func Browser(t testing.TB) *Chrome {
	t.Helper()
	i := slices.IndexFunc(chromium, func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	})
	if i < 0 {
		if slices.Contains(strings.Split(os.Getenv("LIBRA_REQUIRE"), ","), "chromium") {
			t.Fatal("this machine has no chromium, and LIBRA_REQUIRE asks for it")
		}
		t.Skip("needs chromium")
	}
	c := &Chrome{t: t, wait: map[int]chan message{}, tabs: map[string]*Page{}, dead: make(chan struct{})}
	if err := c.start(chromium[i]); err != nil {
		t.Fatal(err)
	}
	return c
}

// start runs the browser with its protocol on two pipes: 3 to it, 4 from it.
func (c *Chrome) start(path string) error {
	toRead, toWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	fromRead, fromWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	dir := c.t.TempDir()
	c.cmd = exec.CommandContext(context.Background(), path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
		"--disable-dev-shm-usage", "--disable-default-apps", "--hide-scrollbars", "--force-color-profile=srgb", "--font-render-hinting=none",
		"--lang=en-GB", "--remote-debugging-pipe", "--user-data-dir="+dir, "about:blank")
	c.cmd.ExtraFiles = []*os.File{toRead, fromWrite}
	c.cmd.Env = append(os.Environ(), "TZ=UTC", "HOME="+dir)
	if err = c.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	err = errors.Join(toRead.Close(), fromWrite.Close())
	c.to = toWrite
	go c.listen(fromRead)
	c.t.Cleanup(func() {
		_, _ = c.call("", "Browser.close", nil) // it may be gone already
		select {
		case <-c.dead:
		case <-time.After(5 * time.Second):
			_ = c.cmd.Process.Kill()
		}
		_ = toWrite.Close()
		_ = c.cmd.Wait()
		_ = fromRead.Close()
	})
	return err
}

// listen takes in what the browser says: answers go to who waits for them, all
// else to the page it is about.
func (c *Chrome) listen(from io.Reader) {
	defer close(c.dead)
	in := bufio.NewReaderSize(from, 1<<20)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		c.mu.Lock()
		waiting, page := c.wait[m.ID], c.tabs[m.Session]
		delete(c.wait, m.ID)
		c.mu.Unlock()
		switch {
		case m.ID != 0 && waiting != nil:
			waiting <- m
		case page != nil:
			page.observe(&m)
		}
	}
}

var errDead = errors.New("the browser is gone")

// call asks the browser, or a page of it, for something.
func (c *Chrome) call(session, method string, params any) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	answer := make(chan message, 1)
	c.mu.Lock()
	c.next++
	m := message{ID: c.next, Session: session, Method: method}
	if params != nil {
		m.Params = raw
	}
	c.wait[m.ID] = answer
	text, err := json.Marshal(m)
	if err == nil {
		_, err = c.to.Write(append(text, 0))
	}
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case m = <-answer:
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		return m.Result, nil
	case <-c.dead:
		return nil, errDead
	case <-time.After(time.Minute):
		return nil, fmt.Errorf("%s: no answer from the browser", method)
	}
}
