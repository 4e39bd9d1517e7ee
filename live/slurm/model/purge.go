package model

import (
	"slices"
	"time"
)

// Purge forgets jobs that ended before a time, as slurmctld does after MinJobAge, and
// processes that are no more.
func (f *Slurm) Purge(before time.Time) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for id, j := range f.Known {
		if j.State.Over() && j.Ended < before.Unix() {
			delete(f.Known, id)
		}
	}
	f.Procs = slices.DeleteFunc(f.Procs, func(p *process) bool { return p.done })
	clear(f.begun)
}
