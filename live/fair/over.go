package fair

import (
	"fmt"
	"time"
)

// Over says that somebody is over a limit.
type Over struct {
	Limit  string        // its name, as in the settings
	Detail string        // what there is too much of, and what to do
	After  time.Duration // when it is worth while to ask again
}

func (o *Over) Error() string { return o.Detail }

// Seconds is After as the header Retry-After has it: whole seconds, at least one.
func (o *Over) Seconds() int { return max(1, int((o.After+time.Second-1)/time.Second)) }

func over(limit string, after time.Duration, format string, args ...any) *Over {
	return &Over{Limit: limit, After: after, Detail: fmt.Sprintf(format, args...)}
}

// TooMany is what holds of something that is counted.
func TooMany(limit string, after time.Duration, format string, args ...any) error {
	return over(limit, after, format, args...)
}
