package journal

import (
	"testing"

	"github.com/libra-market/libra/core/meter"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// What is read back is what was measured, of every processor; what cannot be true is
// said and not made so.
func TestReadings(t *testing.T) {
	job := func(id int64, work int64, tasks ...meter.Task) *underway.Job {
		j := &underway.Job{Job: trade.Job{ID: id, Work: work}}
		for _, m := range tasks {
			j.Ranks = append(j.Ranks, underway.Rank{Task: m})
		}
		return j
	}
	var r Readings
	said := []*underway.Job{
		job(3, 1500, meter.Task{CPUUS: 1_500_000, Had: 1.5}),
		job(7, 2000, meter.Task{CPUUS: 2_000_000, Had: 2}, meter.Task{CPUUS: 0, Had: 0.1}),
	}
	for _, j := range said {
		r = r.Add(j)
	}
	jobs := map[int64]*underway.Job{3: job(3, 0, meter.Task{}), 7: job(7, 9, meter.Task{CPUUS: 5}, meter.Task{CPUUS: 5}), 8: job(8, 4, meter.Task{Had: 4})}
	if err := r.apply(jobs); err != nil {
		t.Fatal(err)
	}
	for _, want := range append(said, job(8, 4, meter.Task{Had: 4})) {
		got := jobs[want.ID]
		if got.Work != want.Work {
			t.Errorf("job %d: %d ms, want %d", want.ID, got.Work, want.Work)
		}
		for i := range want.Ranks {
			if got.Ranks[i].Task != want.Ranks[i].Task {
				t.Errorf("job %d, processor %d: %+v, want %+v", want.ID, i, got.Ranks[i].Task, want.Ranks[i].Task)
			}
		}
	}
	for name, bad := range map[string]Readings{
		"cut short":                     r[:len(r)-1],
		"of a job that is not there":    Readings(nil).Add(job(9, 1, meter.Task{})),
		"of a processor it is not on":   Readings(nil).Add(job(3, 1, meter.Task{}, meter.Task{})),
		"of a processor that cannot be": append(append(Readings(nil).Add(said[0])[:16], 255, 255, 255, 255, 255, 255, 255, 255), Readings(nil).Add(said[0])[24:]...),
	} {
		if err := bad.apply(jobs); err == nil {
			t.Errorf("what is %s was believed", name)
		}
	}
}
