package agent

import "fmt"

// footing is how far a holder has come with a job of the batch system.
type footing uint8

// The states of a holder.
const (
	unlimited footing = iota // the quota has not been set: nothing is told of it
	limited                  // the quota is set: what is known may be told
	rejected                 // it could not be set before the job began, and the job was given up
	footings  = int(rejected) + 1
)

var footingNames = [footings]string{"unlimited", "limited", "rejected"}

func (f footing) String() string { return footingNames[f] }

// footingEvent is what happens to a holder.
type footingEvent uint8

// The events that move a holder.
const (
	quotaSet      footingEvent = iota // the group has its quota
	quotaFailed                       // and cannot have it, often enough
	numberReused                      // the number of the job is another job's now
	footingEvents = int(numberReused) + 1
)

var footingEventNames = [footingEvents]string{"quotaSet", "quotaFailed", "numberReused"}

func (e footingEvent) String() string { return footingEventNames[e] }

// footingMoves say where a holder goes on an event. What is not here cannot happen
// to one in that state.
var footingMoves = [footings]map[footingEvent]footing{
	unlimited: {quotaSet: limited, quotaFailed: rejected, numberReused: unlimited},
	limited:   {quotaSet: limited, numberReused: unlimited}, // a job that runs, runs on as it is
	rejected:  {numberReused: unlimited},                    // given up is given up
}

// on moves a holder. One to which that cannot happen stays where it is.
func (f footing) on(e footingEvent) (footing, error) {
	next, can := footingMoves[f][e]
	if !can {
		return f, fmt.Errorf("a job that is %s: %s cannot happen to it", f, e)
	}
	return next, nil
}
