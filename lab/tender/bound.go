package tender

import (
	"github.com/libra-market/libra/lab/ceiling"
	"github.com/libra-market/libra/lab/grid"
)

// Bound is what nobody could have exceeded, beside what a run came to.
type Bound struct {
	// Profit is of all applications, whoever had taken which of them where.
	Profit float64 `json:"profit"`
	// Optional is of those taken, where they are; nil where a policy sells no optional parts.
	Optional *Optional `json:"optional"`
}

// Optional is what optional parts paid, and the most that they could have.
type Optional struct {
	Paid  float64 `json:"paid"`
	First float64 `json:"mandatory_first"` // under the best order of optional parts behind the mandatory ones
	Kept  float64 `json:"mandatory_kept"`  // under the best order of all parts that keeps the mandatory ones
}

// OptionalParts looks back at a run of a policy that sells optional parts.
func OptionalParts(sites []grid.Resource, apps []grid.Application, outcomes []Outcome) (*Optional, error) {
	at := make([][]grid.Application, len(sites))
	o := &Optional{}
	for i := range outcomes {
		if !outcomes[i].Accepted {
			continue
		}
		a := apps[i]
		at[outcomes[i].seller] = append(at[outcomes[i].seller], a)
		worth := float64(a.Jobs) * float64(a.Worth+a.Budget.At(0))
		o.Paid += max(0, float64(outcomes[i].Receipt.Paid)-worth)
	}
	for s, r := range sites {
		kept, err := ceiling.Kept(r, at[s])
		if err != nil {
			return nil, err
		}
		o.Kept += kept
		o.First += ceiling.First(r, at[s])
	}
	return o, nil
}
