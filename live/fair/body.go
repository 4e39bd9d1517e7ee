package fair

import (
	"errors"
	"io"
	"os"
	"time"
)

// What a body may take its time for: a while to begin, and then so much a second.
const (
	bodyBegins = 10 * time.Second
	bodyKB     = 32 // a second
)

// ErrSlow says that a body did not arrive in time.
var ErrSlow = errors.New("the body came too slowly")

// Body is the body of a request on its way in: what has arrived counts against what
// its party, and all together, may keep here, until it is released.
type Body struct {
	from    io.Reader
	g       *Gate
	of      *guest
	began   time.Time
	until   func(time.Time) error // sets the deadline of the next read
	read    int
	claimed int
}

// Body reads from a party. The deadline is that of the connection; nil: it has none.
func (g *Gate) Body(p Party, from io.Reader, deadline func(time.Time) error) *Body {
	g.mu.Lock()
	defer g.mu.Unlock()
	of := g.guest(p)
	of.inside++
	return &Body{from: from, g: g, of: of, until: deadline, began: g.now()}
}

// Read takes in what has come.
func (b *Body) Read(p []byte) (int, error) {
	if b.until != nil {
		// A writer that knows no deadlines (a test's) needs none.
		_ = b.until(b.began.Add(bodyBegins + time.Duration(b.read>>10)*time.Second/bodyKB))
	}
	n, err := b.from.Read(p)
	b.read += n
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, ErrSlow
	}
	if short := b.claim(); short != nil {
		return 0, short
	}
	return n, err
}

// grain is what is claimed at a time: small bodies claim nothing twice.
const grain = 64 << 10

// claim counts what has arrived, and as much again for the buffer that grows with it.
func (b *Body) claim() error {
	if 2*b.read <= b.claimed {
		return nil
	}
	g := b.g
	g.mu.Lock()
	defer g.mu.Unlock()
	more := (2*b.read - b.claimed + grain - 1) / grain * grain
	if most := g.limits.BodiesKB << 10; most > 0 && b.of.bodies+more > most {
		return over("bodies_kb", time.Second, "bodies of yours of %d KB are under way: send one after the other", b.of.bodies>>10)
	}
	if most := g.limits.AllBodiesKB << 10; most > 0 && g.bodies+more > most {
		return over("all_bodies_kb", time.Second, "too much is being sent to the market at a time: try again in a while")
	}
	b.claimed += more
	b.of.bodies += more
	g.bodies += more
	return nil
}

// Release gives back what was claimed.
func (b *Body) Release() {
	if b == nil || b.of == nil {
		return
	}
	b.g.mu.Lock()
	defer b.g.mu.Unlock()
	b.of.bodies -= b.claimed
	b.g.bodies -= b.claimed
	b.of.inside--
	b.of = nil
}

// Size is how much has arrived.
func (b *Body) Size() int { return b.read }
