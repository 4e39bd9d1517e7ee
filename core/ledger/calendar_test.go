package ledger

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Months touch, and every instant is in its own.
func TestMonthsCoverTheCalendar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Int64Range(0, lastInstant).Draw(t, "at")
		month := MonthOf(at)
		if at < month.Start || at >= month.End {
			t.Fatalf("%s is not in its month, %+v", exactStamp(at), month)
		}
		if MonthOf(month.End-1) != month || MonthOf(month.Start) != month {
			t.Fatalf("the edges of %+v are in other months", month)
		}
		if month.End <= lastInstant && MonthOf(month.End).Start != month.End {
			t.Fatalf("after %+v comes %+v", month, MonthOf(month.End))
		}
	})
}

func TestDates(t *testing.T) {
	for _, c := range []struct {
		at    int64
		stamp string
		month int32
		days  int64
	}{
		{0, "1970-01-01T00:00:00.000000Z", 197001, 31},
		{951_782_399_999_999, "2000-02-28T23:59:59.999999Z", 200002, 29}, // a leap year, as a century that is a fourth
		{951_868_800_000_001, "2000-03-01T00:00:00.000001Z", 200003, 31},
		{4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z", 210003, 31}, // and one that is not
		{lastInstant, "9999-12-31T23:59:59.999999Z", 999912, 31},
	} {
		month := MonthOf(c.at)
		if exactStamp(c.at) != c.stamp || stamp(c.at) != c.stamp[:19]+"Z" || monthOf(c.at) != c.month ||
			month.End-month.Start != c.days*24*time.Hour.Microseconds() {
			t.Errorf("%d is %s, month %d, %+v; want %+v", c.at, exactStamp(c.at), monthOf(c.at), month, c)
		}
	}
}

func TestMonthOfTimesThatCannotBe(t *testing.T) {
	if got := MonthOf(-1); got != MonthOf(0) {
		t.Errorf("before 1970: %+v", got)
	}
	if got := MonthOf(1 << 62); got != MonthOf(lastInstant) {
		t.Errorf("after 9999: %+v", got)
	}
}
