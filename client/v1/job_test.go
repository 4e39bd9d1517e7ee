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

// Who has been given processors and is not begun yet has not begun, also before a batch system has given
// it a number.
func TestWhatIsStartingHasNotBegun(t *testing.T) {
	for want, j := range map[int64]v1.Job{
		0: {State: v1.Running, StartedUS: 5, Starting: true},
		5: {State: v1.Running, StartedUS: 5},
		7: {State: v1.Running, StartedUS: 5, Batch: "4711", BegunUS: 7},
	} {
		if got := j.Begun(); got != want {
			t.Errorf("%+v: it began at %d, want %d", j, got, want)
		}
	}
}
