package directive

import (
	"fmt"
	"strings"
	"time"
)

// begin reads when a job may begin: as a deadline is written, or none.
func (h *Head) begin(v string) error {
	if v == none {
		h.Request.BeginMS = 0
		return nil
	}
	ms, err := Deadline(v, h.at.Now)
	return put(&h.Request.BeginMS, ms, err)
}

// beginAt is sbatch's --begin: now+1hour, 16:00, tomorrow, 2026-11-15T14:30. A time that is
// over is now.
func (o *occurrence) beginAt() error {
	text := strings.ToLower(o.value)
	now := o.at.Now
	hours := map[string]int{"midnight": 0, "noon": 12, "fika": 15, "teatime": 16}
	switch hour, named := hours[text]; {
	case text == "now":
		o.Request.BeginMS = 0
		return nil
	case text == "today":
		text = now.Format("2006-01-02")
	case text == "tomorrow": // at this time of day
		o.Request.BeginMS = now.AddDate(0, 0, 1).UnixMilli() - now.UnixMilli()
		return nil
	case named:
		text = fmt.Sprintf("%02d:00", hour)
	}
	if at, is := clockTime(strings.ToUpper(text), now); is && !at.After(now) {
		o.Request.BeginMS = 0
		return nil
	}
	ms, err := slurmDeadline(text, now)
	if err != nil {
		if at, wrong := time.ParseInLocation("2006-01-02t15:04:05", text, now.Location()); wrong == nil {
			ms, err = until(o.value, at, now)
		}
	}
	return put(&o.Request.BeginMS, ms, err)
}
