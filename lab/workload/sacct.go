package workload

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/core/market"
)

// Sacct is the history of a Slurm cluster as sacct --parsable2 prints it: a line of the
// names of fields, then one for each job, its fields between bars. It is a [Source] of the
// jobs that ran and have ended, in order of submission; their times are seconds since the
// first. Deadlines and budgets Slurm does not know.
//
// Elements of an array are jobs of their own, steps are none. What was begun again (after
// a requeue, or the loss of its node; sacct --duplicates lists each time) is one job,
// submitted when it was first and as long as its last run. A number that Slurm has given
// out again is another job.
type Sacct struct {
	header Header
	jobs   []sacctJob
	left   int // to be handed out from here
	out    SacctLeft
	gpus   bool // they are told of jobs
}

// SacctLeft counts what is in the history and is no job to replay.
type SacctLeft struct {
	NeverRan  int64 // cancelled before it began, or waiting still
	Underway  int64 // nobody knows yet how long they take
	Shapeless int64 // it does not say on how many processors, or when
	GPUs      int64 // jobs that are told of without their GPUs
}

// sacctJob is one job, or one time that it was begun.
type sacctJob struct {
	id       string
	user     string
	in       *market.Where // its partition
	state    sacctState
	submit   int64 // unix seconds, as the rest
	start    int64
	ran      float64 // seconds
	limit    float64 // seconds; 0: none
	procs    int64   // that it asked for
	held     int64   // that it had
	gpus     int64   // in all
	count    int64   // jobs that the line is about: of an array that waits, several
	line     int64
	again    int // which of the jobs of this number it is, from 0
	finished bool
}

// end is when it ended.
func (j *sacctJob) end() float64 { return float64(j.start) + j.ran }

// isSacct reports whether a file that begins so is one of sacct's: its first line names
// fields, with bars between them.
func isSacct(start []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n \t"), []byte("\n"))
	return slices.ContainsFunc(strings.Split(strings.TrimSpace(string(line)), "|"), func(name string) bool {
		return strings.EqualFold(name, "JobID")
	}) && bytes.IndexByte(line, '|') >= 0
}

// NewSacct reads all of a history. Times that do not say their zone are of the place given.
func NewSacct(in io.Reader, name string, place *time.Location) (*Sacct, error) {
	r := &sacctReader{file: name, place: place}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	var all []sacctJob
	for lines.Scan() {
		r.line++
		text := strings.TrimRight(lines.Text(), "\r")
		switch {
		case strings.TrimSpace(text) == "":
			continue
		case r.columns == nil:
			if err := r.readHead(text); err != nil {
				return nil, err
			}
			continue
		}
		job, is, err := r.readJob(text)
		if err != nil {
			return nil, err
		}
		if is {
			all = append(all, job)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, &market.PlaceError{File: name, Line: r.line + 1, Err: err}
	}
	if r.columns == nil {
		return nil, &market.PlaceError{File: name, Err: errors.New("empty")}
	}
	s := &Sacct{}
	s.keep(onceEach(all))
	s.describe()
	return s, nil
}

// onceEach makes one job of all the times that it was begun.
func onceEach(all []sacctJob) []sacctJob {
	slices.SortStableFunc(all, func(a, b sacctJob) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.submit, b.submit), cmp.Compare(a.start, b.start), cmp.Compare(a.line, b.line))
	})
	var once []sacctJob
	for _, job := range all {
		if len(once) == 0 || once[len(once)-1].id != job.id {
			once = append(once, job)
			continue
		}
		last := &once[len(once)-1]
		switch {
		case last.submit == job.submit && last.start == job.start && last.state == job.state:
			// Files that were put together may say the same twice.
		case last.state.begunAgain():
			job.submit, job.again = last.submit, last.again
			if last.state == sacctResized {
				job.start, job.ran = last.start, job.ran+last.ran
			}
			*last = job
		default:
			job.again = last.again + 1
			once = append(once, job)
		}
	}
	return once
}

