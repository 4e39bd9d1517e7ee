package broker_test

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/wire"
)

// BenchmarkSubmit is a submission over three clusters in this process: three
// binding quotes, the job written down, handed over, written down again, and two
// quotes given back.
func BenchmarkSubmit(b *testing.B) {
	for _, wished := range []string{"cheapest", "first"} {
		b.Run(wished, func(b *testing.B) {
			w := three(b).start()
			command := trade.Command{By: alice, Submit: wire.ToSubmit(&v1.SubmitRequest{Request: job("a", wish(wished), func(r *v1.Request) {
				r.EstimateMS, r.DeadlineMS = 1000, 1e9
			})})}
			b.SetParallelism(4)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if o, _, err := w.broker.Do(b.Context(), command, api.Key{}); err != nil || o.Refusal != nil {
						b.Errorf("got %+v, %v", o.Refusal, err)
					}
				}
			})
		})
	}
}
