package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/underway"
)

// Readings is what was measured of tasks that go on, packed: nodes say it of every task
// all the time, and nothing else of their jobs is new.
type Readings []byte

// readingSize is a job's number and how far it is, and of one of its processors which,
// its processor time and its work.
const readingSize = 5 * 8

// Add packs what was measured of a job.
func (r Readings) Add(j *underway.Job) Readings {
	for i := range j.Ranks {
		t := &j.Ranks[i]
		for _, n := range [...]uint64{
			market.Bits(j.ID), market.Bits(j.Work), market.Bits(int64(i)), market.Bits(t.CPUUS), math.Float64bits(float64(t.Had)),
		} {
			r = binary.LittleEndian.AppendUint64(r, n)
		}
	}
	return r
}

// apply makes jobs as far as they were measured to be.
func (r Readings) apply(jobs map[int64]*underway.Job) error {
	if len(r)%readingSize != 0 {
		return errors.New("what was measured of jobs is cut short")
	}
	for ; len(r) > 0; r = r[readingSize:] {
		number := func(k int) int64 { return market.Signed(binary.LittleEndian.Uint64(r[8*k:])) }
		id, rank := number(0), number(2)
		j := jobs[id]
		if j == nil || rank < 0 || rank >= int64(len(j.Ranks)) {
			return fmt.Errorf("job %d was measured on processor %d and is not there", id, rank)
		}
		t := &j.Ranks[rank]
		j.Work, t.CPUUS = number(1), number(3)
		t.Had = market.Work(math.Float64frombits(binary.LittleEndian.Uint64(r[32:])))
	}
	return nil
}
