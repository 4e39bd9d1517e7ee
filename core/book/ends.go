package book

import "github.com/libra-market/libra/core/market"

// ends keeps the jobs that hold processors alone by the time at which they are
// expected to give them back. It is a sorted list in chunks, each with the sum
// of its processors: a few dozen jobs are one chunk and a move of a few hundred
// bytes, and thousands cost a walk over the sums.
type ends struct {
	chunks []endChunk
	n      int
}

type endChunk struct {
	sum   int64
	items []end
}

type end struct {
	at    market.Time
	id    market.JobID
	width int32
}

const chunkSize = 128

func (a end) before(b end) bool { return a.at < b.at || a.at == b.at && a.id < b.id }

// place is where an end is or belongs.
func (e *ends) place(x end) (chunk, item int) {
	for chunk < len(e.chunks)-1 {
		items := e.chunks[chunk].items
		if !items[len(items)-1].before(x) {
			break
		}
		chunk++
	}
	items := e.chunks[chunk].items
	from, to := 0, len(items)
	for from < to {
		if middle := (from + to) >> 1; items[middle].before(x) {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return chunk, from
}

func (e *ends) add(x end) {
	if len(e.chunks) == 0 {
		e.chunks = append(e.chunks, endChunk{items: make([]end, 0, chunkSize)})
	}
	e.n++
	c, i := e.place(x)
	chunk := &e.chunks[c]
	chunk.sum += int64(x.width)
	chunk.items = append(chunk.items, end{})
	copy(chunk.items[i+1:], chunk.items[i:])
	chunk.items[i] = x
	if len(chunk.items) == chunkSize {
		e.split(c)
	}
}

func (e *ends) split(c int) {
	full := e.chunks[c].items
	upper := endChunk{items: append(make([]end, 0, chunkSize), full[chunkSize/2:]...)}
	for _, x := range upper.items {
		upper.sum += int64(x.width)
	}
	e.chunks[c].items = full[:chunkSize/2]
	e.chunks[c].sum -= upper.sum
	e.chunks = append(e.chunks, endChunk{})
	copy(e.chunks[c+2:], e.chunks[c+1:])
	e.chunks[c+1] = upper
}

func (e *ends) remove(x end) {
	if len(e.chunks) == 0 {
		broken(1, "a job that ends was never expected to")
	}
	c, i := e.place(x)
	chunk := &e.chunks[c]
	if i == len(chunk.items) || chunk.items[i].id != x.id {
		broken(1, "a job that ends is not where it was put in order")
	}
	e.n--
	chunk.sum -= int64(x.width)
	chunk.items = append(chunk.items[:i], chunk.items[i+1:]...)
	if len(chunk.items) == 0 && len(e.chunks) > 1 {
		e.chunks = append(e.chunks[:c], e.chunks[c+1:]...)
	}
}

// reach is the first time by which so many processors will be given back.
func (e *ends) reach(want int64) (market.Time, bool) {
	for c := range e.chunks {
		chunk := &e.chunks[c]
		if chunk.sum < want {
			want -= chunk.sum
			continue
		}
		for i := range chunk.items {
			if want -= int64(chunk.items[i].width); want <= 0 {
				return chunk.items[i].at, true
			}
		}
	}
	return market.Never, false
}

// by counts the processors given back by a time.
func (e *ends) by(at market.Time) int64 {
	sum := int64(0)
	for c := range e.chunks {
		chunk := &e.chunks[c]
		if n := len(chunk.items); n > 0 && chunk.items[n-1].at <= at {
			sum += chunk.sum
			continue
		}
		for i := range chunk.items {
			if chunk.items[i].at > at {
				break
			}
			sum += int64(chunk.items[i].width)
		}
		break
	}
	return sum
}

// Ends goes through the ends of running jobs in their order. It may be copied; it holds
// until somebody starts or ends.
type Ends struct {
	chunks []endChunk
	item   int // of the first chunk
}

// Next is the next end, and how many processors become free; false: there is none.
func (e *Ends) Next() (at market.Time, width int, ok bool) {
	for len(e.chunks) > 0 && e.item == len(e.chunks[0].items) {
		e.chunks, e.item = e.chunks[1:], 0
	}
	if len(e.chunks) == 0 {
		return market.Never, 0, false
	}
	x := &e.chunks[0].items[e.item]
	e.item++
	return x.at, int(x.width), true
}

// Ends are those of all running jobs, if each holds its processors alone and is as far
// as was expected of it.
func (v View) Ends() (e Ends, all bool) {
	if v.b.astray > 0 || v.b.ends.n != len(v.b.running) {
		return Ends{}, false
	}
	return Ends{chunks: v.b.ends.chunks}, true
}

// heed notes whether a job that holds its processors alone will end when it was
// expected to.
func (b *Book) heed(e *Entry) {
	if !e.alone {
		return
	}
	if now := e.Since+market.Time(float64(e.Left)/e.Speed) != e.endsAt; now != e.astray {
		e.astray = now
		if now {
			b.astray++
		} else {
			b.astray--
		}
	}
}
