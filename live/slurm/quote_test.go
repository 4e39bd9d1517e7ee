package slurm

import (
	"runtime"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/task"
)

// A name of nothing but patterns becomes a word of a shell without being copied for each of them.
func TestLongNamesAreQuotedAtOnce(t *testing.T) {
	name := strings.Repeat("%b", 20_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := quoteWith(name, map[byte]string{task.BatchLetter: "SLURM_JOB_ID"})
	runtime.ReadMemStats(&after)
	if n := strings.Count(got, `"$SLURM_JOB_ID"`); n != 20_000 {
		t.Errorf("%d numbers", n)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d MB for a name of %d KB", used>>20, len(name)>>10)
	}
}
