package exchange

import "github.com/libra-market/libra/core/market"

// predict is when a job would be done as things stand: at the share it needs
// and its part of what nobody else needs.
func (x *pricer) predict(asked *market.Job, core market.Quote) int64 {
	if core.Procs.Len() == 0 {
		return 0
	}
	if core.Expected > 0 {
		return x.unix(core.Expected)
	}
	load := x.loads(core.Procs)
	t := x.time()
	slowest := 0.0
	for proc := range core.Procs.All() {
		rating := x.nodes.At(x.nodes.Of(proc)).Rating
		share := 1.0
		if d := asked.SLA.Deadline; d.Finite() && d > 0 {
			need := float64(asked.Estimate) / float64(d) / rating
			share = need / max(need+load[proc], 1e-9)
		} else if load[proc] > 0 {
			share = max(1e-6, 1-load[proc])
		}
		slowest = max(slowest, float64(asked.Estimate)/(min(1, share)*rating))
	}
	return x.unix(t + market.Time(slowest))
}

// loads is what those who are on some processors need of each.
func (x *pricer) loads(procs market.Procs) map[int]float64 {
	load, last := map[int]float64{}, -1
	for proc := range procs.All() {
		index := x.nodes.Of(proc)
		if index == last { // processors come by node
			continue
		}
		last = index
		for _, id := range x.nodes.At(index).Tenants() {
			j := x.jobs.Find(id)
			if !j.Holds(procs) {
				continue
			}
			need, _ := x.standing(j)
			for i := range j.Ranks {
				if r := &j.Ranks[i]; r.Node == index {
					load[int(r.Proc)] += need / x.nodes.At(index).Rating
				}
			}
		}
	}
	return load
}
