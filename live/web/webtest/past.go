package webtest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// Past plays a stretch of the past on a floor: people submit what people submit,
// the nodes work, and at the end the clock goes on as the real one. The same seed
// gives the same past.
type Past struct {
	Floor *Floor
	Nodes []*Node
	Users []string
	Rate  float64       // micro-units for a second of a processor, about
	Each  float64       // jobs an hour, about
	Step  time.Duration // between two looks at the nodes
	Seed  uint64
	Tick  func(at time.Time) // after each step
}

var programs = []string{
	"align-reads", "render-frames", "fold-1crn", "monte-carlo", "train-small", "sweep-alpha", "compress-logs", "solve-poisson",
	"nightly-build", "index-corpus", "climate-slab", "dock-ligands", "mesh-wing", "price-options",
}

// Play plays from one time to another.
func (p *Past) Play(from, to time.Time) {
	p.Floor.Helper()
	draw := rand.New(rand.NewPCG(p.Seed, 1))
	ctx := context.Background()
	last := from
	for at := from; at.Before(to); at = at.Add(p.Step) {
		p.Floor.Clock.Set(at)
		// More by day than by night.
		busy := 0.65 + 0.45*math.Sin(2*math.Pi*(float64(at.Unix()%86400)/86400-0.3))
		if draw.Float64() < p.Each*busy*p.Step.Hours() {
			p.Floor.Submit(p.Users[draw.IntN(len(p.Users))], p.job(draw))
		}
		for _, n := range p.Nodes {
			n.Turn(ctx, at.Sub(last))
		}
		last = at
		if p.Tick != nil {
			p.Tick(at)
		}
	}
	p.Floor.Clock.Set(time.Time{})
}

// job draws what somebody asks for. Estimates are mostly too long, as people's
// are, and now and then too short.
func (p *Past) job(draw *rand.Rand) v1.Request {
	minutes := math.Round(math.Exp(draw.NormFloat64()*0.8 + 3.0))
	minutes = min(max(minutes, 3), 240)
	estimate := time.Duration(minutes) * time.Minute
	work := time.Duration(float64(estimate) * min(1.12, 0.55+0.5*draw.Float64())).Round(time.Second)
	r := v1.Request{
		Name:       programs[draw.IntN(len(programs))],
		EstimateMS: estimate.Milliseconds(),
		DeadlineMS: int64(float64(estimate.Milliseconds())*(1.25+5*draw.Float64()*draw.Float64())) / 60_000 * 60_000,
		Script:     fmt.Sprintf("#!/bin/sh\n#LIBRA estimate=%s\necho starting\nexec ./run --work %s\n# work %s\n", estimate, work, work),
	}
	if draw.Float64() < 0.2 {
		r.Processors = 2 + draw.IntN(3)
	}
	if draw.Float64() < 0.7 {
		width := max(1, r.Processors)
		budget := int64(math.Round(p.Rate*estimate.Seconds()*(0.9+1.4*draw.Float64())*float64(width)/1e5)) * 1e5
		r.Budget = &budget
	}
	if draw.Float64() < 0.3 {
		r.PenaltyMicros = int64(market.Unit) / 200
	}
	return r
}
