package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// AskingEverybody is libra-sla that goes by no bounds.
func AskingEverybody() Policy { return &askingEverybody{newLibraSLA()} }

type askingEverybody struct{ *libraSLA }

func (p *askingEverybody) Admit(v book.View, j *market.Job, a *Answer) {
	p.admit(v, j, a, (*libraSLA).askAll)
}

// NothingIsSmall makes the processors of the smallest cluster stand on shelves until
// it is undone.
func NothingIsSmall() (undo func()) {
	was := small
	small = 0
	return func() { small = was }
}

// Apart is how many houses libra sums when somebody asks, because the claims there
// move with time.
func Apart(p Policy) int { return len(p.(*libra).full.apart) }

// Blur is how far rounding may make a job seem late.
func Blur(e *book.Entry) float64 { return blur(e) }
