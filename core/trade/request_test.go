package trade

import (
	"math"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

// Whatever a live market takes, its policies may be shown: no request gets past
// the door and is refused by the core, each field at its bounds and beyond.
func TestWhatIsTakenCanBeShown(t *testing.T) {
	money := func(n int64) *int64 { return &n }
	base := Request{Argv: []string{"x"}, EstimateMS: 1000, DeadlineMS: 2000}
	numbers := []int64{math.MinInt64, -1, 0, 1, 2, 3, 1 << 20, 1 << 24, 1<<24 + 1, 1 << 31, 1 << 32, 1<<32 + 2, 1e12, 1e12 + 1, bill.MaxMS, bill.MaxMS + 1, int64(bill.MaxAmount), int64(bill.MaxAmount) + 1, math.MaxInt64}
	fields := map[string]func(*Request, int64){
		"estimate_ms":          func(r *Request, n int64) { r.EstimateMS = n },
		"deadline_ms":          func(r *Request, n int64) { r.DeadlineMS = n },
		"budget_micros":        func(r *Request, n int64) { r.Budget = money(n) },
		"penalty_micros_per_s": func(r *Request, n int64) { r.PenaltyMicros = n },
		"processors":           func(r *Request, n int64) { r.Processors = int(n) },
		"threads":              func(r *Request, n int64) { r.Threads = int(n) },
		"memory_mb":            func(r *Request, n int64) { r.MemoryMB = n },
		"disk_mb":              func(r *Request, n int64) { r.DiskMB = n },
		"class":                func(r *Request, n int64) { r.Class = int(n) },
		"optional.work_ms":     func(r *Request, n int64) { r.Optional = &Optional{WorkMS: n, RateMicros: 1} },
		"optional.rate":        func(r *Request, n int64) { r.Optional = &Optional{WorkMS: 1, RateMicros: n} },
		"array":                func(r *Request, n int64) { r.Array = &Array{Last: int(n)} },
	}
	taken := 0
	check := func(what string, r *Request) {
		if r.Validate() != nil {
			return
		}
		taken++
		for _, lanes := range []int{1, 7, market.MaxWidth} {
			j := r.Asked(1, "a", 5, lanes)
			if err := j.Validate(); err != nil {
				t.Errorf("%s was taken, and the core says %v", what, err)
			}
		}
	}
	for one, setOne := range fields {
		for other, setOther := range fields {
			for _, n := range numbers {
				for _, m := range numbers {
					r := base
					setOne(&r, n)
					setOther(&r, m)
					check(one+" and "+other, &r)
				}
			}
		}
	}
	if taken < 1000 {
		t.Errorf("only %d requests were taken: the test says little", taken)
	}
}

// Who asks for too much is told how much may be asked for.
func TestWhatIsTooLargeIsToldTheLargest(t *testing.T) {
	most := int64(math.MaxInt64)
	for field, r := range map[string]Request{
		"estimate_ms":          {EstimateMS: most},
		"deadline_ms":          {EstimateMS: 1, DeadlineMS: most},
		"budget_micros":        {EstimateMS: 1, Budget: &most},
		"penalty_micros_per_s": {EstimateMS: 1, DeadlineMS: 1, PenaltyMicros: most},
		"processors":           {EstimateMS: 1, Processors: math.MaxInt},
		"memory_mb":            {EstimateMS: 1, MemoryMB: most},
		"optional.work_ms":     {EstimateMS: 1, Optional: &Optional{WorkMS: most}},
	} {
		if err := r.ValidateTerms(); err == nil || !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), "at most 1") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// The names of files are filled in for each rank of a job, and kept: one is no longer than a node
// could open.
func TestNamesOfFilesAreBounded(t *testing.T) {
	long := "/" + strings.Repeat("x", MaxPath)
	for field, r := range map[string]Request{"dir": {Dir: long}, "output": {Output: long}, "error": {Error: long}} {
		r.Argv = []string{"true"}
		err := r.ValidateProgram()
		if err == nil || !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), "at most 4096 bytes") {
			t.Errorf("%s: %v", field, err)
		}
		if err = r.AsBefore().ValidateProgram(); err != nil {
			t.Errorf("%s of the first version: %v", field, err)
		}
	}
	r := Request{Argv: []string{"true"}, Dir: long[1:], Output: long[1:], Error: long[1:]}
	r.Dir = "/" + r.Dir[1:]
	if err := r.ValidateProgram(); err != nil {
		t.Error(err)
	}
}
