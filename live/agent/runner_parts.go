package agent

import "github.com/libra-market/libra/core/task"

// hasParts notes that a task has a mandatory and an optional part.
func (r *runner) hasParts(spec task.Spec) {
	if spec.Optional != nil {
		r.update(func(s *task.Status) { s.Part = task.MandatoryPart })
	}
}

// refining notes that the mandatory part of the task is done, if the shepherd
// has written that down.
func (r *runner) refining() {
	var done switchover
	if readJSON(r.folder.optional(), &done) != nil {
		return
	}
	r.sample()
	r.closeMeter(done.Over, done.CPUUS)
	declined := r.meter.mandatory()
	_ = r.meter.save(r.folder.meter()) // the next look tries again
	r.update(func(s *task.Status) {
		s.Part, s.MandatoryCPUUS, s.MandatoryDeclinedUS = task.OptionalPart, done.CPUUS, declined.Microseconds()
		s.CPUUS = max(s.CPUUS, done.CPUUS)
		r.refined = done.Boot
	})
	r.agent.reportSoon()
}
