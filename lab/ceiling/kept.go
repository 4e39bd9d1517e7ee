package ceiling

import (
	"fmt"

	"github.com/libra-market/libra/lab/grid"
)

// Kept is the most that applications at a site can pay for their optional parts if all their
// mandatory parts are done in time, whatever the order. It is an error if those cannot be.
func Kept(r grid.Resource, apps []grid.Application) (float64, error) {
	var cuts []float64
	for i := range apps {
		cuts = append(cuts, float64(apps[i].Arrival), due(&apps[i]))
	}
	s := newSchedule(cuts, func(float64) float64 { return float64(r.Processors) })
	var list []piece
	for i := range apps {
		a := &apps[i]
		s.add(float64(a.Arrival), due(a), a.Jobs)
		list = append(list, pieces(i, a, a.Jobs)...)
	}
	for i := range apps {
		a := &apps[i]
		if left := s.give(i, float64(a.Jobs)*seconds(a, r.MIPS)); left > 0 {
			return 0, fmt.Errorf("site %s: the mandatory parts of application %s and others do not fit by their deadlines", r.Name, a.ID)
		}
	}
	return s.pay(list, r.MIPS), nil
}
