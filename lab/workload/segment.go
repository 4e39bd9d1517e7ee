package workload

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/libra-market/libra/core/market"
)

// SimulationSegment is the segment of a job specification that says what only a
// simulation wants to know.
const SimulationSegment = "simulation"

// ReadSegment takes in what the segment says of an arrival.
func (a *Arrival) ReadSegment(segment any) error {
	said, isMap := segment.(map[string]any)
	if !isMap {
		return fmt.Errorf("%s: want submit and runtime", SimulationSegment)
	}
	for name, value := range said {
		number, _ := value.(json.Number)
		x, err := number.Float64()
		if err != nil || x < 0 {
			return fmt.Errorf("%s.%s: %v is not 0 or more", SimulationSegment, name, value)
		}
		switch name {
		case "submit":
			a.Job.Submit = market.Time(x)
		case "runtime":
			a.Actual = market.Work(x)
		case "class":
			if a.Job.Class = int32(min(x, math.MaxInt32)); float64(a.Job.Class) != x {
				return fmt.Errorf("%s.class: %v is not a whole number", SimulationSegment, value)
			}
		case "optional_rate":
			a.Job.SLA.Bonus = market.Price(x)
		default:
			return fmt.Errorf("%s.%s: unknown field (want submit, runtime, class, optional_rate)", SimulationSegment, name)
		}
	}
	return a.Job.Validate()
}

// Segment is what [Arrival.ReadSegment] has to be told of an arrival beside its job;
// nil: nothing.
func (a *Arrival) Segment() map[string]any {
	said := map[string]any{}
	add := func(name string, value, usual float64) {
		if value != usual {
			said[name] = value
		}
	}
	add("submit", float64(a.Job.Submit), 0)
	add("runtime", float64(a.Actual), float64(a.Job.Estimate))
	add("class", float64(a.Job.Class), 0)
	add("optional_rate", float64(a.Job.SLA.Bonus), 0)
	if len(said) == 0 {
		return nil
	}
	return said
}
