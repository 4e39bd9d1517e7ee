package ledger

import (
	"fmt"
	"time"

	"github.com/libra-market/libra/core/market"
)

// Times are microseconds since 1970 in UTC, from then to the end of the year
// 9999. Package time is asked for dates of instants that are given and for
// nothing else: nothing in the core may come near a clock.
const (
	second int64 = 1_000_000
	day          = 24 * 60 * 60 * second

	lastInstant int64 = 253_402_300_799_999_999
)

// Period is a stretch of time: Start is in it, End is not.
type Period struct {
	Start int64 `json:"start_us"`
	End   int64 `json:"end_us"`
}

// MonthOf is the calendar month, in UTC, that has the instant in it. A time
// that is not between 1970 and 9999 counts as the nearest one that is.
func MonthOf(at int64) Period {
	year, month, _ := civil(min(max(at, 0), lastInstant)).Date()
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return Period{Start: first.UnixMicro(), End: first.AddDate(0, 1, 0).UnixMicro()}
}

// monthOf numbers months so that they read and compare: 202603 is March 2026.
func monthOf(at int64) int32 {
	year, month, _ := civil(at).Date()
	return market.Int32(year*100 + int(month))
}

func checkTime(at int64) error {
	if at < 0 || at > lastInstant {
		return fmt.Errorf("%w: %d microseconds since 1970 (want 1970 to 9999)", ErrTime, at)
	}
	return nil
}

func civil(at int64) time.Time { return time.UnixMicro(at).UTC() }

// stamp writes an instant to the second, as ISO 8601 has it.
func stamp(at int64) string { return civil(at).Format("2006-01-02T15:04:05Z") }

// exactStamp writes an instant to the microsecond.
func exactStamp(at int64) string { return civil(at).Format("2006-01-02T15:04:05.000000Z") }
