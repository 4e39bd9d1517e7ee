package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// silence is how long a stream may say nothing, not even that it is alive,
// before it counts as lost.
const silence = time.Minute

// Events yields the changes after a number (negative: from now on), until ctx
// is done or the consumer stops. It connects again by itself and goes on where
// it was; when that does not succeed, the error that it yields is the last
// thing it says.
func (c *Client) Events(ctx context.Context, after int64) iter.Seq2[v1.Notice, error] {
	return func(yield func(v1.Notice, error) bool) {
		last := after
		for try := 0; ; try++ {
			at := last
			err := c.listen(ctx, &last, yield)
			switch {
			case errors.Is(err, errEnough), ctx.Err() != nil:
				return
			case last != at:
				try = 0 // it went well for a while
			}
			again := retryAfter(err)
			if again < 0 || try >= max(c.retries, 0) {
				yield(v1.Notice{}, err)
				return
			}
			if !pause(ctx, max(min(again, 10*time.Second), backoff(try))) {
				return
			}
		}
	}
}

// errEnough says that the consumer wants no more.
var errEnough = errors.New("enough")

// listen connects once and yields what comes.
func (c *Client) listen(ctx context.Context, last *int64, yield func(v1.Notice, error) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &ask{method: http.MethodGet, path: "/v1/events", accept: "text/event-stream"}
	if *last >= 0 {
		a.query = url.Values{"after": {strconv.FormatInt(*last, 10)}}
		a.lastID = strconv.FormatInt(*last, 10)
	}
	dead := time.AfterFunc(silence, cancel)
	defer dead.Stop()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	s, moved := c.current()
	defer c.watch(ctx, s, moved, true, giveUp)()
	res, err := c.openAt(ctx, s, a, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(make([]byte, 64<<10), int(c.most))
	var data strings.Builder
	for {
		if !lines.Scan() {
			err := lines.Err()
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("events: %w", err)
		}
		dead.Reset(silence)
		line := lines.Text()
		switch field, value, _ := strings.Cut(line, ":"); {
		case field == "data":
			if data.Len() > 0 {
				data.WriteByte('\n')
			}
			data.WriteString(strings.TrimPrefix(value, " "))
		case line == "" && data.Len() > 0:
			var n v1.Notice
			if err := json.Unmarshal([]byte(data.String()), &n); err != nil {
				return fmt.Errorf("events: %w", err)
			}
			data.Reset()
			if n.IsPlace() {
				*last = n.Seq
			}
			if !yield(n, nil) {
				return errEnough
			}
		}
	}
}
