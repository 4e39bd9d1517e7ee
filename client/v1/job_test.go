package v1_test

import (
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// A price that is nothing was agreed on like any other; where the market took nothing there
// is none.
func TestAPriceIsAgreedOn(t *testing.T) {
	for name, c := range map[string]struct {
		job  v1.Job
		want bool
	}{
		"running":                      {v1.Job{State: v1.Running, Price: 1, StartedUS: 1}, true},
		"waiting, for nothing":         {v1.Job{State: v1.Queued}, true},
		"done, for nothing":            {v1.Job{State: v1.Completed, StartedUS: 1}, true},
		"cancelled before it began":    {v1.Job{State: v1.Cancelled, Price: 1}, true},
		"cancelled while kept back":    {v1.Job{State: v1.Cancelled}, false},
		"kept back":                    {v1.Job{State: v1.Held}, false},
		"not taken, whatever it costs": {v1.Job{State: v1.Rejected, Price: 1}, false},
	} {
		if got := c.job.Agreed(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
