package main

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/libra-market/libra/client/v1"
)

// over asks the market.
func (m *bazaar) over(ctx context.Context, j *job) bool {
	stands, err := m.owner.Job(ctx, j.id)
	return err == nil && stands.State.Final()
}

// check holds what the market says of each job to what the job did, to what Slurm says of it, and to itself.
func (m *bazaar) check(ctx context.Context, jobs []*job) (wrong []string, err error) {
	finished := 0
	for _, j := range jobs {
		if j.id == 0 {
			continue
		}
		var said v1.Job
		for range 20 { // the end is heard of a moment later
			if said, err = m.owner.Job(ctx, j.id); err != nil {
				return wrong, err
			}
			if said.State.Final() || j.doneAt().IsZero() {
				break
			}
			time.Sleep(500 * time.Millisecond)
		}
		j.became = fmt.Sprintf("%s %s %q price %.3f charged %.3f of %.3f penalty %.3f", said.State, said.Reason, said.Detail,
			amount(said.Price), amount(said.Charged), amount(*said.Request.Budget), amount(said.Penalty))
		slurm := ""
		if said.Batch != "" {
			if slurm, err = m.c.Run(ctx, "scontrol", "show", "job", said.Batch); err != nil {
				return wrong, err
			}
		}
		if said.State == v1.Stopped && !j.doneAt().IsZero() {
			finished++
		}
		for _, what := range contradictions(j, &said, slurm, m.p.report) {
			wrong = append(wrong, fmt.Sprintf("job %d, %d of the market's, %s of Slurm's: %s", j.number, j.id, said.Batch, what))
		}
	}
	if finished > 0 { // a program that is told to end may be done first, or end well all the same: nobody can tell
		wrong = append(wrong, fmt.Sprintf("%d were told to end, and were done by then", finished))
	}
	_, err = m.owner.VerifyLedger(ctx)
	return wrong, err
}

func amount(micros int64) float64 { return float64(micros) / 1e6 }

// apart is how far two clocks' words on the same event may be from each other: Slurm counts whole seconds, and a
// busy machine takes its time.
const apart = 10 * time.Second

// beats is how many reports a job may take more than it has paid for, beyond its budget, on a node of Slurm's
// (docs/economics.md).
const beats = 3

// contradictions are what cannot all be true of a job.
func contradictions(j *job, said *v1.Job, slurm string, report time.Duration) (wrong []string) {
	add := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	done := j.doneAt()
	switch {
	case !said.State.Final():
		add("it is %s long after its deadline", said.State)
		return wrong
	case said.State == v1.Completed && done.IsZero():
		add("it is completed, and its program was never done")
	case said.State != v1.Completed && said.State != v1.Stopped && !done.IsZero():
		add("it is %s (%s), and its program was done", said.State, said.Detail)
	}
	ended := time.UnixMicro(said.EndedUS)
	if !done.IsZero() && said.State == v1.Completed {
		if d := ended.Sub(done).Abs(); d > apart {
			add("it ended at %s, and says itself %s", clock(ended), clock(done))
		}
		if late := done.Sub(j.due()); said.InTime && late > apart || !said.InTime && late < -apart {
			add("in time: %v, and it was done %s after it was due", said.InTime, late)
		}
	}
	margin := int64(float64(said.Price) * float64(beats*report.Milliseconds()) / float64(said.Request.EstimateMS))
	if most := max(*said.Request.Budget, said.Price+margin+1); said.Charged > most {
		add("%.6f are charged, and %.6f is the most that may be, for its budget is %.6f", amount(said.Charged), amount(most), amount(*said.Request.Budget))
	}
	if said.Penalty > said.Charged && said.State != v1.Lost {
		add("%.6f are paid for its delay, and %.6f charged", amount(said.Penalty), amount(said.Charged))
	}
	if said.Penalty > 0 && (said.InTime || !said.Firm) {
		add("%.6f are paid for its delay; in time: %v, promised: %v", amount(said.Penalty), said.InTime, said.Firm)
	}
	if said.State == v1.Rejected && said.Charged != 0 {
		add("it was refused, and charged %.6f", amount(said.Charged))
	}
	wrong = append(wrong, unlike(said)...)
	for name, at := range map[string]int64{"StartTime": said.BegunUS, "EndTime": said.EndedUS} {
		theirs, known := slurmTime(slurm, name)
		if known && at != 0 && time.UnixMicro(at).Sub(theirs).Abs() > apart {
			add("%s is %s in Slurm, and %s in the market", name, clock(theirs), clock(time.UnixMicro(at)))
		}
	}
	return wrong
}

// unlike says where a receipt is not what the job says, or does not add up.
func unlike(said *v1.Job) (wrong []string) {
	r := said.Receipt
	if r == nil {
		if said.Charged != 0 {
			wrong = append(wrong, "it was charged, and has no receipt")
		}
		return wrong
	}
	sum := int64(0)
	for _, l := range r.Lines {
		sum += l.Amount
	}
	if r.Charged != said.Charged || r.Penalty != said.Penalty || r.Net != r.Charged-r.Penalty || sum != r.Net {
		wrong = append(wrong, fmt.Sprintf("its receipt says %d, less %d, is %d, of lines that are %d; the job says %d and %d",
			r.Charged, r.Penalty, r.Net, sum, said.Charged, said.Penalty))
	}
	return wrong
}

// slurmTime is a time of what scontrol says of a job.
func slurmTime(text, name string) (at time.Time, known bool) {
	found := regexp.MustCompile(`\b` + name + `=(\S+)`).FindStringSubmatch(text)
	if found == nil {
		return at, false
	}
	at, err := time.ParseInLocation("2006-01-02T15:04:05", found[1], time.Local)
	return at, err == nil
}

func clock(t time.Time) string { return t.Format("15:04:05.000") }
