package ledger

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestCalendarAgreesWithTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Int64Range(0, lastInstant).Draw(t, "at")
		agree(t, at)
		// The edges of months are where it would go wrong.
		month := MonthOf(at)
		agree(t, month.Start)
		if month.End <= lastInstant {
			agree(t, month.End)
			agree(t, month.End-1)
		}
	})
}

func agree(t *rapid.T, at int64) {
	t.Helper()
	want := time.UnixMicro(at).UTC()
	if got := exactStamp(at); got != want.Format("2006-01-02T15:04:05.000000Z") {
		t.Fatalf("%d is %s, want %s", at, got, want)
	}
	if got := monthOf(at); int(got) != want.Year()*100+int(want.Month()) {
		t.Fatalf("%d is in month %d, want that of %s", at, got, want)
	}
	first := time.Date(want.Year(), want.Month(), 1, 0, 0, 0, 0, time.UTC)
	if got := MonthOf(at); got != (Period{Start: first.UnixMicro(), End: first.AddDate(0, 1, 0).UnixMicro()}) {
		t.Fatalf("the month of %s is %+v", want, got)
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
