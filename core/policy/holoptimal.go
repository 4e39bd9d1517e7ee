package policy

import (
	"github.com/libra-market/libra/core/admission"
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// holOptimal is hol with the admission probabilities that the analytic model of
// 004 finds best for its four classes of section VI (numbered 0 LvLu, 1 LvHu,
// 2 HvLu, 3 HvHu) at a given load: q* of the paper.
type holOptimal struct {
	hol
	load, phi float64
	offset    string
	solved    bool
}

func newHOLOptimal() *holOptimal {
	m := admission.SectionVI()
	return &holOptimal{hol: *newHOL(), load: 1, phi: m.Phi, offset: string(m.Offset)}
}

func (p *holOptimal) settings() []Setting {
	return []Setting{
		number("load", &p.load, "offered load relative to the capacity"),
		number("phi", &p.phi, "what the model's delay is multiplied by, equation (30) of the provider-revenue paper"),
		choice("offset", &p.offset, "how the period without loss enters the delay", admission.Offsets()...),
		number("forfeit", &p.forfeit, "part of its value that a job costs which leaves the queue at its limit"),
		number("seed", &p.seed, "seed of the admission draws"),
		p.least.setting(),
	}
}

// Admit solves the model once, then draws lots as hol does.
func (p *holOptimal) Admit(v book.View, j *market.Job, a *Answer) {
	if !p.solved {
		p.solve()
	}
	p.hol.Admit(v, j, a)
}

// solve finds q*. A model that makes no sense (a load of 0, say) has none, and
// everybody is admitted.
func (p *holOptimal) solve() {
	p.solved = true
	m := admission.SectionVI()
	m.Load, m.Phi, m.Offset = p.load, p.phi, admission.Offset(p.offset)
	if best, err := m.Optimize(); err == nil {
		p.admit = best.QByClass
	}
}

var _ Policy = (*holOptimal)(nil)
