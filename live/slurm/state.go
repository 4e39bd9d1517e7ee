package slurm

import "fmt"

// state is how far one attempt of a job has come, for all that is known here.
type state uint8

// The states of a run, in the order in which it goes through them.
const (
	ordered     state = iota // the market wants it; nothing of it was ever handed to Slurm
	unconfirmed              // it was handed in, and whether Slurm has it is not known
	absent                   // it was handed in, or may have been, and Slurm does not have it
	held                     // Slurm has it and keeps it from starting until it is released
	releasing                // it is durable that it may have started; Slurm has not confirmed it
	released                 // Slurm has confirmed that it may start
	running                  // Slurm was seen to run it
	ended                    // how it ended is known
	reported                 // and the market has written it down
	states      = int(reported) + 1
)

var stateNames = [states]string{"ordered", "unconfirmed", "absent", "held", "releasing", "released", "running", "ended", "reported"}

func (s state) String() string { return stateNames[s] }

// inSlurm reports whether there is a job of a number in Slurm, for all that is known.
func (s state) inSlurm() bool { return s >= held && s <= running }

// mayHaveStarted reports whether the job may have been started: it must not be
// handed in again.
func (s state) mayHaveStarted() bool { return s >= releasing && s <= running }

// over reports whether it is known how it ended.
func (s state) over() bool { return s >= ended }

// event is what is observed of a run, or done to it.
type event uint8

// The events that move a run.
const (
	sent      event = iota // a submission goes out, or one before us may have sent it
	numbered               // Slurm has answered with its number, or lists it
	unlisted               // Slurm lists jobs long after it was sent, and not this one
	noted                  // it was made durable that it may have started
	confirmed              // Slurm has answered that it may start
	seenToRun              // Slurm lists it as running
	vanished               // Slurm does not have it any more, and it never started
	finished               // it is known how it ended
	told                   // the market has written the end of all its tasks down
	reordered              // the market wants a task of it that it was not told of
	events    = int(reordered) + 1
)

var eventNames = [events]string{"sent", "numbered", "unlisted", "noted", "confirmed", "seenToRun", "vanished", "finished", "told", "reordered"}

func (e event) String() string { return eventNames[e] }

// transitions say where a run goes on an event. What is not here cannot happen to
// a run in that state.
var transitions = [states]map[event]state{
	ordered:     {sent: unconfirmed, numbered: held, finished: ended},
	unconfirmed: {sent: unconfirmed, numbered: held, unlisted: absent, finished: ended},
	absent:      {sent: unconfirmed, numbered: held, finished: ended},
	held:        {noted: releasing, seenToRun: running, vanished: absent, finished: ended},
	// Slurm may forget a release, so one may be repeated: that changes nothing about
	// what has been confirmed before.
	releasing: {noted: releasing, confirmed: released, seenToRun: running, finished: ended},
	released:  {noted: released, confirmed: released, seenToRun: running, finished: ended},
	running:   {seenToRun: running, finished: ended},
	ended:     {told: reported},
	reported:  {reordered: ended},
}

// misfit is an event that cannot happen to a run in its state: a mistake of this
// program, not of Slurm or of the market.
type misfit struct {
	in state
	on event
}

func (m *misfit) Error() string { return fmt.Sprintf("a run that is %s cannot be %s", m.in, m.on) }

// on moves a run. One to which that cannot happen stays where it is, and it is
// kept for the log.
func (r *run) on(e event) {
	next, can := transitions[r.state][e]
	if !can {
		r.misfit = &misfit{r.state, e}
		return
	}
	r.state = next
	r.moved()
}

// stopState is how far the end of a run in Slurm has been asked for. It goes beside
// the state: a job goes on being held, or running, until Slurm says that it is over.
type stopState uint8

const (
	goesOn     stopState = iota // nobody asked
	terminated                  // it was asked to end, and has its grace
	killed                      // it was ended at once
)

// stopAfter says how far its end is asked for when it is asked for now. It never
// goes back.
func (s stopState) stopAfter(atOnce bool) stopState {
	if atOnce || s == killed {
		return killed
	}
	return terminated
}

// durability is what is on disk of a run.
type durability uint8

const (
	unwritten durability = iota // there is no note
	attempted                   // there may be a note, and what it says may be old
	durable                     // there is one, with the number of the job in Slurm
)
