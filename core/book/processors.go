package book

import (
	"math/bits"

	"github.com/libra-market/libra/core/market"
)

// processors is what the cluster has: nodes, their processors numbered in node
// order from 0, and who is on them.
type processors struct {
	nodes   market.Nodes
	nodeOf  []int32   // node of each processor
	first   []int32   // first processor of each node
	rating  []float64 // of each processor; nil where all are 1
	down    []bool    // by node
	closed  []bool    // by node: it is up, and takes no new jobs
	closedN int       // nodes
	idle    bitset    // up, and nobody on it
	idleN   int
	upN     int
	users   []int32 // jobs that share each processor
	memory  []int64 // free on each node; nil where no node counts it
	disk    []int64
	gpus    gpus
	rates   bool // some nodes have other rates than others
	aside   bool // some nodes are set aside for a reservation

	only *bitset // the processors that have room at all; nil: every one

	chosen     map[market.Where]bitset // nodes that jobs may be on
	chosenSize int                     // about, in bytes
	asked      *market.Where           // by whom it was asked last
	askedOn    bitset
	byName     map[string][]int32 // nodes; nil: nobody has asked for one
}

func newProcessors(nodes market.Nodes) processors {
	count, total := nodes.Len(), nodes.Processors()
	p := processors{nodes: nodes, down: make([]bool, count), closed: make([]bool, count)}
	counted, uneven, gpus := false, false, false
	kinds := nodes.Kinds()
	for i := range kinds {
		n := &kinds[i]
		counted = counted || n.Memory != market.NoLimit || n.Disk != market.NoLimit
		uneven = uneven || n.Rating != 1
		gpus = gpus || n.GPUs > 0
		p.rates = p.rates || n.Base != kinds[0].Base
		p.aside = p.aside || n.Reserved != ""
	}
	p.first, p.nodeOf = make([]int32, count), make([]int32, total)
	at := int32(0)
	for i := range p.first {
		p.first[i] = at
		for range nodes.At(i).Processors {
			p.nodeOf[at] = int32(i) //nolint:gosec // a cluster has no more processors than that: see cluster.validate
			at++
		}
	}
	p.users = make([]int32, total)
	p.idle = newBitset(total)
	p.idle.setAll(total)
	p.idleN, p.upN = total, total
	if uneven {
		p.rating = make([]float64, total)
		for i, n := range p.nodeOf {
			p.rating[i] = nodes.At(int(n)).Rating
		}
	}
	if counted {
		p.memory, p.disk = make([]int64, count), make([]int64, count)
		for i := range count {
			n := nodes.At(i)
			p.memory[i], p.disk[i] = n.Memory, n.Disk
		}
	}
	if gpus {
		p.gpus = newGPUs(nodes)
	}
	return p
}

// needs reports whether the job asks for more than processors on a cluster
// that counts more, or for some of its nodes alone, or some are set aside. GPUs are counted everywhere: where no
// node has any there are none.
func (p *processors) needs(j *market.Job) bool {
	return p.aside || j.GPUs > 0 || j.Where != nil || p.memory != nil && (j.Memory > 0 || j.Disk > 0)
}

// choosy reports whether not every processor will do for the job: its node must
// have the memory, the disk and the GPUs, or as many processors as the job has threads, or
// nothing of the job yet.
func (p *processors) choosy(j *market.Job) bool { return j.Threads > 1 || j.Spread || p.needs(j) }

// plain reports whether the job asks for nothing but processors: on no cluster that has none
// set aside is it choosy.
func plain(j *market.Job) bool {
	return j.Threads <= 1 && !j.Spread && j.GPUs <= 0 && j.Where == nil && j.Memory <= 0 && j.Disk <= 0
}

// inWhole reports whether processors make whole sets of a job's threads.
func (p *processors) inWhole(procs market.Procs, j *market.Job) bool {
	node, count := int32(-1), 0
	for proc := range procs.All() {
		if p.nodeOf[proc] != node {
			if j.Whole(count) != count {
				return false
			}
			node, count = p.nodeOf[proc], 0
		}
		count++
	}
	return j.Whole(count) == count
}

// free is the memory and the disk left on a node.
func (p *processors) free(node int) (memory, disk int64) {
	if p.memory == nil {
		return market.NoLimit, market.NoLimit
	}
	return p.memory[node], p.disk[node]
}

// roomNow is how many tasks of the job what is free on a node holds.
func (p *processors) roomNow(node int, j *market.Job) int {
	if p.kept(node, j) {
		return 0
	}
	memory, disk := p.free(node)
	return p.roomOn(node, memory, disk, p.gpus.on(market.Int32(node), p.nodes.At(node), j), j)
}

// roomEver is how many of them the node would hold if it were empty.
func (p *processors) roomEver(node int, j *market.Job) int {
	n := p.nodes.At(node)
	return p.roomOn(node, n.Memory, n.Disk, int64(n.GPUs), j)
}

// roomOn is how many tasks of the job so much memory and disk and so many GPUs of a
// node hold.
func (p *processors) roomOn(node int, memory, disk, gpus int64, j *market.Job) int {
	if j.Where != nil && !p.may(node, j.Where) {
		return 0
	}
	room := p.nodes.At(node).Processors
	if j.Memory > 0 && memory != market.NoLimit {
		room = int(min(int64(room), memory/j.Memory))
	}
	if j.Disk > 0 && disk != market.NoLimit {
		room = int(min(int64(room), disk/j.Disk))
	}
	if j.GPUs > 0 {
		room = int(min(int64(room), p.nodes.At(node).ProgramsOn(gpus, j)*int64(max(1, j.Threads))))
	}
	if j.Spread {
		room = min(room, int(max(1, j.Threads)))
	}
	return room
}

