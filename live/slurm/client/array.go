package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Arrays is a Slurm that can be told of the elements of an array one by one.
type Arrays interface {
	// Chain says of elements of a held array where each is to run, and after which other,
	// and lets them go. What does not succeed of that is still held in the next listing.
	Chain(ctx context.Context, id int64, links []Link) error
	// Throttle says how many elements of an array may run at a time.
	Throttle(ctx context.Context, id int64, most int) error
	// Arrays reports whether this can be told so.
	Arrays() bool
}

// Link is an element of an array in its place.
type Link struct {
	Element int
	Node    string
	After   int // the element whose end it waits for; none: NoElement
}

// NoElement is no element.
const NoElement = -1

// mostLinks is how many elements one command is told of: it has its time.
const mostLinks = 200

// Chain has scontrol read what it is to do: one for each element would take longer to start than
// to be heard.
func (c *commands) Chain(ctx context.Context, id int64, links []Link) error {
	var refused error
	for len(links) > 0 {
		some := links[:min(len(links), mostLinks)]
		links = links[len(some):]
		err := c.chain(ctx, id, some)
		if err != nil && !errors.Is(err, ErrRefused) {
			return fmt.Errorf("elements of job %d: %w", id, err)
		}
		refused = cmp.Or(refused, err)
	}
	if refused != nil {
		return fmt.Errorf("elements of job %d: %w", id, refused)
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

// chain lets those go alone that were told their place: any other would begin anywhere, and at once.
// Which of several was not, as one that its user has cancelled, scontrol does not say.
func (c *commands) chain(ctx context.Context, id int64, links []Link) error {
	var places, release strings.Builder
	for _, l := range links {
		fmt.Fprintf(&places, "update jobid=%d_%d nodelist=%s", id, l.Element, l.Node)
		if l.After != NoElement {
			fmt.Fprintf(&places, " dependency=afterany:%d_%d", id, l.After)
		}
		places.WriteByte('\n')
		fmt.Fprintf(&release, "release %d_%d\n", id, l.Element)
	}
	tell := func(text string) error {
		_, err := c.run(ctx, call{argv: []string{"scontrol"}, stdin: text})
		return err
	}
	err := tell(places.String())
	switch half := len(links) / 2; {
	case err == nil:
		return tell(release.String())
	case half == 0 || !errors.Is(err, ErrRefused):
		return err
	default:
		if err = c.chain(ctx, id, links[:half]); err != nil && !errors.Is(err, ErrRefused) {
			return err
		}
		return cmp.Or(c.chain(ctx, id, links[half:]), err)
	}
}

// Arrays: they are listed and told of by commands.
func (c *commands) Arrays() bool { return true }

// Chain is done by scontrol: slurmrestd knows jobs by their own numbers alone.
func (r *rest) Chain(ctx context.Context, id int64, links []Link) error {
	return r.killer.Chain(ctx, id, links)
}

// Throttle is done by scontrol, too.
func (r *rest) Throttle(ctx context.Context, id int64, most int) error {
	return r.killer.Throttle(ctx, id, most)
}

// Arrays reports whether Slurm's commands are on this host, too.
func (r *rest) Arrays() bool { return r.killer != nil && r.listing != nil }

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
