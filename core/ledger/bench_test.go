package ledger

import (
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// crowd is a ledger of as many users, in projects of ten, and ten of those in
// each organisation; the money is with the projects.
func crowd(tb testing.TB, users int) (*book, []market.Account) {
	b := newBook(tb)
	keep := func(tx Tx, err error) {
		if err != nil {
			tb.Fatal(err)
		}
		if users <= 1000 { // a log is not wanted of larger ones
			b.log = append(b.log, tx)
		}
	}
	paths := make([]market.Account, users)
	for i := range paths {
		paths[i] = market.Account(fmt.Sprintf("org%d/project%d/user%d", i/100, i/10, i))
		keep(b.Open(march, paths[i]))
		if i%10 == 0 {
			above, _ := parent(paths[i])
			keep(b.Grant(march, above, 1<<40, ""))
			keep(b.SetLimit(march, above, 1<<50))
		}
	}
	return b, paths
}

func BenchmarkHoldCapture(b *testing.B) {
	for _, users := range []int{100, 10_000, 100_000} {
		b.Run(fmt.Sprintf("users=%d", users), func(b *testing.B) {
			book, paths := crowd(b, users)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				job, at := int64(i), march+int64(i)
				if _, err := book.Hold(at, job, paths[i*7919%users], 1000); err != nil {
					b.Fatal(err)
				}
				if _, err := book.Charge(at, job, 900); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	book, paths := crowd(b, 1000)
	for i := range 10_000 {
		book.do(book.Hold(march, int64(i), paths[i*7919%1000], 1000))
		book.do(book.Charge(march, int64(i), 900))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := Verify(State{}, replay(book.log), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(book.log))/b.Elapsed().Seconds(), "tx/s")
}

func BenchmarkState(b *testing.B) {
	book, _ := crowd(b, 10_000)
	b.ReportAllocs()
	for range b.N {
		if _, err := Restore(book.State()); err != nil {
			b.Fatal(err)
		}
	}
}
