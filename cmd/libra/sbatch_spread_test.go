package main

import (
	"context"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
)

// fewNodes is a market that has some nodes.
type fewNodes struct {
	*floor
	nodes int
}

func (f *fewNodes) Preview(_ context.Context, _ trade.Identity, r trade.Request) (api.Outcome, error) {
	if r.Spread && r.Procs()/r.PerProgram() > f.nodes {
		return api.Outcome{Refusal: &v1.Refusal{Reason: market.CannotMeetResources.String(), Offers: []v1.Offer{}}}, nil
	}
	return api.Outcome{Quote: &v1.Quote{}}, nil
}

// -N 2-4 is the most nodes on which the market would take the job, and -N 2 is two.
func TestSbatchOnSomeNodes(t *testing.T) {
	for nodes, threads := range map[int]int{9: 3, 3: 4, 2: 6, 1: 6} {
		f := &fewNodes{newFloor(), nodes}
		open(t, f, v1.RoleUser)
		if r := libra(t, "sbatch", "-t", "1", "-Q", "-N", "2-4", "-n", "12", "--wrap", "true"); r.code != exitOK {
			t.Fatalf("%+v", r)
		}
		if got := f.last(t).Submit.Request; got.Threads != threads || !got.Spread || got.Processors != 12 {
			t.Errorf("%d nodes: %d processors in programs of %d, spread %t", nodes, got.Processors, got.Threads, got.Spread)
		}
	}
	f := &fewNodes{newFloor(), 9}
	open(t, f, v1.RoleUser)
	mustLibra(t, "sbatch", "-t", "1", "-Q", "-N", "2", "-n", "4", "--wrap", "true")
	if got := f.last(t).Submit.Request; got.Threads != 2 || !got.Spread || got.Processors != 4 {
		t.Errorf("two nodes: %+v", got)
	}
}

// roomOn is a market whose nodes have room for programs of so many processors.
type roomOn struct {
	*floor
	processors int
	asked      int
	waits      bool // who is taken waits
}

func (f *roomOn) Preview(_ context.Context, _ trade.Identity, r trade.Request) (api.Outcome, error) {
	f.asked++
	if r.PerProgram() > f.processors {
		return api.Outcome{Refusal: &v1.Refusal{Reason: market.CannotMeetResources.String(), Offers: []v1.Offer{}}}, nil
	}
	q := &v1.Quote{PredictedUS: 1}
	if f.waits {
		q.PredictedUS = 0
	}
	return api.Outcome{Quote: q}, nil
}

// -n 8 is on as few nodes as have room, as by sbatch, where Slurm runs the tasks; else wherever there is room.
func TestSbatchPacksTasks(t *testing.T) {
	for _, c := range []struct {
		runs                          string
		processors                    int
		options                       []string
		threads, asked, all, memoryMB int
	}{
		{"slurm", 8, []string{"-n", "8", "--mem=800"}, 8, 1, 8, 100},
		{"slurm", 5, []string{"-n", "8", "--mem=800"}, 4, 2, 8, 200},
		{"slurm", 1, []string{"-n", "8"}, 0, 3, 8, 0},
		{"slurm", 6, []string{"-n", "2", "-c", "3"}, 6, 1, 6, 0},
		{"slurm", 5, []string{"-n", "2", "-c", "3"}, 3, 1, 6, 0},
		{"slurm", 9, []string{"-N", "2", "-n", "4"}, 2, 0, 4, 0},
		{"slurm", 9, []string{"-n", "1"}, 0, 0, 1, 0},
		{"", 8, []string{"-n", "8"}, 0, 0, 8, 0},
		{"slurm", 8, []string{"-n", "8", "--hold"}, 0, 0, 8, 0}, // who waits would wait for one node
		{"slurm", 8, []string{"-n", "8", "--begin=now+60"}, 0, 0, 8, 0},
		{"slurm", -8, []string{"-n", "8"}, 0, 3, 8, 0},
	} {
		f := &roomOn{floor: newFloor(), processors: max(c.processors, -c.processors), waits: c.processors < 0}
		f.prices = v1.Prices{Runs: c.runs}
		open(t, f, v1.RoleUser)
		mustLibra(t, append([]string{"sbatch", "-t", "1", "-Q", "--wrap", "true"}, c.options...)...)
		got := f.last(t).Submit.Request
		if got.Threads != c.threads || f.asked != c.asked || got.Processors != c.all || got.MemoryMB != int64(c.memoryMB) {
			t.Errorf("%s %d: %d processors in programs of %d, %d MB each, asked %d times", c.options, c.processors, got.Processors, got.Threads, got.MemoryMB, f.asked)
		}
	}
}
