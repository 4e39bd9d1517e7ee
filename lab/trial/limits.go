package trial

import (
	"github.com/libra-market/libra/core/bound"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/workload"
)

// Limits are what no policy exceeds on these jobs and nodes.
func Limits(jobs workload.Source, nodes market.Nodes, effort bound.Effort) (bound.Limits, error) {
	arrivals, err := workload.Load(jobs)
	if err != nil {
		return bound.Limits{}, err
	}
	return bound.Of(func(yield func(*market.Job, market.Work) bool) {
		for i := range arrivals {
			if !yield(&arrivals[i].Job, arrivals[i].Actual) {
				return
			}
		}
	}, bound.NewCluster(nodes), effort), nil
}
