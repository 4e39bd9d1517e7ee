package tender

import (
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/plain"
	"github.com/libra-market/libra/lab/grid"
)

// Outcome is what became of one application.
type Outcome struct {
	ID       string
	Offered  market.Price // the most it would pay
	Accepted bool
	Reason   market.Reason // why it was refused
	Site     string
	Gain     market.Price // what the site expected of it
	Receipt  grid.Receipt

	seller int
}

// Header is the first line of the table of applications.
const Header = "id,accepted,site,gain,mandatory_finish,end,optional_mi,budget\n"

// AppendCSV writes the outcome as a line of the table of applications. What a
// refused application does not have is empty; numbers are not rounded.
func (o *Outcome) AppendCSV(line []byte) []byte {
	line = appendText(line, o.ID)
	line = append(line, ',')
	line = strconv.AppendBool(line, o.Accepted)
	if !o.Accepted {
		return append(line, ",,,,,,\n"...)
	}
	line = appendText(append(line, ','), o.Site)
	for _, x := range [...]float64{
		float64(o.Gain), float64(o.Receipt.Mandatory), float64(o.Receipt.End), float64(o.Receipt.Optional), float64(o.Receipt.Paid),
	} {
		line = strconv.AppendFloat(append(line, ','), x+0, 'f', -1, 64) // no minus before 0
	}
	return append(line, '\n')
}

// appendText quotes what a reader of CSV would take apart, and guards what a
// spreadsheet would work out.
func appendText(line []byte, text string) []byte {
	text = plain.Guard(text)
	if !strings.ContainsAny(text, ",\"\r\n") {
		return append(line, text...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(text, `"`, `""`)...)
	return append(line, '"')
}

// Summary is the result of a run in numbers.
type Summary struct {
	Policy       string        `json:"policy"`
	Refuse       string        `json:"refuse"`
	Applications int           `json:"applications"`
	Accepted     int           `json:"accepted"`
	Acceptance   float64       `json:"acceptance"` // of those submitted
	Infeasible   int           `json:"infeasible"` // refused: no site could
	NoGain       int           `json:"no_gain"`    // refused: no site gained
	Profit       float64       `json:"profit"`     // all that was paid
	Offered      float64       `json:"offered"`    // all that could have been: a bound
	OptionalMI   float64       `json:"optional_mi"`
	End          float64       `json:"end"` // when the last job left
	Sites        []SiteSummary `json:"sites"`
	Hurdle       float64       `json:"hurdle,omitempty"`
	Bound        *Bound        `json:"bound,omitempty"` // where it was asked for

	WallSeconds           float64 `json:"wall_seconds"`
	ApplicationsPerSecond float64 `json:"applications_per_second"`
}

// SiteSummary is the part of one site.
type SiteSummary struct {
	Site     string  `json:"site"`
	Accepted int     `json:"accepted"`
	Profit   float64 `json:"profit"`
}

// Summarize sums up a run.
func Summarize(policy string, t *Tender, outcomes []Outcome) *Summary {
	s := &Summary{Policy: policy, Refuse: t.Refuse.String(), Hurdle: t.Hurdle, Applications: len(outcomes)}
	for _, seller := range t.Sellers {
		s.Sites = append(s.Sites, SiteSummary{Site: seller.Name()})
	}
	for i := range outcomes {
		o := &outcomes[i]
		s.Offered += float64(o.Offered)
		switch {
		case o.Accepted:
			paid := float64(o.Receipt.Paid)
			s.Accepted++
			s.Profit += paid
			s.OptionalMI += float64(o.Receipt.Optional)
			s.End = max(s.End, float64(o.Receipt.End))
			s.Sites[o.seller].Accepted++
			s.Sites[o.seller].Profit += paid
		case o.Reason == market.NotWorthIt:
			s.NoGain++
		default:
			s.Infeasible++
		}
	}
	if s.Applications > 0 {
		s.Acceptance = float64(s.Accepted) / float64(s.Applications)
	}
	return s
}
