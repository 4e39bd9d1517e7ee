package journal

import (
	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/allowance"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/core/underway"
)

// Snapshot is all of an exchange, as plain data: what a snapshot holds.
type Snapshot struct {
	Origin  int64             `json:"origin"`
	Now     int64             `json:"now"`
	Epochs  []trade.EpochView `json:"epochs"`
	Rates   trade.Rates       `json:"rates"`
	Nodes   []*roster.Node    `json:"nodes"`
	Cluster *cluster.State    `json:"cluster,omitempty"`
	Ledger  ledger.State      `json:"ledger"`
	People  []accounts.Person `json:"people,omitempty"` // who are bound to accounts
	Bound   bool              `json:"bound,omitempty"`  // false: by their names, as in the first versions

	Allowances []allowance.Allowance `json:"allowances,omitempty"`
	Generation string                `json:"generation,omitempty"` // of the store
	Next       int64                 `json:"next"`
	Jobs       []*underway.Job       `json:"jobs"`
	Quotes     []*quote.Held         `json:"quotes"`
	Wake       market.Time           `json:"wake"`
	Record     trade.Track           `json:"record"`
	Watched    bool                  `json:"watched,omitempty"` // who has waited has to be let in
}
