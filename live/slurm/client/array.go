package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Arrays is a Slurm that can be told of the elements of an array one by one.
type Arrays interface {
	// Place says of elements of a held array where each is to run, and after which other. They
	// stay held. It returns those of which that succeeded.
	Place(ctx context.Context, id int64, links []Link) ([]Link, error)
	// Numbers are those of the elements of an array that have not ended, as far as they have one.
	Numbers(ctx context.Context, id int64) ([]int64, error)
	// LetGo lets elements go. What does not succeed of that is still held in the next listing.
	LetGo(ctx context.Context, id int64, links []Link) error
	// Drop cancels elements of a held array that have no number of their own. What does not succeed of
	// that is listed still.
	Drop(ctx context.Context, id int64, elements []int) error
	// Throttle says how many elements of an array may run at a time.
	Throttle(ctx context.Context, id int64, most int) error
	// Arrays reports whether this can be told so.
	Arrays() bool
}

// Link is an element of an array in its place.
type Link struct {
	Element int
	Node    string
	After   int  // the element whose end it waits for; none: NoElement
	Again   bool // it was put back, and is to begin before Slurm would begin it by itself
}

// NoElement is no element.
const NoElement = -1

// mostLinks is how many elements one command is told of: it has its time.
const mostLinks = 200

// Place has scontrol read what it is to do: one for each element would take longer to start than
// to be heard.
func (c *commands) Place(ctx context.Context, id int64, links []Link) ([]Link, error) {
	var placed []Link
	var refused error
	for some := range slices.Chunk(links, mostLinks) {
		told, err := c.place(ctx, id, some)
		placed = append(placed, told...)
		if refused = cmp.Or(refused, err); err != nil && !errors.Is(err, ErrRefused) {
			break
		}
	}
	if refused != nil {
		return placed, fmt.Errorf("elements of job %d: %w", id, refused)
	}
	return placed, nil
}

// place finds out which of several could be told: which could not, as one that its user has cancelled,
// scontrol does not say.
func (c *commands) place(ctx context.Context, id int64, links []Link) ([]Link, error) {
	var text strings.Builder
	for _, l := range links {
		fmt.Fprintf(&text, "update jobid=%d_%d nodelist=%s", id, l.Element, l.Node)
		if l.After != NoElement {
			fmt.Fprintf(&text, " dependency=afterany:%d_%d", id, l.After)
		}
		if l.Again {
			text.WriteString(" starttime=now")
		}
		text.WriteByte('\n')
	}
	err := c.tell(ctx, text.String())
	half := len(links) / 2
	switch {
	case err == nil:
		return links, nil
	case half == 0 || !errors.Is(err, ErrRefused):
		return nil, err
	}
	placed, wrong := c.place(ctx, id, links[:half])
	if wrong != nil && !errors.Is(wrong, ErrRefused) {
		return placed, wrong
	}
	more, other := c.place(ctx, id, links[half:])
	return slices.Concat(placed, more), cmp.Or(other, wrong)
}

func (c *commands) tell(ctx context.Context, text string) error {
	_, err := c.run(ctx, call{argv: []string{"scontrol"}, stdin: text})
	return err
}

// LetGo is told of those alone that were told their place: any other would begin anywhere, and at once.
func (c *commands) LetGo(ctx context.Context, id int64, links []Link) error {
	var refused error
	for some := range slices.Chunk(links, mostLinks) {
		var text strings.Builder
		for _, l := range some {
			fmt.Fprintf(&text, "release %d_%d\n", id, l.Element)
		}
		err := c.tell(ctx, text.String())
		if refused = cmp.Or(refused, err); err != nil && !errors.Is(err, ErrRefused) {
			break
		}
	}
	if refused != nil {
		return fmt.Errorf("elements of job %d: %w", id, refused)
	}
	return nil
}

// Drop names all of them in one word, as scancel takes them: one that is gone already is no error.
func (c *commands) Drop(ctx context.Context, id int64, elements []int) error {
	for some := range slices.Chunk(elements, mostLinks) {
		words := make([]string, len(some))
		for i, e := range some {
			words[i] = strconv.Itoa(e)
		}
		_, err := c.run(ctx, call{argv: []string{"scancel", fmt.Sprintf("%d_[%s]", id, strings.Join(words, ","))}})
		if err != nil && !errors.Is(err, ErrRefused) {
			return fmt.Errorf("elements of job %d: %w", id, err)
		}
	}
	return nil
}

