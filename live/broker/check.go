package broker

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// What a cluster says is checked against itself and against what was asked: a
// broker can see no more from outside. The clocks of two machines differ, so
// times are compared with those that the same cluster named.

const (
	clockSlack = time.Minute // by which clocks may differ
	mostMoney  = int64(1e17)
)

// quoteLie says how a quote contradicts itself or the request; "": it does not.
func quoteLie(asked *v1.Request, q *v1.Quote, binding bool, now int64) string {
	switch {
	case q.Price < 0 || q.Price > mostMoney:
		return fmt.Sprintf("a price of %d", q.Price)
	case asked.Budget != nil && q.Price > *asked.Budget:
		return fmt.Sprintf("a price of %s above the budget of %s", market.Money(q.Price), market.Money(*asked.Budget))
	case !sameTerms(asked, &q.Request):
		return "a quote for another request"
	case q.OptionalMost < 0 || q.OptionalMost > mostMoney || q.OptionalMost > 0 && asked.Optional == nil:
		return "a price for an optional part that nobody asked for"
	case q.FinishUS != 0 && (q.FinishUS < q.MadeUS || q.FinishUS < now-clockSlack.Microseconds()):
		return "a finish in the past"
	case q.PredictedUS != 0 && q.PredictedUS < q.MadeUS:
		return "a finish in the past"
	case !(q.Odds >= 0 && q.Odds <= 1) || !(q.Share >= 0 && q.Share <= 1) || q.Width < 0 || q.Width > market.MaxWidth:
		return "a quote with impossible numbers"
	case binding && (!plainID(q.ID) || !q.Binding || q.ExpiresUS <= q.MadeUS):
		return "a quote that does not bind"
	}
	return ""
}

// sameTerms compares what a price depends on. Who asks for no memory may be sold some.
func sameTerms(a, b *v1.Request) bool {
	return sameEstimate(a.EstimateMS, b.EstimateMS) && a.DeadlineMS == b.DeadlineMS && a.Soft == b.Soft && sameBudget(a.Budget, b.Budget) &&
		a.PenaltyMicros == b.PenaltyMicros && a.Procs() == b.Procs() && max(1, a.Threads) == max(1, b.Threads) &&
		(a.MemoryMB == b.MemoryMB || a.MemoryMB == 0) && a.DiskMB == b.DiskMB && a.GPUs == b.GPUs && a.GPUKind == b.GPUKind && sameNodes(a, b) && a.Class == b.Class && a.Array.Equal(b.Array) && sameOptional(a.Optional, b.Optional)
}

// sameNodes compares on which nodes they may be, and as whose jobs. Who names no partition, or QOS, is
// in the usual one, and a market that has none passes the name over.
func sameNodes(a, b *v1.Request) bool {
	return slices.Equal(a.Nodelist, b.Nodelist) && slices.Equal(a.Exclude, b.Exclude) && a.Constraint == b.Constraint &&
		a.Reservation == b.Reservation && sameName(a.Partition, b.Partition) && sameName(strings.ToLower(a.QOS), strings.ToLower(b.QOS))
}

func sameName(a, b string) bool { return a == b || a == "" || b == "" }

// sameEstimate allows for the least that a market sells.
func sameEstimate(a, b int64) bool { return a == b || a < b && b <= mostLeast }

// mostLeast is the most that such a least may be, in milliseconds, to be believed.
const mostLeast = 1000

func sameBudget(a, b *int64) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

func sameOptional(a, b *v1.Optional) bool {
	return (a == nil) == (b == nil) && (a == nil || a.WorkMS == b.WorkMS && a.RateMicros == b.RateMicros)
}

// plainID reports whether a text can be an ID that a cluster drew.
func plainID(id string) bool {
	for i := range len(id) {
		c := id[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return id != "" && len(id) <= 64
}

// jobLie says how a job that was taken contradicts the quote it was taken on.
func jobLie(quoted int64, j *v1.Job) string {
	switch {
	case j.ID <= 0:
		return "a job without a number"
	case !known(j.State):
		return fmt.Sprintf("a job in the state %q", clipped(string(j.State)))
	case j.State == v1.Rejected:
		return "a job that was taken and refused at once"
	case j.Price < 0 || j.Price > mostMoney || quoted >= 0 && j.Price > quoted:
		return fmt.Sprintf("a price of %s for what was quoted at %s", market.Money(j.Price), market.Money(quoted))
	}
	return ""
}

// billLie says how a bill contradicts what was agreed. An optional part is paid
// for beside the price, as far as it was executed.
func billLie(agreed, optional int64, r *v1.Request, j *v1.Job) string {
	if r.Optional == nil {
		optional = 0
	}
	most := agreed + optional
	for _, e := range j.Extensions {
		most += max(0, e.Price)
	}
	switch {
	case j.Charged < 0 || j.Charged > most:
		return fmt.Sprintf("a charge of %s for what was agreed at %s", market.Money(j.Charged), market.Money(most))
	case r.Budget != nil && j.Charged > max(agreed, *r.Budget)+optional:
		return fmt.Sprintf("a charge of %s beyond the budget of %s", market.Money(j.Charged), market.Money(*r.Budget))
	case j.Penalty < 0:
		return "a penalty below nothing"
	}
	return ""
}

func known(s v1.State) bool {
	for _, one := range v1.States() {
		if s == one {
			return true
		}
	}
	return false
}
