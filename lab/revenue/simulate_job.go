package revenue

// Job is one job of the simulated cluster.
type Job struct {
	Arrival float64 // seconds
	Length  float64 // seconds
	Class   int32   // number of its class in the system
	Width   int32   // processors
}

// Fate is what became of a job.
type Fate uint8

// The fates. A job still waiting when the period ends has none.
const (
	Waiting  Fate = iota
	Ran           // started, and earned what its delay left of its value
	Expired       // waited to its limit, left, and cost a penalty
	Rejected      // not admitted, or wider than the cluster
)

var fateNames = [...]string{"waiting", "run", "expired", "rejected"}

// String is the name that tables use.
func (f Fate) String() string { return fateNames[f] }

// Outcome says what became of a job. Time is when it started or left: of a
// rejected job, when it arrived.
type Outcome struct {
	Fate    Fate
	Time    float64
	Delay   float64
	Revenue float64
}

// Tally sums up jobs.
type Tally struct {
	Arrived      int64
	Ran          int64
	Expired      int64
	Rejected     int64
	Revenue      float64 // of those that ran, less the penalties of the expired
	Delay        float64 // sum over those that ran
	ExpiredDelay float64
	Busy         float64 // processor-seconds inside the period
}

// Add adds the jobs of another tally.
func (t *Tally) Add(u *Tally) {
	t.Arrived += u.Arrived
	t.Ran += u.Ran
	t.Expired += u.Expired
	t.Rejected += u.Rejected
	t.Revenue += u.Revenue
	t.Delay += u.Delay
	t.ExpiredDelay += u.ExpiredDelay
	t.Busy += u.Busy
}

// PerJob is the revenue of a job that started or expired.
func (t *Tally) PerJob() float64 { return ratio(t.Revenue, float64(t.Ran+t.Expired)) }

// MeanDelay is the mean delay of the jobs that started or expired.
func (t *Tally) MeanDelay() float64 { return ratio(t.Delay+t.ExpiredDelay, float64(t.Ran+t.Expired)) }

// MeanWait is the mean delay of the jobs that started.
func (t *Tally) MeanWait() float64 { return ratio(t.Delay, float64(t.Ran)) }

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
