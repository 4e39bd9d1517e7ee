package main

import (
	"context"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/libra-market/libra/core/market"
)

// A controller lives on a small heap that it fills quickly: the collector would
// run many times a second, and whoever is waiting for a quote just then waits for
// it. So it runs when that much has been thrown away, or as much as is in use. A
// simulator does too, and the collector would take a tenth of its time.
const thrownAway = 128 << 20 // bytes

// easeCollector lets the collector run less often, for as long as there is little
// to keep. Who has set GOGC has decided.
func easeCollector(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(collectAt(heapInUse()))
	go func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				debug.SetGCPercent(collectAt(heapInUse()))
			}
		}
	}()
}

// collectAt is by how many per cent a heap of which so much is in use may grow
// before it is collected.
func collectAt(inUse uint64) int {
	const least = 4 << 20 // so does the runtime
	return int(market.Signed(min(max(100, 100*thrownAway/max(inUse, least)), math.MaxInt32)))
}

// heapInUse is what the last collection left.
func heapInUse() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() != metrics.KindUint64 {
		return thrownAway
	}
	return live[0].Value.Uint64()
}
