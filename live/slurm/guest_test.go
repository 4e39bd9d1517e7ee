package slurm

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
)

// guestSlurm is a Slurm with one job of plain sbatch, which its user changes while it is
// bought.
type guestSlurm struct {
	client.Slurm

	job     client.Job
	asks    client.Guest
	silent  bool // nobody says what it asks for
	adopted bool
	remark  string
}

func (g *guestSlurm) Jobs(context.Context, string) ([]client.Job, error) {
	return []client.Job{g.job}, nil
}

func (g *guestSlurm) Guest(context.Context, int64) (client.Guest, error) {
	if g.silent {
		return client.Guest{}, errors.New("no answer")
	}
	said := g.asks
	said.Special = slices.Clone(said.Special)
	return said, nil
}

func (g *guestSlurm) Adopt(_ context.Context, _ int64, s client.Submission) error {
	g.adopted, g.job.Comment = true, s.Comment
	return nil
}

func (g *guestSlurm) Adopts() bool { return true }

func (g *guestSlurm) Remark(_ context.Context, _ int64, text string) error {
	g.remark = text
	return nil
}

// lateDesk takes a job that begins later, and knows what comes of it.
type lateDesk struct {
	asked trade.Request
	fate  string
	sold  int
}

func (d *lateDesk) Ask(string, client.Guest, string) (trade.Request, bool, error) {
	return trade.Request{EstimateMS: 1000}, true, nil
}

func (d *lateDesk) Price(context.Context, string, int64, trade.Request) string { return "" }

func (d *lateDesk) Buy(_ context.Context, _, _ string, r trade.Request) (string, int64, error) {
	d.asked = r
	d.sold++
	return "taken as job 12", 12, nil
}

func (d *lateDesk) Fate(context.Context, int64) string { return d.fate }

// A guest that begins later is followed in the market until it is bought, or will not be, which
// is noted with it.
func TestAGuestThatWaits(t *testing.T) {
	slurm, desk := &guestSlurm{asks: client.Guest{ID: 7, Nodes: "1", Options: []string{"--gres=gpu:1", "--licenses=a"}}}, &lateDesk{}
	b, _ := idle(t, Agents)
	b.slurm, b.cfg.Desk = slurm, desk
	waits := client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:budget=5"}
	if err := b.receive(t.Context(), &waits); err != nil || b.guests.waits[7] != 12 || slurm.remark != "libra: taken as job 12" {
		t.Fatalf("%v: %+v, %q", err, b.guests.waits, slurm.remark)
	}
	if !slices.Equal(desk.asked.Env, []string{GuestVariable + "=7", guestAsks + "=--gres=gpu:1 --licenses=a"}) || !NamesGuest(desk.asked.Env[1:]) || !NamesGuest(desk.asked.Env[:1]) || NamesGuest([]string{GuestVariable + "S=7"}) {
		t.Errorf("sold as %v", desk.asked.Env)
	}
	if b.tellFate(t.Context(), 7, 12); b.guests.waits[7] != 12 {
		t.Error("it is forgotten while it waits")
	}
	desk.fate = "refused: no room"
	if b.tellFate(t.Context(), 7, 12); len(b.guests.waits) != 0 || slurm.remark != "libra: refused: no room" {
		t.Errorf("%+v, %q", b.guests.waits, slurm.remark)
	}
}

// Guests that wait are followed with each look at what is in Slurm, and forgotten when they are
// gone from there.
func TestGuestsAreFollowed(t *testing.T) {
	slurm, desk := &guestSlurm{asks: client.Guest{ID: 7, Nodes: "1"}}, &lateDesk{}
	b, _ := idle(t, Agents)
	b.slurm, b.cfg.Desk = slurm, desk
	look := func(jobs ...client.Job) {
		b.mu.Lock()
		b.lookAtGuests(jobs)
		b.mu.Unlock()
		b.going.Wait()
	}
	job := client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:budget=5"}
	look(job)
	look(job)
	if b.guests.waits[7] != 12 || slurm.remark != "libra: taken as job 12" {
		t.Fatalf("%+v, %q", b.guests.waits, slurm.remark)
	}
	desk.fate = "refused: no room"
	look(job)
	if len(b.guests.waits) != 0 || slurm.remark != "libra: refused: no room" {
		t.Errorf("%+v, %q", b.guests.waits, slurm.remark)
	}
	job.ID = 8
	look(job)
	slurm.remark = ""
	if look(); len(b.guests.waits) != 0 || slurm.remark != "" {
		t.Errorf("one that is gone: %+v, %q", b.guests.waits, slurm.remark)
	}
}

