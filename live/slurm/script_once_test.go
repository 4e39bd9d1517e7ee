package slurm

import (
	"runtime"
	"testing"

	"github.com/libra-market/libra/core/task"
)

// There is a script of every job, of some thousand letters: it is not put together piece by piece,
// each time anew.
func TestAScriptIsPutTogetherOnce(t *testing.T) {
	specs := []task.Spec{{Size: 1, Nodes: []string{"n1"}, User: "ann", Name: "true", Argv: []string{"true"}, Dir: "/d", Output: "o", Error: "o"}}
	text, err := Script(specs)
	if err != nil {
		t.Fatal(err)
	}
	const scripts = 100
	least := uint64(1 << 62) // others may be at work beside it
	for range 20 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range scripts {
			_, _ = Script(specs)
		}
		runtime.ReadMemStats(&after)
		least = min(least, (after.TotalAlloc-before.TotalAlloc)/scripts)
	}
	most := uint64(4 * len(text))
	if raced {
		most *= 2 // the pools of fmt forget some of what they are given then
	}
	if least > most {
		t.Errorf("a script of %d bytes takes %d bytes of memory, want %d at most", len(text), least, most)
	} else {
		t.Logf("%d bytes, %d of memory", len(text), least)
	}
}
