package policy

import (
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/pricing"
)

// fifo is the default of the batch systems of 002: strict order of arrival.
// The head blocks everybody, and nobody is ever dropped.
type fifo struct {
	tariff
	base float64
}

func newFIFO() *fifo { return &fifo{tariff: newTariff(), base: 1} }

func (f *fifo) settings() []Setting {
	return []Setting{number("pbase", &f.base, "price of a second of estimated runtime"), f.tariff.setting(), f.tariff.counted()}
}

// Admit queues whatever the cluster could ever hold.
func (f *fifo) Admit(v book.View, j *market.Job, a *Answer) {
	if !v.CouldHold(j) {
		a.refuse(market.CannotMeetResources)
		return
	}
	price := f.tariff.of(v, pricing.Static(market.Price(f.base), j.Estimate), j)
	a.queue(book.Terms{Price: price, Finish: market.Never, Latest: market.Never})
}

// Plan starts jobs from the head while they fit.
func (f *fifo) Plan(v book.View, d *book.Draft) { startHeads(v, d) }

// startHeads starts waiting jobs in order while they fit and returns the first
// that does not, if any.
func startHeads(v book.View, d *book.Draft) (blocked book.Slot, ok bool) {
	for {
		head, ok := v.Head()
		if !ok {
			return book.NoSlot, false
		}
		j := &v.Entry(head).Job
		if !v.HasIdle(j, int(j.Width)) {
			return head, true
		}
		d.Start(head)
	}
}

var _ Policy = (*fifo)(nil)
