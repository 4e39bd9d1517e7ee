package broker

import (
	"time"
)

// Over makes a test decide when the time to quote is over.
func (o *Options) Over(when func() <-chan time.Time) { o.over = when }
