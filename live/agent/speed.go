package agent

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libra-market/libra/core/market"
)

// The speed of a processor is how fast it goes through a fixed mixture of
// integer, floating point and table work, against a fixed reference: about 1 is
// an ordinary core of a server of the 2020s. It is a first guess, for nodes that
// are new to a cluster; an operator who knows better sets Config.Rating.
//
// All processors of the node work at the same time, because that is how they
// will be sold, each for about a fifth of a second in short rounds. The best
// round counts, by processor time, so that what else runs on the machine
// disturbs little; and the slowest processor counts for all.
const (
	speedRounds    = 20
	speedSteps     = 1_000_000     // about 9 ms
	referenceSteps = 115_000_000.0 // a second, of a processor of speed 1
	speedMethod    = "mix-1"       // a change of the above has to change this
	speedTable     = 1 << 14       // entries of 4 bytes: fits into the first caches
	speedSeed      = 0x9E3779B97F4A7C15
)

// measured is a speed that was measured, and of what.
type measured struct {
	Method string  `json:"method"`
	Model  string  `json:"model"`
	CPUs   []int   `json:"cpus"`
	Speed  float64 `json:"speed"`
}

// speedOf measures the node, or remembers what was measured before on the same
// processors: a node should not change its speed with every start.
func speedOf(c Config) (float64, error) {
	path := filepath.Join(c.StateDir, "speed.json")
	now := measured{Method: speedMethod, Model: processorModel(), CPUs: c.CPUs}
	var before measured
	if err := readJSON(path, &before); err == nil && before.Method == now.Method && before.Model == now.Model &&
		slices.Equal(before.CPUs, now.CPUs) && before.Speed > 0 {
		return before.Speed, nil
	}
	var err error
	if now.Speed, err = benchmark(c.CPUs); err != nil {
		return 0, err
	}
	if err = writeReserved(path+".room", path, now); err != nil {
		return 0, fmt.Errorf("remember the speed: %w", err)
	}
	return now.Speed, nil
}

// benchmark measures all processors at once and returns the slowest.
func benchmark(cpus []int) (float64, error) {
	speeds := make([]float64, len(cpus))
	errs := make([]error, len(cpus))
	var all sync.WaitGroup
	for i, cpu := range cpus {
		all.Go(func() { speeds[i], errs[i] = benchmarkOne(cpu) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	return max(math.Round(slices.Min(speeds)*100)/100, 0.01), nil
}

// benchmarkOne runs on one processor; its thread ends with the goroutine.
func benchmarkOne(cpu int) (float64, error) {
	runtime.LockOSThread()
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return 0, fmt.Errorf("measure processor %d: %w", cpu, err)
	}
	table := make([]uint32, speedTable)
	for i := range table {
		table[i] = market.Uint32(market.Signed(market.Bits(i) * 2654435761 & math.MaxUint32))
	}
	best := time.Duration(math.MaxInt64)
	seed := uint64(speedSeed)
	for range speedRounds {
		before := read(unix.CLOCK_THREAD_CPUTIME_ID)
		seed = mixture(table, seed, speedSteps)
		best = min(best, read(unix.CLOCK_THREAD_CPUTIME_ID)-before)
	}
	if seed == 0 { // so that nobody can leave the work out
		return 0, errors.New("measure: the work has vanished")
	}
	return speedSteps / max(best, 1).Seconds() / referenceSteps, nil
}

// mixture does some of everything, each step depending on the one before.
func mixture(table []uint32, x uint64, steps int) uint64 {
	f := 1.0
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		entry := table[x&(speedTable-1)]
		f = float64(f*0.999999) + float64(entry&0xFF)
		x += uint64(entry) * 0x2545F491
	}
	return x | uint64(f)&1 | 1
}

// processorModel is what the machine calls its processors.
func processorModel() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer file.Close() // it was only read
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
