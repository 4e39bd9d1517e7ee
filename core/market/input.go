package market

// Input is a number that went into a price or a bill, so that it can be worked out
// again by hand.
type Input struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}
