package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
)

// curveFactors are the deadlines of a curve, in estimates.
var curveFactors = []float64{1, 1.25, 1.5, 2, 3, 5, 8, 13}

const curveBar = 24

// drawCurve asks what a job costs with other deadlines, its own among them.
func (o *quoteOptions) drawCurve(ctx context.Context, con *console, market *client.Client, request v1.Request) error {
	deadlines := make([]int64, 0, len(curveFactors)+1)
	for _, factor := range curveFactors {
		deadlines = append(deadlines, int64(factor*float64(request.EstimateMS)))
	}
	own := request.DeadlineMS
	if own > 0 {
		deadlines = append(deadlines, own)
	}
	slices.Sort(deadlines)
	deadlines = slices.Compact(deadlines)
	points := make([]v1.PricePoint, 0, len(deadlines))
	for _, deadline := range deadlines {
		request.DeadlineMS = deadline
		point := v1.PricePoint{Factor: float64(deadline) / float64(request.EstimateMS), DeadlineMS: deadline}
		q, err := market.Preview(ctx, request)
		no, refused := errors.AsType[*client.Problem](err)
		if refused && request.Budget == nil && no.Reason == v1.ReasonBudget {
			if least, bid := leastBid(ctx, market, request); bid {
				point.Price, point.From = least, true
				points = append(points, point)
				continue
			}
		}
		switch {
		case refused && no.ExitCode() == exitRefused:
			point.Refused = no.Reason
		case err != nil:
			return err
		default:
			point.Price = q.Price
		}
		points = append(points, point)
	}
	if o.json {
		return con.writeJSON(points)
	}
	processors := request.Procs()
	if request.Array != nil { // its estimate is of one element
		processors *= request.Array.Len()
	}
	b := priceBoard(points, processors, own)
	return b.paint(con.out, con.colours())
}

// leastBid is what a job costs at the least where it costs what it bids: a bid of next
// to nothing is refused with an offer of what would do.
func leastBid(ctx context.Context, market *client.Client, request v1.Request) (int64, bool) {
	nothing := int64(1)
	request.Budget = &nothing
	q, err := market.Preview(ctx, request)
	if err == nil {
		return q.Price, true
	}
	if no, refused := errors.AsType[*client.Problem](err); refused {
		for i := range no.Offers {
			if o := &no.Offers[i]; o.Change == "budget" {
				return o.Quote.Price, true
			}
		}
	}
	return 0, false
}

// priceBoard is prices against deadlines: a table with bars, and beside each price what
// that is for an hour of a processor, for small amounts are alike to the cent. The line of
// the deadline asked for stands out.
func priceBoard(points []v1.PricePoint, processors int, own int64) *board {
	b := &board{grid: grid{head: true, spare: []int{4, 1}}}
	b.row(headLook, "deadline", "x estimate", inUnit("price"), "an hour", "")
	most := int64(1)
	for _, p := range points {
		most = max(most, p.Price)
	}
	for _, p := range points {
		look, factor := plainLook, strconv.FormatFloat(p.Factor, 'f', 2, 64)
		if own > 0 && p.DeadlineMS == own {
			look = fineLook
		}
		if p.Refused != "" {
			b.row(badLook, flagSpan(p.DeadlineMS), factor, "no: "+p.Refused, "", "")
			continue
		}
		price := bare(p.Price)
		if p.From { // what is bid above that is the price
			price = "from " + price
		}
		b.row(look, flagSpan(p.DeadlineMS), factor, price, byTheHour(&p, processors), meter(float64(p.Price)/float64(most), curveBar))
	}
	return b
}

// byTheHour is what a point of a curve comes to for an hour of a processor.
func byTheHour(p *v1.PricePoint, processors int) string {
	hours := float64(p.DeadlineMS) / p.Factor / 3.6e6 * float64(max(1, processors))
	micros := float64(p.Price) / hours
	if !(micros >= 0 && micros < math.MaxInt64) {
		return "-"
	}
	return bare(int64(math.Round(micros)))
}
