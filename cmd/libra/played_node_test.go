package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/link"
)

// playedNode speaks for a node over the API as an agent does, and runs nothing: it
// says that every task has had what it was ordered to have.
type playedNode struct {
	name string
	link *link.Node

	mu      sync.Mutex
	orders  map[task.Key]task.Order
	had     map[task.Key]float64 // processor time, in microseconds
	told    time.Time            // when that was reckoned
	reports *atomic.Int64
}

// playNodes lets so many nodes of a size join, and play until the benchmark is over.
func playNodes(b *testing.B, s *service, nodes, processors int) (reports *atomic.Int64) {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	var all sync.WaitGroup
	b.Cleanup(func() { stop(); all.Wait() })
	reports = new(atomic.Int64)
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		token, err := s.makeToken(ctx, name, v1.RoleNode, "bench")
		if err != nil {
			b.Fatal(err)
		}
		to, err := client.New(s.url(), token, client.Options{})
		if err != nil {
			b.Fatal(err)
		}
		n := &playedNode{name: name, link: link.New(to, name), orders: map[task.Key]task.Order{}, had: map[task.Key]float64{}, told: time.Now(), reports: reports}
		hello := task.Hello{Node: name, Processors: processors, Rating: 1, Speed: 1, MemoryMB: 1 << 20, DiskMB: 1 << 20, Boot: "b"}
		if _, err := n.link.Register(ctx, hello); err != nil {
			b.Fatal(err)
		}
		every := 5 * time.Second
		all.Go(func() { n.obey(ctx) })
		all.Go(func() { n.tell(ctx, every*time.Duration(i)/time.Duration(nodes), every) })
	}
	return reports
}

// obey hears what is to be done as soon as that changes.
func (n *playedNode) obey(ctx context.Context) {
	for after := int64(-1); ctx.Err() == nil; {
		d, err := n.link.Desired(ctx, n.name, after)
		if err != nil {
			after = -1
			continue
		}
		after = d.Version
		n.mu.Lock()
		n.reckon()
		clear(n.orders)
		for _, o := range d.Orders {
			n.orders[o.Spec.Key] = o
		}
		n.mu.Unlock()
	}
}

// tell says every so often how far the tasks are.
func (n *playedNode) tell(ctx context.Context, first, every time.Duration) {
	for wait := first; ; wait = every {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if _, err := n.link.Report(ctx, n.report()); err == nil {
			n.reports.Add(1)
		}
	}
}

func (n *playedNode) report() task.Report {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reckon()
	r := task.Report{Node: n.name}
	for key := range n.orders {
		r.Tasks = append(r.Tasks, task.Status{Key: key, State: task.Running, CPUUS: int64(n.had[key])})
	}
	return r
}

// reckon adds what the tasks have had since it was last reckoned.
func (n *playedNode) reckon() {
	now := time.Now()
	for key, o := range n.orders {
		n.had[key] += o.CPU * float64(now.Sub(n.told).Microseconds())
	}
	n.told = now
}
