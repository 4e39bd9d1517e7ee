package slurm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
)

// queue is where jobs want to be let in, some of which the market refuses, or does not take now.
type queue struct {
	mu      sync.Mutex
	waiting []Waiting
	begun   []int64
	said    map[int64]string
	asked   int // how often it was said what one asks for
	spoke   int // how often jobs were told what they wait for
	refuses map[int64]bool
	away    bool
}

func (q *queue) Knocks() <-chan struct{} { return nil }

func (q *queue) Due(_ context.Context, known func(int64) bool) (ids []int64, news []Waiting, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting {
		if ids = append(ids, w.Job); !known(w.Job) {
			q.asked++
			news = append(news, w)
		}
	}
	return ids, news, nil
}

func (q *queue) LetIn(_ context.Context, job int64) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.away {
		return false, errors.New("the store is away")
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(w Waiting) bool { return w.Job == job })
	if q.refuses[job] {
		return false, nil
	}
	q.begun = append(q.begun, job)
	return true, nil
}

func (q *queue) Bar(_ context.Context, jobs []int64, why string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.spoke++
	for _, id := range jobs {
		q.said[id] = why
	}
	return nil
}

// strictSlurm counts jobs, and how often it is asked.
type strictSlurm struct {
	client.Slurm
	most, others int // of each user: so many at a time, and so many of her own
	asked        int
	silent       bool
}

func (s *strictSlurm) Limits(context.Context, string) (*limit.Site, error) {
	if s.asked++; s.silent {
		return nil, errors.New("slurmctld is away")
	}
	said := limit.Said{Partition: "PartitionName=libra\n", Config: "AccountingStorageEnforce = limits\n", Manager: "ClusterName=c Account=physics UserName= Partition= ID=2\n    ParentAccount=\n"}
	for i, user := range []string{"ann", "bob"} {
		said.Manager += fmt.Sprintf("ClusterName=c Account=physics UserName=%s(%d) Partition= ID=%d\n    DefAssoc=Yes\n    MaxJobs=%d(%d)\n", user, 7+i, 3+i, s.most, s.others)
	}
	return limit.Read(said), nil
}

// ushered is a backend before whose doors some wait; ann's job runs.
func ushered(t *testing.T, most int, waiting ...Waiting) (*Backend, *queue, *strictSlurm, func() bool) {
	t.Helper()
	b, _ := idle(t, Agents)
	now := noon
	b.cfg.Now = func() time.Time { return now }
	s, q := &strictSlurm{Slurm: b.slurm, most: most}, &queue{waiting: waiting, said: map[int64]string{}, refuses: map[int64]bool{}}
	b.slurm, b.cfg.Doors = s, q
	return b, q, s, func() (waits bool) {
		now = now.Add(time.Second) // what Slurm has said is good for submissions
		waits, _ = b.lookAtDoors(t.Context())
		b.going.Wait()
		return waits
	}
}

func wants(job int64, user string) Waiting {
	return Waiting{Job: job, User: user, Request: trade.Request{EstimateMS: 1000}}
}

// As many are let in as there is room for, the oldest first; the others are told once what they wait for, those who ask for
// the same are not looked at one by one, and nothing is asked about anybody twice.
func TestAsManyAreLetInAsThereIsRoomFor(t *testing.T) {
	b, q, s, look := ushered(t, 2, wants(11, "ann"), wants(12, "ann"), wants(13, "bob"), wants(14, "ann"))
	if !look() {
		t.Error("nobody waits on")
	}
	slices.Sort(q.begun)
	const why = "room within MaxJobs=2 of user ann in account physics"
	if !slices.Equal(q.begun, []int64{11, 13}) || q.said[12] != why || q.said[14] != why || len(q.said) != 2 {
		t.Errorf("begun: %v; told: %v", q.begun, q.said)
	}
	asked, spoke := s.asked, q.spoke
	for range 3 {
		if !look() {
			t.Error("nobody waits on")
		}
	}
	if q.asked != 4 || q.spoke != spoke || s.asked != asked+3 || len(q.begun) != 2 {
		t.Errorf("they were asked %d times what they want, told %d times, and Slurm was asked %d times; begun: %v", q.asked, q.spoke, s.asked-asked, q.begun)
	}
	b.mu.Lock()
	r := b.runs[runKey{5, 0}]
	b.hasLeft() // what came before
	r.state = ended
	r.moved()
	b.hasLeft()
	b.gate.drop(11) // it has ended, too
	b.mu.Unlock()
	select {
	case <-b.ushers.again:
	default:
		t.Error("one has ended, and nobody is looked at again")
	}
	s.others = 1 // one of Slurm's own was there first
	if look(); !slices.Equal(q.begun[2:], []int64{12}) || q.said[14] != why {
		t.Errorf("begun: %v", q.begun)
	}
	b.mu.Lock()
	b.gate.drop(12)
	b.mu.Unlock()
	if s.others = 2; !look() || len(q.begun) != 3 {
		t.Errorf("Slurm's own have all the room, and begun: %v", q.begun)
	}
	if s.others = 0; look() || len(q.begun) != 4 {
		t.Errorf("begun: %v", q.begun)
	}
	if look() || len(b.ushers.known) != 0 {
		t.Errorf("%d are known still", len(b.ushers.known))
	}
}

// The room of one whom the market refuses, or who is not let in as something is away, is another's, or its own, with
// the next look.
func TestWhoIsRefusedKeepsNoRoom(t *testing.T) {
	_, q, _, look := ushered(t, 2, wants(11, "ann"), wants(12, "ann"))
	q.away = true
	look()
	q.away, q.refuses[11] = false, true
	if look(); len(q.begun) != 0 {
		t.Errorf("begun: %v", q.begun)
	}
	if look(); !slices.Equal(q.begun, []int64{12}) {
		t.Errorf("begun: %v", q.begun)
	}
}

// Where Slurm has never said what its limits are, nobody is let in. Where it has, its last word counts.
func TestNobodyIsLetInPastAnUnknownLimit(t *testing.T) {
	_, q, s, look := ushered(t, 2, wants(11, "ann"), wants(12, "ann"))
	s.silent = true
	if !look() || len(q.begun) > 0 || q.said[11] != silentSlurm {
		t.Errorf("begun: %v, told: %v", q.begun, q.said)
	}
	s.silent = false
	look()
	q.waiting = append(q.waiting, wants(13, "bob"))
	s.silent = true
	look()
	if slices.Sort(q.begun); !slices.Equal(q.begun, []int64{11, 13}) {
		t.Errorf("begun: %v", q.begun)
	}
}
