package directive

import (
	"fmt"
	"strings"

	"github.com/libra-market/libra/client/v1"
)

// Follows are jobs that one waits for, by what has to come of them.
type Follows struct {
	OK     []int64 // they succeed
	Any    []int64 // they end
	Failed []int64 // they do not succeed
}

// Into adds them to what a request waits for.
func (f *Follows) Into(r *v1.Request) {
	r.After = append(r.After, f.OK...)
	r.AfterAny = append(r.AfterAny, f.Any...)
	r.AfterFailed = append(r.AfterFailed, f.Failed...)
}

// None reports whether there is none to wait for.
func (f *Follows) None() bool { return len(f.OK)+len(f.Any)+len(f.Failed) == 0 }

// of are those of a kind of dependency.
func (f *Follows) of(kind string) *[]int64 {
	switch kind {
	case "afterok":
		return &f.OK
	case "afterany":
		return &f.Any
	case "afternotok":
		return &f.Failed
	}
	return nil
}

// follow reads what a job waits for. To sbatch a number is what sbatch has printed before:
// that of the batch system, where there is one.
func (o *occurrence) follow() error {
	o.Singleton = false
	var rest []string
	for part := range strings.SplitSeq(o.value, ",") {
		if part == "singleton" {
			o.Singleton = true
			continue
		}
		rest = append(rest, part)
	}
	var printed, own Follows
	if len(rest) > 0 {
		var err error
		if printed, own, err = dependencies(strings.Join(rest, ",")); err != nil {
			return err
		}
	}
	o.follows(printed, own)
	return nil
}

// follows has a job wait for others, and for no others that were named before.
func (o *occurrence) follows(printed, own Follows) {
	o.Request.After, o.Request.AfterAny, o.Request.AfterFailed, o.Printed = nil, nil, nil, Follows{}
	if o.sbatch {
		o.Printed = printed
	} else {
		printed.Into(&o.Request)
	}
	own.Into(&o.Request)
}

// dependencies reads afterok:12:13,afterany:14, alike for Slurm and PBS: numbers as they
// were printed, and after the word libra Libra's own, afterok:libra:12.
func dependencies(text string) (printed, own Follows, err error) {
	for part := range strings.SplitSeq(text, ",") {
		kind, list, found := strings.Cut(part, ":")
		if !found || printed.of(kind) == nil {
			return printed, own, fmt.Errorf("%q (%s)", part, otherKind(kind))
		}
		for more := true; more; {
			var word string
			word, list, more = strings.Cut(list, ":")
			to := printed.of(kind)
			if word == "libra" && more {
				to = own.of(kind)
				word, list, more = strings.Cut(list, ":")
			}
			ids, err := jobs(word)
			if err != nil {
				return printed, own, err
			}
			*to = append(*to, ids...)
		}
	}
	return printed, own, nil
}

// otherKind says what to do instead of a dependency that there is not.
func otherKind(kind string) string {
	switch kind {
	case "after":
		return "a job cannot wait for the start of another: say afterany:JOB, or let the other one submit it"
	case "aftercorr":
		return "an array is one job here: say afterok:JOB, which waits for all its elements"
	case "afterburstbuffer":
		return "there are no burst buffers here: say afterok:JOB"
	}
	return "want afterok:JOB, afterany:JOB, afternotok:JOB or singleton, all of which must hold: with commas between them"
}
