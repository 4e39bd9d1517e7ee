package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A controller lives on a small heap that it fills quickly: the collector would
// run many times a second, and whoever is waiting for a quote just then waits for
// it. While the heap is small, memory is cheaper than that.
const (
	lazyPercent  = 400
	usualPercent = 100
	smallHeap    = 256 << 20 // bytes that are in use
)

// easeCollector lets the collector run less often, for as long as there is little
// to keep. Who has set GOGC has decided.
func easeCollector(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(lazyPercent)
	go func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for lazy := true; ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			metrics.Read(live)
			small := live[0].Value.Kind() == metrics.KindUint64 && live[0].Value.Uint64() < smallHeap
			switch {
			case lazy && !small:
				debug.SetGCPercent(usualPercent)
			case !lazy && small:
				debug.SetGCPercent(lazyPercent)
			}
			lazy = small
		}
	}()
}
