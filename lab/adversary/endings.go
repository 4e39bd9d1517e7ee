package adversary

// endings are strategies that choose how a job ends.
func endings() []Strategy {
	return []Strategy{
		{Name: "cancel", Does: "says what it needs, and cancels when it has almost all of it", cheat: func(p *player, i int) {
			v := &p.wants[i]
			if id, ok := p.submit(i, ask(v, v.work), forever); ok {
				p.cancelWhen(id, 0.95*v.total())
			}
		}},
		{Name: "pad-cancel", Does: "says ten times what it needs, and cancels when it has it", cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline *= 10
			if id, ok := p.submit(i, ask(&v, 10*v.work), forever); ok {
				p.cancelWhen(id, v.total())
			}
		}},
		{Name: "understate-cancel", Does: "says a tenth, over-runs, and cancels before the end", cheat: func(p *player, i int) {
			v := &p.wants[i]
			if id, ok := p.submit(i, ask(v, v.work/10), forever); ok {
				p.cancelWhen(id, 0.97*v.total())
			}
		}},
		{Name: "burst", Does: "says ten times what it needs, and dies of its memory limit", cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline *= 10
			p.submit(i, ask(&v, 10*v.work), program{work: v.work, bursts: true})
		}},
		{Name: "fail", Does: "under-states, and fails at the end", cheat: func(p *player, i int) {
			v := &p.wants[i]
			p.submit(i, ask(v, v.work/10), program{work: v.work, exit: 1})
		}},
		{Name: "linger", Does: "is cancelled half way, and does the rest in its grace", Patient: true, cheat: func(p *player, i int) {
			v := p.wants[i]
			v.deadline = 3 * v.work
			r := ask(&v, v.work/2)
			r.GraceMS = 600_000
			if id, ok := p.submit(i, r, program{work: v.work, stubborn: true}); ok {
				p.cancelWhen(id, 0.45*v.total())
			}
		}},
		{Name: "deaf", Does: "over-runs with no money for more, and does the rest in its grace", cheat: func(p *player, i int) {
			v := &p.wants[i]
			r := ask(v, v.work/10)
			r.GraceMS, r.Budget = 600_000, p.priceOf(r)
			p.submit(i, r, program{work: v.work, stubborn: true})
		}},
		{Name: "missing", Does: "keeps submitting programs that do not exist, for the penalty", Idle: true, cheat: func(p *player, i int) {
			v := &p.wants[i]
			for range 5 {
				p.farm(i, v, v.work, program{missing: true})
			}
		}},
	}
}
