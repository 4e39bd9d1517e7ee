package main

import (
	"runtime"
	"testing"
)

func TestTheCollectorIsLazyWhileThereIsLittle(t *testing.T) {
	for inUse, want := range map[uint64]int{0: 3200, 16 << 20: 800, 128 << 20: 100, 1 << 30: 100} {
		if got := collectAt(inUse); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", inUse, got, want)
		}
	}
	runtime.GC()
	if heapInUse() == 0 {
		t.Error("nothing is in use")
	}
}
