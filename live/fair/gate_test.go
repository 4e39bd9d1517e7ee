package fair

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func limitOf(err error) string {
	if o, ok := errors.AsType[*Over](err); ok {
		return o.Limit
	}
	return fmt.Sprint(err)
}

// visit makes a call that takes so long.
func visit(g *Gate, p Party, c Class, takes time.Duration) error {
	_, ticket := With(context.Background(), p)
	v, err := g.Enter(context.Background(), ticket, c, false)
	if err != nil {
		return err
	}
	time.Sleep(takes)
	v.Leave()
	return nil
}

// Two users at ten times their rate beside twenty at their rate, by a
// clock of the test's own: only the two are refused, down to their rate, and told
// when to come again.
func TestOnlyWhoFloodsIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Default()
		g := NewGate(l, time.Now)
		var mu sync.Mutex
		done, refused := map[string]int{}, map[string]int{}
		var all sync.WaitGroup
		user := func(name string, rate float64) {
			for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Duration(float64(time.Second) / rate)) {
				all.Go(func() {
					err := visit(g, person(name), Command, time.Millisecond)
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						done[name]++
						return
					}
					refused[name]++
					if o, ok := errors.AsType[*Over](err); !ok || o.Limit != "commands" || o.Seconds() != 1 || !strings.Contains(o.Detail, "20 a second") {
						t.Errorf("%v", err)
					}
				})
			}
		}
		for i := range 20 {
			all.Go(func() { user(fmt.Sprint("honest", i), l.Commands) })
		}
		for i := range 2 {
			all.Go(func() { user(fmt.Sprint("flood", i), 10*l.Commands) })
		}
		all.Wait()
		for name, n := range done {
			if strings.HasPrefix(name, "honest") && (refused[name] > 0 || n < 390) {
				t.Errorf("%s: %d done, %d refused", name, n, refused[name])
			}
			if most := int(20*l.Commands + l.CommandsBurst + 1); strings.HasPrefix(name, "flood") && (n > most || n < most-20 || refused[name] < 3000) {
				t.Errorf("%s: %d done, at most %d, %d refused", name, n, most, refused[name])
			}
		}
	})
}

// Reads of one user on 24 connections keep half a processor busy, and no more; those
// of one who asks one after the other are not slowed.
func TestReadsThatCrowdAreSlowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Default()
		l.Reads, l.Waiting = 0, 0
		g := NewGate(l, time.Now)
		const span = 60 * time.Second
		end := time.Now().Add(span)
		var mu sync.Mutex
		var all sync.WaitGroup
		busy := time.Duration(0)
		for range 24 {
			all.Go(func() {
				for time.Now().Before(end) {
					if err := visit(g, person("crowd"), Read, 10*time.Millisecond); err != nil {
						t.Error(err)
					}
					mu.Lock()
					busy += 10 * time.Millisecond
					mu.Unlock()
				}
			})
		}
		alone := 0
		all.Go(func() {
			for time.Now().Before(end) {
				if err := visit(g, person("alone"), Read, 10*time.Millisecond); err != nil {
					t.Error(err)
				}
				alone++
			}
		})
		all.Wait()
		if part := busy.Seconds() / span.Seconds(); part < 0.45 || part > 0.55 {
			t.Errorf("24 connections keep %.2f processors busy", part)
		}
		if alone < 5990 {
			t.Errorf("one connection got %d answers", alone)
		}
	})
}

