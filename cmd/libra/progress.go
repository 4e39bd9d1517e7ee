package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/libra-market/libra/core/plain"
)

const (
	barEvery = 100 * time.Millisecond
	barWidth = 30
)

// progress shows how far long work has come until the function it returns is
// called. Only a terminal sees it; in a pipe there is nothing to see. done is
// asked from another goroutine; a total below 1 means that nobody knows.
func (c *console) progress(label string, total int64, done func() int64) (finish func()) {
	if !onTerminal(c.err) {
		return func() {}
	}
	return startBar(c.err, label, total, done)
}

func startBar(out io.Writer, label string, total int64, done func() int64) (finish func()) {
	stop := make(chan struct{})
	var painter sync.WaitGroup
	painter.Go(func() {
		tick := time.NewTicker(barEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				control(out, "\r"+plain.Text(paintBar(label, total, done()))+"\x1b[K")
			case <-stop:
				control(out, "\r\x1b[K")
				return
			}
		}
	})
	return sync.OnceFunc(func() { close(stop); painter.Wait() })
}

func paintBar(label string, total, done int64) string {
	if total < 1 {
		return fmt.Sprintf("%s  %s", label, grouped(float64(done), 0))
	}
	part := min(1, float64(done)/float64(total))
	full := int(part * barWidth)
	return fmt.Sprintf("%s  [%s%s] %3.0f %%", label, strings.Repeat("#", full), strings.Repeat(".", barWidth-full), part*100)
}
