package trade

import (
	"strings"

	"github.com/libra-market/libra/core/bill"
	"github.com/libra-market/libra/core/market"
)

// Inputs are what a request says that goes into a price.
func (r *Request) Inputs(asked *market.Job) []market.Input {
	inputs := []market.Input{
		{Name: "E", Value: float64(asked.Estimate), Unit: "s"},
		{Name: "procs", Value: float64(asked.Width), Unit: ""},
	}
	if asked.SLA.Deadline.Finite() {
		inputs = append(inputs, market.Input{Name: "D", Value: float64(asked.SLA.Deadline), Unit: "s"})
	}
	if r.Budget != nil {
		inputs = append(inputs, market.Input{Name: "B", Value: float64(market.Money(*r.Budget).Price()), Unit: ""})
	}
	if r.Optional != nil && asked.Optional > 0 {
		inputs = append(inputs, market.Input{Name: "O", Value: float64(asked.Optional), Unit: "s"},
			market.Input{Name: "rate", Value: float64(market.Money(r.Optional.RateMicros).Price()), Unit: "1/s"})
	}
	return inputs
}

// InRoom is the price of so many elements of an array, of the one that the room costs which
// they have on so many lanes.
func (w *Working) InRoom(elements, lanes int) {
	room := lanes * ((elements + lanes - 1) / lanes)
	w.Inputs = append(w.Inputs, market.Input{Name: "elements", Value: float64(elements)}, market.Input{Name: "room", Value: float64(room)})
	w.Formula = "elements / room * (" + w.Formula + ")"
}

// InPartition is the price in a partition of a factor, of the market's. What is bid is bid.
func (w *Working) InPartition(factor int64) {
	if factor == 0 || Bids(w.Formula) {
		return
	}
	arithmetic, words, _ := strings.Cut(w.Formula, ", ")
	w.Inputs = append(w.Inputs, market.Input{Name: bill.PartitionRate, Value: float64(Times(1, factor))})
	w.Formula = strings.TrimSuffix(bill.PartitionRate+" * ("+arithmetic+"), "+words, ", ")
}