// So many calls of one party go at a time, the others wait in order, and too many
// that wait are refused. Who goes away takes no turn.
func TestCallsGoInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Limits{CommandsAtOnce: 2, Waiting: 3}, time.Now)
		ctx, leave := context.WithCancel(context.Background())
		var order []int
		var mu sync.Mutex
		for i := range 2 {
			go func() {
				if err := visit(g, person("ann"), Command, time.Duration(1+i)*time.Second); err != nil { // one place is free at a time
					t.Error(i, err)
				}
			}()
		}
		synctest.Wait()
		for i := range 3 {
			go func() {
				mine := context.Background()
				if i == 1 {
					mine = ctx
				}
				v, err := g.Enter(mine, &Ticket{Party: person("ann")}, Command, false)
				if err != nil {
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				v.Leave()
			}()
			synctest.Wait()
		}
		if got := limitOf(visit(g, person("ann"), Command, 0)); got != "waiting" {
			t.Errorf("a fourth that waits: %s", got)
		}
		if err := visit(g, person("bob"), Command, 0); err != nil {
			t.Errorf("somebody else: %v", err)
		}
		began := time.Now()
		if err := visit(g, person("ann"), Wait, 0); err != nil || time.Since(began) > 0 {
			t.Errorf("what waits for a node waits for no command: %v", err)
		}
		leave()
		synctest.Wait()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if fmt.Sprint(order) != "[0 2]" {
			t.Errorf("%v", order)
		}
		if one := g.parties[person("ann")]; one.inside != 0 || one.lanes[commandLane].inside != 0 {
			t.Errorf("somebody is still inside: %+v", one)
		}
	})
}

// A refusal over a rate is kept waiting, so that who does not wait costs little; of
// those that are kept waiting there is a number too.
func TestARefusalTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Limits{Commands: 1, CommandsBurst: 1, Hold: 250 * time.Millisecond}, time.Now)
		if err := visit(g, person("ann"), Command, 0); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if got := limitOf(visit(g, person("ann"), Command, 0)); got != "commands" || time.Since(began) != 250*time.Millisecond {
			t.Errorf("%s after %s", got, time.Since(began))
		}
		var all sync.WaitGroup
		for range mostHeld {
			all.Go(func() { _ = visit(g, person("ann"), Command, 0) })
		}
		synctest.Wait()
		began = time.Now()
		if got := limitOf(visit(g, person("ann"), Command, 0)); got != "commands" || time.Since(began) != 0 {
			t.Errorf("%s after %s", got, time.Since(began))
		}
		all.Wait()
	})
}

// Whoever sends much waits until it may be more.
func TestUploadsHaveARate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Limits{UploadKB: 10, UploadBurstKB: 100}, time.Now)
		g.Uploaded(person("ann"), 150<<10)
		if got := limitOf(visit(g, person("ann"), Command, 0)); got != "upload_kb" {
			t.Error(got)
		}
		if err := visit(g, person("ann"), Read, 0); err != nil {
			t.Errorf("a read: %v", err)
		}
		time.Sleep(5 * time.Second)
		if err := visit(g, person("ann"), Command, 0); err != nil {
			t.Error(err)
		}
	})
}

// Streams are a user's, whatever they come in with.
func TestStreamsHaveANumber(t *testing.T) {
	g := NewGate(Limits{Streams: 2}, time.Now)
	first, err := g.Follow(person("ann"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = g.Follow(person("ann")); err != nil {
		t.Fatal(err)
	}
	if _, err = g.Follow(person("ann")); limitOf(err) != "streams" {
		t.Error(err)
	}
	if _, err = g.Follow(person("bob")); err != nil {
		t.Error(err)
	}
	first()
	if _, err = g.Follow(person("ann")); err != nil {
		t.Error(err)
	}
}

// half is a body that stops half-way.
type half struct {
	left int
	stop chan struct{}
}

func (h *half) Read(p []byte) (int, error) {
	if h.left == 0 {
		<-h.stop
		return 0, io.ErrUnexpectedEOF
	}
	n := min(h.left, len(p), 4096)
	h.left -= n
	return n, nil
}

// 300 bodies of which half has come keep what one party may keep, and all parties
// together no more than that.
func TestHalfSentBodiesKeepLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Limits{BodiesKB: 8 << 10, AllBodiesKB: 20 << 10}
		g := NewGate(l, time.Now)
		stop := make(chan struct{})
		var all sync.WaitGroup
		var mu sync.Mutex
		said := map[string]int{}
		for i := range 300 {
			if i == 100 {
				synctest.Wait()
			}
			all.Go(func() {
				b := g.Body(person(fmt.Sprint("user", i/100)), &half{1 << 20, stop}, nil)
				defer b.Release()
				_, err := io.Copy(io.Discard, b)
				mu.Lock()
				defer mu.Unlock()
				said[limitOf(err)]++
			})
		}
		synctest.Wait()
		g.mu.Lock()
		if g.bodies > l.AllBodiesKB<<10 || g.bodies < 10<<20 {
			t.Errorf("%d bytes are kept", g.bodies)
		}
		for p, of := range g.parties {
			if of.bodies > l.BodiesKB<<10 {
				t.Errorf("%d bytes are kept for %s", of.bodies, p.Name)
			}
		}
		g.mu.Unlock()
		close(stop)
		all.Wait()
		if said["bodies_kb"] == 0 || said["all_bodies_kb"] == 0 || g.bodies != 0 {
			t.Errorf("%v, %d bytes are left", said, g.bodies)
		}
	})
}

