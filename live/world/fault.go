package world

import (
	"fmt"
	"time"

	"github.com/libra-market/libra/live/store"
)

// break_ lets a fault happen, and mends it after its time.
func (w *World) break_(i int) {
	f := &w.day.Faults[i]
	if !sleep(w.alive, f.At) {
		return
	}
	w.note("fault %d: %s of %d for %s", i, f.Kind, f.Node, f.For)
	var n *node
	if f.Node >= 0 && f.Node < len(w.nodes) {
		n = w.nodes[f.Node]
	}
	s := w.leader()
	switch f.Kind {
	case crashes:
		if n != nil {
			n.stopAgent()
			w.later(f.For, n.startAgent)
			return
		}
		s.crash()
		w.check()
		w.later(f.For, s.start)
	case stops:
		s.end()
		w.check()
		w.later(f.For, s.start)
	case powerless:
		n.powerOff()
		w.later(f.For, func() { n.powerOn(); n.startAgent() })
	case pauses:
		h := s.host
		if n != nil {
			h = n.host
		}
		h.pause()
		sleep(w.alive, f.For)
		h.resume() // also when the day is over: somebody may wait for it
	case partitions:
		w.setCut(n.name, "*", 1)
		w.setCut("*", n.name, 1)
		w.later(f.For, func() { w.setCut(n.name, "*", -1); w.setCut("*", n.name, -1) })
	case deafens:
		w.setCut("*", n.name, 1)
		w.later(f.For, func() { w.setCut("*", n.name, -1) })
	case mutes:
		w.setCut(n.name, "*", 1)
		w.later(f.For, func() { w.setCut(n.name, "*", -1) })
	case stepsOn, stepsBack:
		h, by := s.host, f.For
		if n != nil {
			h = n.host
		}
		if f.Kind == stepsBack {
			by = -by
		}
		h.step(by)
	case restores:
		w.mu.Lock()
		backup := w.disk
		w.mu.Unlock()
		name := fmt.Sprint("restored-", i)
		if f.Copied {
			var err error
			if name, err = backup.Open().Generation(w.alive); err != nil {
				return
			}
		}
		backup = backup.Copy(name)
		w.later(f.For, func() { w.restore(backup, f) })
	case upgrades:
		w.builds.Add(1)
		s.crash()
		w.check()
		w.moment("upgrade", i)
		s.start()
		w.adopt(i)
	case slurmDies, slurmFails, slurmDrains, slurmLoses:
		w.slurm.suffer(w, f)
	case fills, unsure:
		s.mu.Lock()
		d := s.drive
		s.mu.Unlock()
		if d != nil {
			d.ail(map[string]string{fills: diskFull, unsure: diskUnsure}[f.Kind], f.For)
		}
	}
}

// restore puts an old backup in the place of the store, with no controller running. Who
// is about to do that while somebody else is waits: one machine has one store.
func (w *World) restore(backup *store.Memory, f *Fault) {
	w.replace("restore "+f.At.String(), func() {
		w.disk = backup
		w.restored = append(w.restored, span{f.At, w.at()})
	})
}

// replace changes the store with no controller running.
func (w *World) replace(why string, change func()) {
	w.restoring <- struct{}{}
	defer func() { <-w.restoring }()
	for i, s := range w.seats {
		s.crash()
		w.moment(why, i)
	}
	w.mu.Lock()
	change()
	w.mu.Unlock()
	for _, s := range w.seats {
		s.begin()
		time.Sleep(50 * time.Millisecond)
	}
}

// moment is a time in which others can go on with what an instant has brought.
func (w *World) moment(what string, i int) {
	sleep(w.alive, between(w.chance("moment "+what, int64(i)), time.Microsecond, 5*time.Millisecond))
}

// later does something after a while.
func (w *World) later(after time.Duration, do func()) {
	if sleep(w.alive, after) {
		do()
	}
}

// powerOff ends everything on a node at once. The agent cannot look at anything any more,
// and is gone before the tasks are: else it could see some of them end.
func (n *node) powerOff() {
	n.mu.Lock()
	off := n.off
	n.dark = true
	procs := make([]*process, 0, len(n.procs))
	for _, p := range n.procs {
		procs = append(procs, p)
	}
	n.mu.Unlock()
	n.stopAgent()
	off()
	for _, p := range procs {
		<-p.ended
	}
}
