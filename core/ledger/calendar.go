package ledger

import "fmt"

// Times are microseconds since 1970 in UTC, from then to the end of the year
// 9999. The calendar is reckoned here, and not by package time, because nothing
// in the core may come near a clock.
const (
	second int64 = 1_000_000
	day          = 24 * 60 * 60 * second

	lastInstant int64 = 253_402_300_799_999_999

	epochDays = 719_162 // from the first day of the year 1 to the first of 1970
)

// Period is a stretch of time: Start is in it, End is not.
type Period struct {
	Start int64 `json:"start_us"`
	End   int64 `json:"end_us"`
}

// MonthOf is the calendar month, in UTC, that has the instant in it. A time
// that is not between 1970 and 9999 counts as the nearest one that is.
func MonthOf(at int64) Period {
	year, month, _ := civil(min(max(at, 0), lastInstant) / day)
	start := daysBefore(year, month)
	if month++; month > 12 {
		year, month = year+1, 1
	}
	return Period{Start: start * day, End: daysBefore(year, month) * day}
}

// monthOf numbers months so that they read and compare: 202603 is March 2026.
func monthOf(at int64) int32 {
	year, month, _ := civil(at / day)
	return int32(year*100 + month)
}

func checkTime(at int64) error {
	if at < 0 || at > lastInstant {
		return fmt.Errorf("%w: %d microseconds since 1970 (want 1970 to 9999)", ErrTime, at)
	}
	return nil
}

// civil is the date of a day counted from 1970.
func civil(days int64) (year, month, date int64) {
	days += epochDays
	// Cycles of 400, 100, 4 and 1 years; the last of four centuries and the
	// last of four years are a day longer, and that day must not count as a
	// fifth.
	cycles := days / 146_097
	days %= 146_097
	centuries := min(days/36_524, 3)
	days -= centuries * 36_524
	fours := days / 1_461
	days %= 1_461
	ones := min(days/365, 3)
	days -= ones * 365
	year = 400*cycles + 100*centuries + 4*fours + ones + 1
	for month = 12; days < dayOfYear(year, month); month-- {
	}
	return year, month, days - dayOfYear(year, month) + 1
}

// daysBefore counts the days from 1970 to the first of a month.
func daysBefore(year, month int64) int64 {
	past := year - 1
	return past*365 + past/4 - past/100 + past/400 + dayOfYear(year, month) - epochDays
}

// dayOfYear counts the days of the year before the first of a month.
func dayOfYear(year, month int64) int64 {
	days := [...]int64{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}[month-1]
	if month > 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		days++
	}
	return days
}

// stamp writes an instant to the second, as ISO 8601 has it.
func stamp(at int64) string {
	year, month, date := civil(at / day)
	seconds := at % day / second
	return fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, date, seconds/3600, seconds/60%60, seconds%60)
}

// exactStamp writes an instant to the microsecond.
func exactStamp(at int64) string {
	text := stamp(at)
	return fmt.Sprintf("%s.%06dZ", text[:len(text)-1], at%second)
}
