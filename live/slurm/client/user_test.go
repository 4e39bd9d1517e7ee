package client

import (
	"errors"
	"testing"
	"time"
)

// Slurm runs a job as whoever it is handed in for: a user of the system has to be
// named.
func TestJobsOfSystemUsersAreRefused(t *testing.T) {
	for _, c := range []struct {
		name, named string
		ok          bool
	}{{"root", "", false}, {"root", "daemon", false}, {"root", "root", true}, {"daemon", "", false}, {"nobody", "root", false}} {
		o := owners{now: time.Now, named: []string{c.named}}
		for range 2 { // what is remembered is no way around
			if _, err := o.find(t.Context(), c.name); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrRefused) {
				t.Errorf("%s with %q named: %v", c.name, c.named, err)
			}
		}
	}
}