// shut reports whether nobody can be put on a node.
func (p *processors) shut(node int32) bool { return p.down[node] || p.closed[node] }

// room reports whether the processor is up and its node has the memory, the disk and
// the GPUs for a task of the job.
func (p *processors) room(proc int, j *market.Job) bool {
	node := p.nodeOf[proc]
	if p.shut(node) {
		return false
	}
	return !p.needs(j) || p.roomNow(int(node), j) > 0
}

// allocateIdle gives the job the idle processors with the lowest numbers.
func (p *processors) allocateIdle(j *market.Job, into market.Procs) market.Procs {
	if p.choosy(j) {
		return p.allocateChosen(j, into)
	}
	return p.allocateLowest(int(j.Width), into)
}

// allocateLowest gives so many idle processors, whatever they are like.
func (p *processors) allocateLowest(width int, into market.Procs) market.Procs {
	want := width
	for w := p.idle.nextWord(0); want > 0; w = p.idle.nextWord(w + 1) {
		if w < 0 {
			broken(2, "fewer processors idle than a job was to start on")
		}
		taken := p.idle.words[w]
		if count := bits.OnesCount64(taken); count > want {
			taken = lowestBits(taken, want)
			want = 0
		} else {
			want -= count
		}
		p.idle.clearWord(w, taken)
		into = append(into, market.Block{Bits: taken, Index: market.Int32(w)})
	}
	p.idleN -= width
	return into
}

// deallocate makes processors that one job held alone idle again.
func (p *processors) deallocate(held market.Procs, j *market.Job) {
	if p.needs(j) {
		for proc := range held.All() {
			p.use(proc, j, 1)
		}
	}
	p.leaveIdle(held)
}

// leaveIdle is deallocate for a job that had nothing but processors.
func (p *processors) leaveIdle(held market.Procs) {
	for _, b := range held {
		up := b.Bits
		if p.upN < len(p.nodeOf) {
			up = p.upOf(b)
		}
		if up != 0 {
			p.idle.setWord(int(b.Index), up)
			p.idleN += bits.OnesCount64(up)
		}
	}
}

// upOf is the part of a block whose nodes are up.
func (p *processors) upOf(b market.Block) uint64 {
	up := b.Bits
	for proc := range (market.Procs{b}).All() {
		if p.shut(p.nodeOf[proc]) {
			up &^= 1 << (proc & 63)
		}
	}
	return up
}

// share puts a job on processors beside the others there.
func (p *processors) share(procs market.Procs, j *market.Job) {
	needs := p.needs(j)
	for proc := range procs.All() {
		if p.users[proc]++; p.users[proc] == 1 && p.idle.has(proc) {
			p.idle.clear(proc)
			p.idleN--
		}
		if needs {
			p.use(proc, j, -1)
		}
	}
}

// unshare takes a job off one of the processors it shared.
func (p *processors) unshare(proc int, j *market.Job) {
	if p.users[proc]--; p.users[proc] == 0 && !p.shut(p.nodeOf[proc]) {
		p.idle.set(proc)
		p.idleN++
	}
	if p.needs(j) {
		p.use(proc, j, 1)
	}
}

// use moves the memory, the disk and the GPUs of one task; sign is -1 to take, 1 to give.
func (p *processors) use(proc int, j *market.Job, sign int64) {
	node := p.nodeOf[proc]
	if j.GPUs > 0 {
		p.gpus.use(node, j, sign)
	}
	if p.memory == nil {
		return
	}
	if p.memory[node] != market.NoLimit {
		p.memory[node] += sign * j.Memory
	}
	if p.disk[node] != market.NoLimit {
		p.disk[node] += sign * j.Disk
	}
}

// slowest is the rating at which a job that advances as one runs on the
// processors: that of the slowest.
func (p *processors) slowest(procs market.Procs) float64 {
	if p.rating == nil {
		return 1
	}
	least := p.rating[firstOf(procs)]
	for proc := range procs.All() {
		least = min(least, p.rating[proc])
	}
	return least
}

func firstOf(procs market.Procs) int {
	return int(procs[0].Index)<<6 + bits.TrailingZeros64(procs[0].Bits)
}

// setDown takes a node away or brings it back. Whoever held its processors
// has left them before.
func (p *processors) setDown(node int, down bool) {
	if p.down[node] == down {
		return
	}
	p.setClosed(node, false, nil) // whoever comes back is asked again
	p.down[node] = down
	first := int(p.first[node])
	for proc := first; proc < first+p.nodes.At(node).Processors; proc++ {
		if down {
			p.idle.clear(proc)
			p.idleN--
			p.upN--
		} else {
			p.idle.set(proc)
			p.idleN++
			p.upN++
		}
	}
}

// setClosed closes a node to new jobs, or opens it. Of its processors, alone are held by
// one job each.
func (p *processors) setClosed(node int, closed bool, alone market.Procs) {
	if p.closed[node] == closed || p.down[node] {
		return
	}
	if p.closed[node] = closed; closed {
		p.closedN++
	} else {
		p.closedN--
	}
	held := map[int]bool{}
	for proc := range alone.All() {
		held[proc] = true
	}
	first := int(p.first[node])
	for proc := first; proc < first+p.nodes.At(node).Processors; proc++ {
		switch {
		case closed:
			p.upN--
			if p.idle.has(proc) {
				p.idle.clear(proc)
				p.idleN--
			}
		default:
			p.upN++
			if p.users[proc] == 0 && !held[proc] {
				p.idle.set(proc)
				p.idleN++
			}
		}
	}
}
