package book

import "github.com/libra-market/libra/core/market"

// reach is the nodes that a job may be on as far as lists of them tell. Who looks for a place goes
// from one of these to the next and skips the others, however many there are; what is left on each
// it has to ask.
type reach struct {
	lists [2]bitset
	n     int
}

// reachOf is that of a job; equipped are the nodes that have GPUs, or have some left.
func (p *processors) reachOf(j *market.Job, equipped bitset) (r reach) {
	if j.Where != nil {
		r.add(p.on(j.Where))
	}
	if j.GPUs > 0 {
		r.add(equipped)
	}
	return r
}

func (r *reach) add(list bitset) {
	r.lists[r.n] = list
	r.n++
}

// next is the first such node from a number on, of so many; or -1.
func (r *reach) next(node, nodes int) int {
	for i := 0; i < r.n; {
		next := r.lists[i].next(node)
		switch {
		case next < 0:
			return -1
		case next > node && i > 0:
			i = 0 // those that were asked before are asked again
		default:
			i++
		}
		node = next
	}
	if node >= nodes {
		return -1
	}
	return node
}

// has reports whether a node is one of them.
func (r *reach) has(node int) bool {
	for i := range r.n {
		if list := &r.lists[i]; len(list.words) == 0 || !list.has(node) { // where nobody has any the list is empty
			return false
		}
	}
	return true
}

// nextIdle is the first node from a number on that is within reach and has an idle processor, or -1.
func (p *processors) nextIdle(r *reach, node int) int {
	for node = r.next(node, p.nodes.Len()); node >= 0; {
		proc := p.idle.next(int(p.first[node]))
		if proc < 0 {
			return -1
		}
		on := int(p.nodeOf[proc])
		if on == node {
			return node
		}
		node = r.next(on, p.nodes.Len())
	}
	return -1
}

// Reach is where a policy looks for a place for a job: it skips nodes that the job cannot be on.
type Reach struct {
	p *processors
	r reach
}

// Reach is that of a job.
func (v View) Reach(j *market.Job) Reach {
	return Reach{&v.b.processors, v.b.reachOf(j, v.b.gpus.left)}
}

// NextIdle is the first idle processor from a number on that is on such a node, or -1.
func (r *Reach) NextIdle(from int) int {
	for {
		proc := r.p.idle.next(from)
		if proc < 0 || r.r.has(int(r.p.nodeOf[proc])) {
			return proc
		}
		node := r.p.nextIdle(&r.r, int(r.p.nodeOf[proc])+1)
		if node < 0 {
			return -1
		}
		from = int(r.p.first[node])
	}
}

// Has reports whether a processor is on such a node.
func (r *Reach) Has(proc int) bool { return r.r.has(int(r.p.nodeOf[proc])) }

// Few lists the processors of such nodes, if there are no more than so many of them.
func (r *Reach) Few(most int, into []int32) (procs []int32, few bool) {
	nodes := r.p.nodes.Len()
	for node := r.r.next(0, nodes); node >= 0; node = r.r.next(node+1, nodes) {
		first, n := r.p.first[node], r.p.nodes.At(node).Processors
		if len(into)+n > most {
			return into, false
		}
		for i := range n {
			into = append(into, first+market.Int32(i))
		}
	}
	return into, true
}

// couldHold reports whether the cluster with nothing on it, and every node up,
// could hold the job.
func (p *processors) couldHold(j *market.Job) bool {
	if int(j.Width) > len(p.nodeOf) {
		return false
	}
	if !p.choosy(j) {
		return true
	}
	held, r := 0, p.reachOf(j, p.gpus.equipped)
	for node := r.next(0, p.nodes.Len()); node >= 0 && held < int(j.Width); node = r.next(node+1, p.nodes.Len()) {
		held += j.Whole(p.roomEver(node, j))
	}
	return held >= int(j.Width)
}

// idleFor counts the idle processors the job could be given, and stops where there are enough.
func (p *processors) idleFor(j *market.Job, enough int) int {
	if !p.choosy(j) {
		return p.idleN
	}
	free, r := 0, p.reachOf(j, p.gpus.left)
	for node := p.nextIdle(&r, 0); node >= 0 && free < enough; node = p.nextIdle(&r, node+1) {
		free += p.idleOn(node, j)
	}
	return free
}

// idleOn counts those of one node.
func (p *processors) idleOn(node int, j *market.Job) int {
	first := int(p.first[node])
	return j.Whole(min(p.idle.count(first, first+p.nodes.At(node).Processors), p.roomNow(node, j)))
}

func (p *processors) allocateChosen(j *market.Job, into market.Procs) market.Procs {
	want, needs, r := int(j.Width), p.needs(j), p.reachOf(j, p.gpus.left)
	for node := p.nextIdle(&r, 0); node >= 0 && want > 0; node = p.nextIdle(&r, node+1) {
		take := min(want, p.idleOn(node, j))
		want -= take
		for proc := p.idle.next(int(p.first[node])); take > 0; proc = p.idle.next(proc + 1) {
			p.idle.clear(proc)
			p.idleN--
			if needs {
				p.use(proc, j, -1)
			}
			into = into.Add(proc)
			take--
		}
	}
	if want > 0 {
		broken(2, "fewer processors that will do idle than a job was to start on")
	}
	return into
}
