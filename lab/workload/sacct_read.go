package workload

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/core/market"
)

// sacctReader reads the lines of sacct.
type sacctReader struct {
	file    string
	place   *time.Location
	line    int64
	columns map[string]int // by name, in small letters
	names   []string
	fields  []string
	parts   map[string]*market.Where // by partition
}

// SacctFields are those to ask sacct for.
const SacctFields = "JobID,User,State,Submit,Start,End,ElapsedRaw,TimelimitRaw,ReqCPUS,AllocCPUS,ReqTRES,AllocTRES,Partition"

func (r *sacctReader) fail(field string, err error) error {
	return &market.PlaceError{File: r.file, Line: r.line, Field: field, Err: err}
}

// readHead reads the names of the fields.
func (r *sacctReader) readHead(text string) error {
	r.columns = map[string]int{}
	r.names = strings.Split(text, "|")
	for i, name := range r.names {
		name = strings.ToLower(strings.TrimSpace(name))
		if _, twice := r.columns[name]; twice && name != "" {
			return r.fail(name, errors.New("is there twice"))
		}
		r.columns[name] = i
	}
	for _, need := range [][]string{{"JobID"}, {"State"}, {"Submit"}, {"ElapsedRaw", "Elapsed", "End"}, {"ReqCPUS", "AllocCPUS", "NCPUS"}} {
		if !r.hasOne(need) {
			return r.fail(need[0], errors.New("is missing (ask for sacct --parsable2 --format "+SacctFields+")"))
		}
	}
	if !r.hasOne([]string{"ElapsedRaw", "Elapsed"}) && !r.hasOne([]string{"Start"}) {
		return r.fail("Start", errors.New("is missing, and so is Elapsed"))
	}
	return nil
}

func (r *sacctReader) hasOne(names []string) bool {
	for _, name := range names {
		if _, has := r.columns[strings.ToLower(name)]; has {
			return true
		}
	}
	return false
}

// field is the value of a field in this line; "" where there is none.
func (r *sacctReader) field(name string) string {
	if at, has := r.columns[strings.ToLower(name)]; has {
		return strings.TrimSpace(r.fields[at])
	}
	return ""
}

// readJob reads a line; false where it is about no job of its own.
func (r *sacctReader) readJob(text string) (job sacctJob, is bool, err error) {
	r.fields = strings.Split(text, "|")
	if n := len(r.names); len(r.fields) != n {
		return job, false, r.fail("", fmt.Errorf("%d fields, and the first line names %d (a name of a job with a bar in it? leave JobName out)", len(r.fields), n))
	}
	job.line = r.line
	job.id = r.field("JobID")
	if job.id == "" {
		return job, false, r.fail("JobID", errors.New("is empty"))
	}
	if strings.Contains(job.id, ".") {
		return job, false, nil // a step
	}
	if job.count, err = elementsOf(job.id); err != nil {
		return job, false, r.fail("JobID", err)
	}
	if cluster := r.field("Cluster"); cluster != "" {
		job.id = cluster + "/" + job.id
	}
	if job.state, err = parseSacctState(r.field("State")); err != nil {
		return job, false, r.fail("State", err)
	}
	job.user, job.in = r.field("User"), r.partition()
	if err = r.readTimes(&job); err != nil {
		return job, false, err
	}
	return job, true, r.readSize(&job)
}

// partition is whose nodes a job was on; nil: it does not say. One that never ran may name
// several.
func (r *sacctReader) partition() *market.Where {
	name := r.field("Partition")
	if !market.Word(name) {
		return nil
	}
	if r.parts[name] == nil {
		if r.parts == nil {
			r.parts = map[string]*market.Where{}
		}
		r.parts[name] = &market.Where{Partition: name}
	}
	return r.parts[name]
}

// readTimes reads when it was submitted and begun, how long it ran and was to run at most.
func (r *sacctReader) readTimes(job *sacctJob) error {
	var end int64
	for _, t := range []struct {
		name string
		at   *int64
	}{{"Submit", &job.submit}, {"Start", &job.start}, {"End", &end}} {
		at, err := parseSacctTime(r.field(t.name), r.place)
		if err != nil {
			return r.fail(t.name, err)
		}
		*t.at = at
	}
	switch {
	case r.hasOne([]string{"ElapsedRaw"}):
		n, err := parseCount(r.field("ElapsedRaw"))
		if err != nil {
			return r.fail("ElapsedRaw", err)
		}
		job.ran = float64(n)
	case r.hasOne([]string{"Elapsed"}):
		ran, err := parseSacctSpan(r.field("Elapsed"))
		if err != nil {
			return r.fail("Elapsed", err)
		}
		job.ran = ran
	case job.start > 0 && end > job.start:
		job.ran = float64(end - job.start)
	}
	if !(job.ran <= maxSpan) {
		return r.fail("Elapsed", valueError(job.ran, errTooLarge))
	}
	limit, name, err := r.limit()
	if err != nil {
		return r.fail(name, err)
	}
	if !(limit <= maxSpan) {
		return r.fail(name, valueError(limit, errTooLarge))
	}
	job.limit = limit
	return nil
}