// A body has to come, and to go on coming.
func TestABodyHasToCome(t *testing.T) {
	g := NewGate(Limits{}, time.Now)
	var until []time.Time
	b := g.Body(person("ann"), strings.NewReader(strings.Repeat("x", 256<<10)), func(at time.Time) error { until = append(until, at); return nil })
	if _, err := io.Copy(io.Discard, struct{ io.Reader }{b}); err != nil {
		t.Fatal(err)
	}
	first, last := until[0].Sub(b.began), until[len(until)-1].Sub(b.began)
	if first != bodyBegins || last != bodyBegins+256/bodyKB*time.Second {
		t.Errorf("%s, %s", first, last)
	}
}

// Guests who have gone are forgotten, and those with something under way are not.
func TestGuestsAreForgotten(t *testing.T) {
	now := time.Unix(0, 0)
	g := NewGate(Default(), func() time.Time { return now })
	if _, err := g.Follow(person("stays")); err != nil {
		t.Fatal(err)
	}
	for i := range 3 * manyParties {
		now = now.Add(time.Millisecond)
		if err := visit(g, person(fmt.Sprint(i)), Command, 0); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(g.parties); n > manyParties+1 || g.parties[person("stays")] == nil {
		t.Errorf("%d guests", n)
	}
}

// Limits are set by their names.
func TestLimitsAreSet(t *testing.T) {
	l := Default()
	for name, value := range map[string]string{"commands": "2.5", "jobs": "7", "hold": "1s", "exempt": "broker, ci"} {
		if err := l.Set(name, value); err != nil {
			t.Error(err)
		}
	}
	if l.Commands != 2.5 || l.Jobs != 7 || l.Hold != time.Second || !l.Free("ci") || l.Free("ann") {
		t.Errorf("%+v", l)
	}
	for name, value := range map[string]string{"commands": "-1", "jobs": "many", "hold": "1h", "nonsense": "1", "reads": "NaN"} {
		if err := l.Set(name, value); !errors.Is(err, ErrSetting) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// An agent reports often, and never sends much at once.
func TestAnAgentsUploadsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Default()
		l.Hold = 0
		g, n1 := NewGate(l, time.Now), Party{Kind: Node, Name: "n1"}
		for range 60 { // a report on 4,096 tasks, five times a second
			if err := visit(g, n1, Command, 0); err != nil {
				t.Fatal(err)
			}
			g.Uploaded(n1, 700<<10)
			time.Sleep(200 * time.Millisecond)
		}
		sent := 0
		for range 2000 {
			if visit(g, n1, Command, 0) == nil {
				g.Uploaded(n1, 700<<10)
				sent += 700
			}
			time.Sleep(5 * time.Millisecond)
		}
		if most := 10*nodes*256 + 17<<10; sent > most {
			t.Errorf("%d KB in ten seconds, %d at most", sent, most)
		}
	})
}
