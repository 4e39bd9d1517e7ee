package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/store"
)

// inMotion is a controller with a node and an account for all.
func inMotion(t *testing.T, limits fair.Limits) *Controller {
	t.Helper()
	st, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "libra.db"))
	if err != nil {
		t.Fatal(err)
	}
	cfg := Default()
	cfg.Limits = limits
	ctx, stop := context.WithCancel(context.Background())
	c, err := Start(ctx, st, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); <-c.Done(); _ = st.Close() })
	root := trade.Identity{User: "root", Role: trade.RoleOwner}
	for _, m := range []trade.MoneyCommand{{Op: "open", To: "lab"}, {Op: "grant", To: "lab", Amount: int64(1e6 * market.Unit)}} {
		if _, _, err := c.Do(t.Context(), trade.Command{By: root, Money: &m}, trade.Key{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, user := range []string{"flood", "ann", "bob", "eve"} {
		m := trade.MoneyCommand{Op: "open", To: "lab/" + user, User: user}
		if _, _, err := c.Do(t.Context(), trade.Command{By: root, Money: &m}, trade.Key{}); err != nil {
			t.Fatal(err)
		}
	}
	hello := task.Hello{Node: "n1", Processors: 4, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b"}
	if _, err := c.Hello(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	return c
}

func submission(user, name string) trade.Command {
	return trade.Command{
		By:     trade.Identity{User: user, Role: trade.RoleUser},
		Submit: &trade.Submit{Request: trade.Request{Name: name, Argv: []string{"true"}, EstimateMS: 1000}},
	}
}

// Behind one that floods nobody waits for more than one call, and neither does a
// node; what each sends is carried out in its order. The log is what was done.
func TestTheInboxServesInTurn(t *testing.T) {
	c := inMotion(t, fair.Limits{Queue: 50})
	busy, goOn := make(chan struct{}), make(chan struct{})
	go func() { _ = c.query(context.Background(), func(*exchange.Exchange) { close(busy); <-goOn }) }()
	<-busy
	answers := make(chan error, 200)
	waiting := 0
	send := func(cmd trade.Command) {
		go func() { _, _, err := c.Do(context.Background(), cmd, trade.Key{}); answers <- err }()
		waiting++
		for end := time.Now().Add(time.Minute); c.inbox.Len() < waiting && time.Now().Before(end); {
			time.Sleep(50 * time.Microsecond)
		}
	}
	for i := range 50 {
		send(submission("flood", fmt.Sprint("flood", i)))
	}
	_, _, err := c.Do(t.Context(), submission("flood", "one too many"), trade.Key{})
	if o, ok := errors.AsType[*fair.Over](err); !ok || o.Limit != "queue" {
		t.Errorf("the line is full: %v", err)
	}
	for _, user := range []string{"ann", "bob", "eve"} {
		send(submission(user, user))
	}
	send(trade.Command{By: trade.Identity{User: "n1", Role: trade.RoleNode}, Node: &trade.NodeChange{Node: "n1", Up: true}})
	from := c.seq
	close(goOn)
	for range waiting {
		if err := <-answers; err != nil {
			t.Fatal(err)
		}
	}
	var order []string
	for e, err := range c.log.Tail(t.Context(), from) {
		if err != nil {
			t.Fatal(err)
		}
		var b Body
		if err := json.Unmarshal(e.Body, &b); err != nil {
			t.Fatal(err)
		}
		if b.Command.Submit != nil || b.Command.Node != nil {
			order = append(order, b.Command.By.User)
		}
	}
	if got := strings.Join(order[:6], " "); got != "flood ann bob eve n1 flood" || len(order) != waiting {
		t.Errorf("%d: %s", len(order), got)
	}
	jobs := 0
	if err := c.query(t.Context(), func(x *exchange.Exchange) {
		last := int64(0)
		byName := map[string]int64{}
		for j := range x.Live() {
			byName[j.Name] = j.ID
		}
		for i := range 50 {
			if id := byName[fmt.Sprint("flood", i)]; id > last {
				jobs++
				last = id
			}
		}
	}); err != nil || jobs != 50 {
		t.Errorf("%d jobs of the one who floods are in its order, %v", jobs, err)
	}
}

// A user may have so many jobs under way, and so much of what they run; others are
// not meant, nor owners, nor who is exempt; what has ended counts no more.
func TestJobsUnderWayHaveANumber(t *testing.T) {
	c := inMotion(t, fair.Limits{Queue: 50, Jobs: 3, KeptMB: 1, Exempt: []string{"eve"}})
	try := func(cmd trade.Command) error {
		o, _, err := c.Do(t.Context(), cmd, trade.Key{})
		if err == nil && o.Refusal != nil {
			t.Fatalf("%+v", o.Refusal)
		}
		return err
	}
	limit := func(err error) string {
		o, ok := errors.AsType[*fair.Over](err)
		if !ok {
			return fmt.Sprint(err)
		}
		return o.Limit
	}
	for range 3 {
		if err := try(submission("ann", "a")); err != nil {
			t.Fatal(err)
		}
	}
	if got := limit(try(submission("ann", "a"))); got != "jobs" {
		t.Errorf("a fourth: %s", got)
	}
	for range 5 {
		if err := try(submission("eve", "e")); err != nil {
			t.Error(err)
		}
	}
	large := submission("bob", "b")
	large.Submit.Request.Script = "#!/bin/sh\n" + strings.Repeat("#", 700_000)
	if err := try(large); err != nil {
		t.Error(err)
	}
	if got := limit(try(large)); got != "kept_mb" {
		t.Errorf("more than a megabyte: %s", got)
	}
	var first int64
	if err := c.query(t.Context(), func(x *exchange.Exchange) {
		for j := range x.Live() {
			if j.Owner == "ann" {
				first = j.ID
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := try(trade.Command{By: trade.Identity{User: "ann", Role: trade.RoleUser}, Cancel: &trade.Cancel{Job: first}}); err != nil {
		t.Fatal(err)
	}
	ended := task.Status{Key: task.Key{Job: first}, State: task.Ended, Signal: "SIGTERM", StartedUS: 1, EndedUS: c.now()}
	if _, err := c.Report(t.Context(), task.Report{Node: "n1", Tasks: []task.Status{ended}}); err != nil {
		t.Fatal(err)
	}
	if err := try(submission("ann", "a")); err != nil {
		t.Errorf("one has ended: %v", err)
	}
	if got := limit(try(submission("ann", "a"))); got != "jobs" {
		t.Errorf("one too many again: %s", got)
	}
	if err := c.query(t.Context(), func(*exchange.Exchange) {
		before := *c.held.by["bob"]
		if err := c.restore(t.Context()); err != nil {
			t.Error(err)
		}
		if after := *c.held.by["bob"]; after != before || c.held.by["ann"].jobs != 3 {
			t.Errorf("read back: %+v, before %+v", after, before)
		}
	}); err != nil {
		t.Error(err)
	}
}