// limit is the longest that it was to run; 0: as long as it takes.
func (r *sacctReader) limit() (seconds float64, field string, err error) {
	field = "TimelimitRaw"
	text := r.field(field)
	if text == "" {
		field = "Timelimit"
		text = r.field(field)
	}
	switch strings.ToLower(text) {
	case "", "unlimited", "partition_limit", "invalid":
		return 0, field, nil
	}
	if field == "Timelimit" {
		seconds, err = parseSacctSpan(text)
		return seconds, field, err
	}
	minutes, err := parseCount(text)
	return 60 * float64(minutes), field, err
}

// readSize reads on how many processors it ran.
func (r *sacctReader) readSize(job *sacctJob) error {
	for _, name := range []string{"ReqCPUS", "AllocCPUS", "NCPUS"} {
		n, err := parseCount(r.field(name))
		if err == nil && n > market.MaxWidth {
			err = valueError(float64(n), errTooLarge)
		}
		if err != nil {
			return r.fail(name, err)
		}
		if job.procs == 0 {
			job.procs = n
		}
		if name != "ReqCPUS" {
			job.held = max(job.held, n)
		}
	}
	for _, name := range []string{"ReqTRES", "AllocTRES"} {
		n, err := parseGPUs(r.field(name))
		if err != nil {
			return r.fail(name, err)
		}
		if job.gpus == 0 {
			job.gpus = n
		}
	}
	return nil
}

// parseGPUs reads how many GPUs are in a list such as billing=4,cpu=4,gres/gpu:a100=2,gres/gpu=2:
// those of each kind are in the sum of all, where there is one.
func parseGPUs(text string) (int64, error) {
	sum := int64(0)
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		all := name == "gres/gpu"
		if !all && !strings.HasPrefix(name, "gres/gpu:") {
			continue
		}
		n, err := parseCount(value)
		switch {
		case err != nil:
			return 0, err
		case n > market.MaxGPUs:
			return 0, valueError(float64(n), errTooLarge)
		case all:
			return n, nil
		}
		sum += n
	}
	return min(sum, market.MaxGPUs), nil
}

// parseCount reads a whole number that may be left out.
func parseCount(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q: %w", text, errNotNumber)
	case n < 0:
		return 0, fmt.Errorf("%q: %w", text, errNegative)
	}
	return n, nil
}

// parseSacctTime reads a point in time as sacct writes it, or as SLURM_TIME_FORMAT lets it:
// with a zone, or in seconds. 0: it says that there is none.
func parseSacctTime(text string, place *time.Location) (int64, error) {
	switch strings.ToLower(text) {
	case "", "unknown", "none", "n/a", "0":
		return 0, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 && n < maxSpan {
		return n, nil
	}
	for _, form := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07:00"} {
		if at, err := time.ParseInLocation(form, text, place); err == nil && at.Unix() > 0 {
			return at.Unix(), nil
		}
	}
	return 0, fmt.Errorf("%q is no time (want 2006-01-02T15:04:05, with or without a zone, Unknown or None)", text)
}

// parseSacctSpan reads how long something took: [days-]hours:minutes:seconds, or minutes
// and seconds.
func parseSacctSpan(text string) (float64, error) {
	wrong := fmt.Errorf("%q is no time that something takes (want 1-02:03:04 or 02:03:04)", text)
	if text == "" || strings.EqualFold(text, "invalid") {
		return 0, nil // as sacct says of what never began
	}
	days, clock, dayed := strings.Cut(text, "-")
	if !dayed {
		days, clock = "0", text
	}
	d, err := strconv.ParseUint(days, 10, 32)
	parts := strings.Split(clock, ":")
	if err != nil || len(parts) > 3 || len(parts) < 2 || dayed && len(parts) < 3 {
		return 0, wrong
	}
	total := 0.0
	for i, part := range parts {
		x, err := strconv.ParseFloat(part, 64)
		last := i == len(parts)-1
		if err != nil || !(x >= 0) || !last && x != math.Trunc(x) || x >= 60 && (i > 0 || len(parts) == 2 && last) || strings.Trim(part, "0123456789.") != "" {
			return 0, wrong
		}
		total = total*60 + x
	}
	return float64(d)*86400 + total, nil
}

// elementsOf counts what a number stands for: 12, 12_3 and 12+1 one job, 12_[1-5,9%2] those
// elements of an array that wait.
func elementsOf(id string) (int64, error) {
	_, list, several := strings.Cut(id, "_[")
	if !several {
		return 1, nil
	}
	wrong := fmt.Errorf("%q is no number of a job", id)
	list, closed := strings.CutSuffix(list, "]")
	list, _, _ = strings.Cut(list, "%")
	if !closed && !strings.HasSuffix(id, "...") { // of a long one sacct writes the beginning
		return 0, wrong
	}
	count := int64(0)
	for part := range strings.SplitSeq(list, ",") {
		if part == "..." {
			continue
		}
		span, step, _ := strings.Cut(part, ":")
		from, to, ranged := strings.Cut(span, "-")
		if !ranged {
			to = from
		}
		first, err := parseCount(from)
		last, err2 := parseCount(strings.TrimSuffix(to, "..."))
		by, err3 := parseCount(step)
		if err != nil || err2 != nil || err3 != nil || from == "" || last < first || last > maxSpan {
			return 0, wrong
		}
		count += (last-first)/max(1, by) + 1
	}
	return count, nil
}