// Throttle is heard by Slurm before it says that some elements have ended, which is no error.
func (c *commands) Throttle(ctx context.Context, id int64, most int) error {
	_, err := c.run(ctx, call{argv: []string{"scontrol", "update", fmt.Sprintf("jobid=%d", id), fmt.Sprintf("arraytaskthrottle=%d", most)}})
	if err != nil && !errors.Is(err, ErrRefused) {
		return fmt.Errorf("elements of job %d: %w", id, err)
	}
	return nil
}

// Numbers asks for those of this array alone.
func (c *commands) Numbers(ctx context.Context, id int64) ([]int64, error) {
	out, err := c.run(ctx, call{argv: []string{"squeue", "--noheader", "--all", "--jobs=" + strconv.FormatInt(id, 10), "--format=%A"}})
	if err != nil {
		return nil, fmt.Errorf("numbers of elements of job %d: %w", id, err)
	}
	var numbers []int64
	for word := range strings.FieldsSeq(out) {
		n, wrong := strconv.ParseInt(word, 10, 64)
		if wrong != nil || n <= 0 {
			return nil, fmt.Errorf("%w: %w: number %.40q of an element of job %d", ErrAway, errListing, word, id)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// Arrays: they are listed and told of by commands.
func (c *commands) Arrays() bool { return true }

// Place is done by scontrol: slurmrestd knows jobs by their own numbers alone.
func (r *rest) Place(ctx context.Context, id int64, links []Link) ([]Link, error) {
	return r.killer.Place(ctx, id, links)
}

// Numbers are asked for with squeue.
func (r *rest) Numbers(ctx context.Context, id int64) ([]int64, error) {
	return r.killer.Numbers(ctx, id)
}

// LetGo is done by scontrol, too.
func (r *rest) LetGo(ctx context.Context, id int64, links []Link) error {
	return r.killer.LetGo(ctx, id, links)
}

// Drop is done by scancel.
func (r *rest) Drop(ctx context.Context, id int64, elements []int) error {
	return r.killer.Drop(ctx, id, elements)
}

// Throttle is done by scontrol, too.
func (r *rest) Throttle(ctx context.Context, id int64, most int) error {
	return r.killer.Throttle(ctx, id, most)
}

// Arrays reports whether Slurm's commands are on this host, too.
func (r *rest) Arrays() bool { return r.killer != nil && r.listing != nil }

// ElementsOf are those that a submission asks for.
func ElementsOf(array string) ([]int, error) {
	var j Job
	err := j.readElements("1", array)
	return j.Elements, err
}

// readElements reads of which array a job is, and which elements of it: 5, or 1-9:2,12 of those
// that have no number of their own yet. Behind a percent sign is how many run at a time.
func (j *Job) readElements(array, elements string) error {
	elements, _, _ = strings.Cut(elements, "%")
	if elements = absent(elements); elements == "" {
		return nil
	}
	id, err := strconv.ParseInt(array, 10, 64)
	if err != nil || id <= 0 {
		return fmt.Errorf("%w: array %.40q of job %d", errListing, array, j.ID)
	}
	j.Array = id
	for part := range strings.SplitSeq(elements, ",") {
		if err := j.readSpan(part); err != nil {
			return err
		}
	}
	return nil
}

// mostElements is how many an array of Slurm's may have: its MaxArraySize is never more.
const mostElements = 4_000_001

func (j *Job) readSpan(part string) error {
	span, by, stepped := strings.Cut(part, ":")
	from, to, ranged := strings.Cut(span, "-")
	if !ranged {
		to = from
	}
	if !stepped {
		by = "1"
	}
	var n [3]int
	for i, text := range []string{from, to, by} {
		v, err := strconv.ParseUint(text, 10, 31)
		if err != nil || v >= mostElements {
			return fmt.Errorf("%w: elements %.40q of job %d", errListing, part, j.ID)
		}
		n[i] = int(v)
	}
	if n[2] < 1 {
		return fmt.Errorf("%w: elements %.40q of job %d", errListing, part, j.ID)
	}
	for i := n[0]; i <= n[1]; i += n[2] {
		j.Elements = append(j.Elements, i)
	}
	return nil
}
