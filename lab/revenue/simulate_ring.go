package revenue

// waiter is a job that waits.
type waiter struct {
	arrival float64
	length  float64
	value   float64
	expiry  float64 // when its delay reaches the limit
	width   int32
	number  int32 // its place in a list of jobs
}

// ring is the queue of one class, first come first out. It grows and is used
// again, so that a long run allocates nothing.
type ring struct {
	slots []waiter // a power of two
	head  int
	count int
}

func (r *ring) push(w *waiter) {
	if r.count == len(r.slots) {
		r.grow()
	}
	r.slots[(r.head+r.count)&(len(r.slots)-1)] = *w
	r.count++
}

// first is the job at the head; it stays valid until the next push.
func (r *ring) first() *waiter { return &r.slots[r.head&(len(r.slots)-1)] }

func (r *ring) pop() {
	r.head = (r.head + 1) & (len(r.slots) - 1)
	r.count--
}

func (r *ring) grow() {
	bigger := make([]waiter, max(64, 2*len(r.slots)))
	for i := range r.count {
		bigger[i] = r.slots[(r.head+i)&(len(r.slots)-1)]
	}
	r.slots, r.head = bigger, 0
}

// finish is when a running job ends and what it holds.
type finish struct {
	at    float64
	width int32
}

// finishes is a heap of running jobs, the first to end on top.
type finishes []finish

func (h *finishes) push(f finish) {
	list := append(*h, f)
	i := len(list) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if list[parent].at <= f.at {
			break
		}
		list[i] = list[parent]
		i = parent
	}
	list[i] = f
	*h = list
}

func (h *finishes) pop() {
	list := *h
	last := len(list) - 1
	f := list[last]
	list = list[:last]
	i := 0
	for {
		c := 2*i + 1
		if c >= last {
			break
		}
		if c+1 < last && list[c+1].at < list[c].at {
			c++
		}
		if f.at <= list[c].at {
			break
		}
		list[i] = list[c]
		i = c
	}
	if last > 0 {
		list[i] = f
	}
	*h = list
}
