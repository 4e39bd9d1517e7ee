package directive

import (
	"fmt"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
)

// Follows are jobs that one waits for, by what has to come of them.
type Follows struct {
	OK     []int64    // they succeed
	Any    []int64    // they end
	Failed []int64    // they do not succeed
	Begun  []v1.Begun // they begin, or end
	Each   []int64    // their elements succeed, each for that of its number
	Parts  []v1.Ahead // elements that succeed, or do not
}

// Into adds them to what a request waits for.
func (f *Follows) Into(r *v1.Request) {
	r.After = append(r.After, f.OK...)
	r.AfterAny = append(r.AfterAny, f.Any...)
	r.AfterFailed = append(r.AfterFailed, f.Failed...)
	r.AfterBegun = append(r.AfterBegun, f.Begun...)
	r.AfterEach = append(r.AfterEach, f.Each...)
	r.AfterElement = append(r.AfterElement, f.Parts...)
}

// None reports whether there is none to wait for.
func (f *Follows) None() bool { return len(f.Numbers()) == 0 }

// Numbers are those of all of them, to be read and changed.
func (f *Follows) Numbers() (numbers []*int64) {
	for _, list := range [][]int64{f.OK, f.Any, f.Failed, f.Each} {
		for i := range list {
			numbers = append(numbers, &list[i])
		}
	}
	for i := range f.Begun {
		numbers = append(numbers, &f.Begun[i].Job)
	}
	for i := range f.Parts {
		numbers = append(numbers, &f.Parts[i].Job)
	}
	return numbers
}

// add takes in one job of a kind of dependency: a number, and of one that is to begin
// +minutes.
func (f *Follows) add(kind, word string) error {
	if number, element, is := strings.Cut(word, "_"); is && element != "" {
		ids, err := jobs(number)
		index, wrong := count(element, 0)
		switch {
		case err != nil:
		case wrong != nil || kind == "aftercorr":
			return fmt.Errorf("%s: %w", word, errOfElement)
		case kind == "afterok" || kind == "afternotok":
			f.Parts = append(f.Parts, v1.Ahead{Job: ids[0], Index: index, Failed: kind == "afternotok"})
			return nil
		default: // when all of it has ended, that one has, and so has begun
			kind, word = "afterany", number
		}
	}
	list := f.of(kind)
	if list == nil {
		b, err := begun(word)
		f.Begun = append(f.Begun, b)
		return err
	}
	ids, err := jobs(word)
	*list = append(*list, ids...)
	return err
}

// of are those of a kind of dependency; nil: of those that are to begin.
func (f *Follows) of(kind string) *[]int64 {
	switch kind {
	case "afterok":
		return &f.OK
	case "afterany":
		return &f.Any
	case "afternotok":
		return &f.Failed
	case "aftercorr":
		return &f.Each
	}
	return nil
}

// begun reads a job that is to begin first: 12, or 12+5 for five minutes after that.
func begun(word string) (v1.Begun, error) {
	number, delay, some := strings.Cut(word, "+")
	ids, err := jobs(number)
	if err != nil {
		return v1.Begun{}, err
	}
	b := v1.Begun{Job: ids[0]}
	if some {
		minutes, err := count(delay, 0)
		if err != nil || int64(minutes) > trade.MaxMS/60_000 {
			return b, fmt.Errorf("%w: %q (want minutes after the +)", ErrNumber, word)
		}
		b.DelayMS = int64(minutes) * 60_000
	}
	return b, nil
}

// What sbatch takes and the market does not, with what would do.
const (
	errAnyOf     = notHad("a job waits for all that it names, not for one of several (?): say afterok:12,afterok:13, or have the script look at what the others left behind")
	errOfElement = notHad("a job waits for a whole array, or for one element of it by after, afterok, afternotok or afterany:12_3")
)

// follow reads what a job waits for. To sbatch a number is what sbatch has printed before:
// that of the batch system, where there is one.
func (o *occurrence) follow() error {
	o.Singleton = false
	if o.sbatch {
		o.tellStep("SLURM_JOB_DEPENDENCY", o.value)
	}
	var rest []string
	for part := range strings.SplitSeq(o.value, ",") {
		if part == "singleton" {
			o.Singleton = true
			continue
		}
		rest = append(rest, part)
	}
	var printed, own Follows
	if strings.Contains(o.value, "?") {
		return errAnyOf
	}
	if o.value != "" && len(rest) > 0 {
		var err error
		if printed, own, err = dependencies(strings.Join(rest, ",")); err != nil {
			return err
		}
	}
	if strings.Contains(o.value, "_") {
		o.note("it waits for the end of the whole array, and so of that element")
	}
	o.follows(printed, own)
	return nil
}

// follows has a job wait for others, and for no others that were named before.
func (o *occurrence) follows(printed, own Follows) {
	o.forget()
	if o.sbatch {
		o.Printed = printed
	} else {
		printed.Into(&o.Request)
	}
	own.Into(&o.Request)
}

// forget has a job wait for nobody.
func (h *Head) forget() {
	r := &h.Request
	r.After, r.AfterAny, r.AfterFailed, r.AfterBegun, r.AfterEach, r.AfterElement, h.Printed = nil, nil, nil, nil, nil, nil, Follows{}
}

// dependencies reads afterok:12:13,afterany:14, alike for Slurm and PBS: numbers as they
// were printed, and after the word libra Libra's own, afterok:libra:12.
func dependencies(text string) (printed, own Follows, err error) {
	for part := range strings.SplitSeq(text, ",") {
		kind, list, found := strings.Cut(part, ":")
		if !found || kind != "after" && printed.of(kind) == nil {
			return printed, own, fmt.Errorf("%q (%s)", part, otherKind(kind))
		}
		for more := true; more; {
			var word string
			word, list, more = strings.Cut(list, ":")
			to := &printed
			if word == "libra" && more {
				to = &own
				word, list, more = strings.Cut(list, ":")
			}
			if err := to.add(kind, word); err != nil {
				return printed, own, err
			}
		}
	}
	return printed, own, nil
}

// otherKind says what to do instead of a dependency that there is not.
func otherKind(kind string) string {
	if kind == "afterburstbuffer" {
		return "there are no burst buffers here: say afterok:JOB"
	}
	return "want after:JOB[+MINUTES], afterok:JOB, afterany:JOB, afternotok:JOB, aftercorr:JOB or singleton, all of which must hold: with commas between them"
}
