package experiment

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"

	"github.com/libra-market/libra/lab/workload"
)

// Trace is the log on which 000 and 001 are repeated: SDSC SP2 where there is
// a file of it, otherwise something made up, and then every figure says so.
type Trace struct {
	Name  string
	Made  bool // up
	Nodes int
	// Sum tells one trace from another: a hash of the jobs in use.
	Sum  string
	jobs []workload.Arrival
	cut  map[int]*Base
}

// traceJobs is what the papers use at most: the last 5000 (000).
const traceJobs = 5000

// OpenTrace reads the end of a log, as much as the papers use.
func OpenTrace(path string) (*Trace, error) {
	file, err := workload.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	jobs, err := workload.Last(file, traceJobs)
	if err != nil {
		return nil, err
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("%s: no jobs in it", path)
	}
	workload.Sort(jobs)
	t := &Trace{Name: filepath.Base(path), Nodes: paperNodes, jobs: jobs}
	if header := file.Header(); header != nil && header.Processors() > 0 {
		t.Nodes = header.Processors()
	}
	t.seal()
	return t, nil
}

// paperNodes is the machine of 000 and 001.
const paperNodes = 128

// MakeTrace makes up a log as busy as the papers' selection (an offered load
// of 0.887), after Lublin and Feitelson.
func MakeTrace() (*Trace, error) {
	model := workload.NewLublin()
	model.Jobs, model.Nodes, model.Load = traceJobs, paperNodes, 0.887
	src, err := model.Source(1)
	if err != nil {
		return nil, err
	}
	jobs, err := workload.Load(src)
	if err != nil {
		return nil, err
	}
	t := &Trace{Name: "made up after Lublin and Feitelson (2003)", Made: true, Nodes: paperNodes, jobs: jobs}
	t.seal()
	return t, nil
}

// seal works out the hash.
func (t *Trace) seal() {
	sum := sha256.New()
	var word [8]byte
	for i := range t.jobs {
		a := &t.jobs[i]
		for _, x := range []float64{float64(a.Job.Submit), float64(a.Actual), float64(a.Job.Estimate), float64(a.Job.Width)} {
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(x))
			sum.Write(word[:])
		}
	}
	t.Sum = hex.EncodeToString(sum.Sum(nil))[:16]
	t.cut = map[int]*Base{}
}

// Last gives the last n jobs, the same value every time.
func (t *Trace) Last(n int) *Base {
	n = min(n, len(t.jobs))
	if t.cut[n] == nil {
		t.cut[n] = &Base{Name: t.Name, Arrivals: t.jobs[len(t.jobs)-n:]}
	}
	return t.cut[n]
}

// describe names the selection for the small print of a figure.
func (t *Trace) describe(n int) string {
	n = min(n, len(t.jobs))
	if t.Made {
		return fmt.Sprintf("No log was given: %s jobs made up after Lublin and Feitelson (2003), on %d nodes.", thousands(n), t.Nodes)
	}
	return fmt.Sprintf("The last %s jobs of %s on %d nodes.", thousands(n), t.Name, t.Nodes)
}

// means are the averages that the papers state of their selections.
func (t *Trace) means(n int) (gap, runtime, procs float64) {
	jobs := t.Last(n).Arrivals
	for i := range jobs {
		runtime += float64(jobs[i].Actual)
		procs += float64(jobs[i].Job.Width)
	}
	count := float64(len(jobs))
	if len(jobs) > 1 {
		gap = float64(jobs[len(jobs)-1].Job.Submit-jobs[0].Job.Submit) / (count - 1)
	}
	return gap, runtime / count, procs / count
}

func thousands(n int) string {
	if n >= 1000 {
		return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
	}
	return fmt.Sprint(n)
}