// keep takes the jobs that can be replayed, in order of submission.
func (s *Sacct) keep(jobs []sacctJob) {
	for i := range jobs {
		j := &jobs[i]
		switch {
		case j.state == sacctUnderway:
			s.out.Underway += j.count
		case j.state == sacctWaits || j.state == sacctRequeued || j.state == sacctCancelled && j.ran == 0:
			s.out.NeverRan += j.count
		case j.procs <= 0 || j.submit == 0:
			s.out.Shapeless += j.count
		default:
			j.finished = j.state == sacctEnded || j.state == sacctCancelled
			s.jobs = append(s.jobs, *j)
		}
	}
	slices.SortStableFunc(s.jobs, func(a, b sacctJob) int { return cmp.Or(cmp.Compare(a.submit, b.submit), cmp.Compare(a.line, b.line)) })
}

// describe says how large the cluster was at least.
func (s *Sacct) describe() {
	s.header.Add("Version", "2.2")
	s.header.Add("Conversion", "libra, of sacct")
	if len(s.jobs) > 0 {
		s.header.Add("UnixStartTime", strconv.FormatInt(s.jobs[0].submit, 10))
		s.header.Add("MaxProcs", fmt.Sprintf("%d (that were in use at once)", s.inUse()))
	}
}

// inUse is how many processors jobs had at the same time, at most.
func (s *Sacct) inUse() int64 {
	type change struct {
		at float64
		by int64
	}
	var changes []change
	most := int64(0)
	for i := range s.jobs {
		j := &s.jobs[i]
		most = max(most, j.procs) // one that was never given what it asked for could not be replayed on less
		if j.start > 0 {
			held := max(j.procs, j.held)
			changes = append(changes, change{float64(j.start), held}, change{j.end(), -held})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	now := int64(0)
	for _, c := range changes {
		now += c.by
		most = max(most, now)
	}
	return most
}

// Header says when it began, and how many processors were in use at once.
func (s *Sacct) Header() *Header { return &s.header }

// Left is what was left out.
func (s *Sacct) Left() SacctLeft { return s.out }

// label is under which name a job is known.
func (j *sacctJob) label() string {
	if j.again > 0 {
		return fmt.Sprintf("%s#%d", j.id, j.again+1)
	}
	return j.id
}

// Next hands the next job out.
func (s *Sacct) Next(a *Arrival) error {
	if s.left >= len(s.jobs) {
		return io.EOF
	}
	j := &s.jobs[s.left]
	s.left++
	*a = Arrival{Actual: market.Work(max(1, j.ran)), Number: int64(s.left)}
	a.Job.Name, a.Job.Owner, a.Job.Where = j.label(), market.Account(j.user), j.in
	a.Job.Submit, a.Job.Width = market.Time(j.submit-s.jobs[0].submit), int32(j.procs) //nolint:gosec // it was checked when it was read
	a.Job.Estimate = a.Actual
	if j.limit > 0 {
		a.Job.Estimate = market.Work(j.limit)
	}
	a.Job.SLA.Deadline, a.Job.SLA.Budget = market.Never, market.Unlimited
	if !s.gpus && j.gpus > 0 {
		s.out.GPUs++
	}
	if s.gpus && j.gpus > 0 {
		a.Job.GPUs, a.Job.Threads = j.devices()
	}
	return nil
}

// TellGPUs has it tell of the GPUs of jobs from now on: where no node has any, such a job
// could not be replayed.
func (s *Sacct) TellGPUs() { s.gpus = true }

// devices is how many GPUs each program of a job has, and of how many processors it is: so
// many programs as share both out evenly, as Slurm does not say which are together.
func (j *sacctJob) devices() (gpus, threads int32) {
	programs, rest := j.gpus, j.procs
	for rest != 0 {
		programs, rest = rest, programs%rest
	}
	return int32(j.gpus / programs), int32(j.procs / programs) //nolint:gosec // they were checked when they were read
}

// Finished is when each job ended, by its name and on the clock of the arrivals. Those that
// were lost, or ended by Slurm past a deadline, are not there.
func (s *Sacct) Finished() map[string]market.Time {
	ends := make(map[string]market.Time, len(s.jobs))
	for i := range s.jobs {
		if j := &s.jobs[i]; j.finished && j.start > 0 {
			ends[j.label()] = market.Time(j.end() - float64(s.jobs[0].submit))
		}
	}
	return ends
}