// A guest that waits is known to the backend that comes after: it is not dealt with once more, and
// is told what comes of it; and of who has waited nothing is left behind.
func TestGuestsWaitBeyondARestart(t *testing.T) {
	slurm, desk := &guestSlurm{asks: client.Guest{ID: 7, Nodes: "1"}}, &lateDesk{}
	job := client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:budget=5"}
	first, _ := idle(t, Agents)
	look := func(b *Backend, jobs ...client.Job) *Backend {
		b.slurm, b.cfg.Desk = slurm, desk
		b.mu.Lock()
		b.lookAtGuests(jobs)
		b.mu.Unlock()
		b.going.Wait()
		return b
	}
	again := func() *Backend {
		b, err := New(t.Context(), first.cfg, first.fleet, slurm, first.notes)
		if err != nil {
			t.Fatal(err)
		}
		b.ctx = t.Context()
		return b
	}
	look(first, job)
	slurm.remark = ""
	if second := look(again(), job); desk.sold != 1 || second.guests.waits[7] != 12 || slurm.remark != "" {
		t.Errorf("sold %d times, %+v, %q", desk.sold, second.guests.waits, slurm.remark)
	}
	desk.fate = "refused: no room"
	if third := look(again(), job); slurm.remark != "libra: refused: no room" || len(third.guests.waits) > 0 {
		t.Errorf("%+v, %q", third.guests.waits, slurm.remark)
	}
	if notes, err := first.notes.Notes(t.Context(), kindGuest); err != nil || len(notes) > 0 {
		t.Errorf("%v, %v", notes, err)
	}
	job.ID, desk.fate = 8, ""
	look(first, job)
	if look(again()); desk.sold != 2 {
		t.Error(desk.sold)
	}
	if notes, err := first.notes.Notes(t.Context(), kindGuest); err != nil || len(notes) > 0 {
		t.Errorf("of one that is gone: %v, %v", notes, err)
	}
}

// Each of several that wait is known by its number, and each is forgotten by itself.
func TestSeveralGuestsWait(t *testing.T) {
	b, _ := idle(t, Agents)
	for id, job := range map[int64]int64{7: 12, 1234567: 13, 99: 14} {
		if err := b.await(t.Context(), id, job, "words"); err != nil {
			t.Fatal(err)
		}
	}
	b.unawait(t.Context(), 99)
	again, err := New(t.Context(), b.cfg, b.fleet, b.slurm, b.notes)
	if err != nil {
		t.Fatal(err)
	}
	for name, waits := range map[string]map[int64]int64{"at once": b.guests.waits, "after a restart": again.guests.waits} {
		if len(waits) != 2 || waits[7] != 12 || waits[1234567] != 13 {
			t.Errorf("%s: %v", name, waits)
		}
	}
	if again.guests.seen[1234567] != "words" || len(again.guests.seen) != 2 {
		t.Errorf("%v", again.guests.seen)
	}
	if left := again.leftGuests(map[int64]string{7: "words"}); !slices.Equal(left, []int64{1234567}) {
		t.Errorf("gone are %v", left)
	}
}

// A job of plain sbatch is bought as it was when it got its price. When it has the
// market's comment, and its user can change it no more, it is looked at again.
func TestAGuestIsWhatWasSold(t *testing.T) {
	sold := task.Spec{Threads: 2, Memory: 512 << 20, User: "ann", Env: []string{GuestVariable + "=7", guestAsks + "=--licenses=fluent --gres=gpu:1"}}
	same := client.Guest{ID: 7, Nodes: "1", Processors: 2, MemoryMB: 512, Nodelist: "n1", Options: []string{"--licenses=fluent", "--gres=gpu:1"}, Begin: noon.Unix()}
	with := func(change func(*client.Guest)) client.Guest {
		g := same
		change(&g)
		return g
	}
	waits := client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:budget=5"}
	for name, c := range map[string]struct {
		slurm guestSlurm
		taken bool
	}{
		"as it was":             {guestSlurm{job: waits, asks: same}, true},
		"more processors":       {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Processors = 3 })}, false},
		"more memory":           {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.MemoryMB = 513 })}, false},
		"devices":               {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Special = []string{"devices"} })}, false},
		"more GPUs":             {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Options = []string{"--licenses=fluent", "--gres=gpu:2"} })}, false},
		"no licences":           {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Options = []string{"--gres=gpu:1"} })}, false},
		"a time to begin":       {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Begin++ })}, false},
		"its partition":         {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Partition = "libra" })}, true},
		"another partition":     {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Partition = "fast" })}, false},
		"two nodes":             {guestSlurm{job: waits, asks: with(func(g *client.Guest) { g.Nodes = "2" })}, false},
		"nobody knows":          {guestSlurm{job: waits, silent: true}, false},
		"another's":             {guestSlurm{job: client.Job{ID: 7, User: "bob", State: client.Pending, Held: true}, asks: same}, false},
		"it runs":               {guestSlurm{job: client.Job{ID: 7, User: "ann", State: client.Running}, asks: same}, false},
		"not there any more":    {guestSlurm{job: client.Job{ID: 8, User: "ann", State: client.Pending, Held: true}, asks: same}, false},
		"bought, answer lost":   {guestSlurm{job: client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:m:12.0:n"}, asks: same}, true},
		"bought, and changed":   {guestSlurm{job: client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:m:12.0:n"}, asks: with(func(g *client.Guest) { g.Processors = 9 })}, false},
		"bought by another job": {guestSlurm{job: client.Job{ID: 7, User: "ann", State: client.Pending, Held: true, Comment: "libra:m:13.0:n"}, asks: same}, false},
	} {
		b := &Backend{slurm: &c.slurm, cfg: Config{Partition: "libra", Now: func() time.Time { return noon }}}
		b.Mark = "m"
		id, _, err := b.handIn(t.Context(), runKey{job: 12}, &sold, client.Submission{User: "ann", Comment: "libra:m:12.0:n", Partition: "libra"})
		if taken := err == nil && id == 7; taken != c.taken || !taken && !errors.Is(err, client.ErrRefused) {
			t.Errorf("%s: %d %v", name, id, err)
		}
	}
}
