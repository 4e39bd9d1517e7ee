package main

import "sync"

// stageBars shows one progress bar after the other.
type stageBars struct {
	con   *console
	mu    sync.Mutex
	stage string
	done  int64
	end   func()
}

func (b *stageBars) progress(stage string, done, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = done
	if stage == b.stage {
		return
	}
	b.clear()
	b.stage = stage
	b.end = b.con.progress(stage, total, func() int64 {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.done
	})
}

// clear ends the bar that is shown. The painter asks for progress while it is
// being stopped, so the lock must be free meanwhile.
func (b *stageBars) clear() {
	if b.end != nil {
		end := b.end
		b.end = nil
		b.mu.Unlock()
		end()
		b.mu.Lock()
	}
	b.stage = ""
}

func (b *stageBars) finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
}
