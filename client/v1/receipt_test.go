package v1_test

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// A number of a receipt is shown without what rounding has left at its end, and with enough
// digits that what is worked out from it is what was charged.
func TestNumbersOfAReceipt(t *testing.T) {
	for value, want := range map[float64]string{
		20.000000000000004: "20", 20: "20", 0.1 + 0.2: "0.3", 1.0 / 3600: "0.00027777777777778", 5400: "5400", 1e7 + 0.25: "10000000.25", 0: "0",
	} {
		if got := (&v1.Input{Value: value}).Text(); got != want {
			t.Errorf("%v is shown as %s, want %s", value, got, want)
		}
	}
}
