package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/libra-market/libra/client"
)

// watchEvery is how often a listing is drawn anew if nothing happens.
var watchEvery = time.Second

// watch shows a listing again and again until the user has seen enough: at
// once when something happens, and every second. On a terminal it is redrawn in
// place; elsewhere it is written again when it has changed.
func (c *console) watch(ctx context.Context, market *client.Client, show func(context.Context, io.Writer) error) error {
	inPlace := onTerminal(c.out)
	if inPlace {
		// Another screen, no cursor, no wrapping: all is as before afterwards.
		control(c.out, "\x1b[?1049h\x1b[?25l\x1b[?7l")
		defer control(c.out, "\x1b[?7h\x1b[?25h\x1b[?1049l")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	happened := notices(ctx, market)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	last, listing := "", "" // what was written, and what of it the market said
	for {
		var page bytes.Buffer // what is in it has been made plain, and has looks
		sheet := &screen{to: &page, columns: columnsIn(c.out)}
		switch err := show(ctx, sheet); {
		case ctx.Err() != nil:
			return nil
		case err != nil && last == "":
			return err
		case err != nil: // it may be back in a moment
			page.Reset()
			control(sheet, strings.TrimSuffix(listing, "\n"))
			printf(sheet, "\nno answer: %v\n", err)
		default:
			listing = page.String()
		}
		text := page.String()
		switch {
		case inPlace:
			control(c.out, frame(text, screenHeight(c.out)))
		case text != last:
			if last != "" {
				printline(c.out)
			}
			if _, err := io.WriteString(c.out, text); err != nil {
				return err
			}
		}
		last = text
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-happened:
			// What happens comes in bursts.
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(watchEvery / 10):
			}
		}
	}
}

// notices tells that something has happened, at most once until it is heard.
// Where events cannot be had it says nothing: the listing is drawn anew anyway.
func notices(ctx context.Context, market *client.Client) <-chan struct{} {
	happened := make(chan struct{}, 1)
	go func() {
		for _, err := range market.Events(ctx, -1) {
			if err != nil {
				return
			}
			select {
			case happened <- struct{}{}:
			default:
			}
		}
	}()
	return happened
}

// frame draws a page over the one before, as much of it as fits.
func frame(text string, height int) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if height > 0 && len(lines) > height {
		lines = append(lines[:height-1], fmt.Sprintf("... and %d lines more", len(lines)-height+1))
	}
	return "\x1b[H" + strings.Join(lines, "\x1b[K\n") + "\x1b[K\x1b[J"
}

func screenHeight(out io.Writer) int {
	if s, is := out.(*screen); is {
		out = s.to
	}
	file, ok := out.(*os.File)
	if !ok {
		return 0
	}
	_, height, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return height
}
