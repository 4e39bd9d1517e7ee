package slurm

import "fmt"

// membership is how a node stands in the market, for all that the market was told
// from here, and what it is being told right now. One thing is said at a time.
type membership uint8

// The states of a node.
const (
	member      membership = iota // nobody has said that it is gone
	joining                       // it is being introduced, and was not said to be gone
	leaving                       // the market is being told that it is gone
	recalled                      // the same, and its agent was welcomed meanwhile
	away                          // the market was told that it is gone
	returning                     // and it is being introduced again
	doubted                       // what the market has heard last of that is not known
	memberships = int(doubted) + 1
)

var membershipNames = [memberships]string{"member", "joining", "leaving", "recalled", "away", "returning", "doubted"}

func (m membership) String() string { return membershipNames[m] }

// lost reports whether the market takes the node for lost, or is about to: to
// speak for such a node would bring it back.
func (m membership) lost() bool { return m == leaving || m == away || m == returning || m == doubted }

// busy reports whether the market is being told something.
func (m membership) busy() bool { return m != member && m != away && m != doubted }

// absent reports whether the node has to be introduced again before it is sold.
func (m membership) absent() bool { return m == away || m == doubted }

// memberEvent is what happens between a node and the market.
type memberEvent uint8

// The events that move a node.
const (
	givenUp      memberEvent = iota // it is taken for lost: the market is told from now on
	lossTaken                       // the market has answered that it is lost, or never was there
	lossFailed                      // the market could not be told that it is lost
	introduced                      // the market is told of it from now on, by this program itself
	welcomed                        // the market has taken it in, whoever introduced it
	answered                        // the introduction has ended, welcome or not
	memberEvents = int(answered) + 1
)

var memberEventNames = [memberEvents]string{"givenUp", "lossTaken", "lossFailed", "introduced", "welcomed", "answered"}

func (e memberEvent) String() string { return memberEventNames[e] }

// memberMoves say where a node goes on an event. What is not here cannot happen to
// a node in that state.
var memberMoves = [memberships]map[memberEvent]membership{
	// An agent introduces itself whenever it likes, so a welcome may come at any time.
	member:  {givenUp: leaving, introduced: joining, welcomed: member},
	joining: {welcomed: joining, answered: member},
	// What is answered with an error may have been heard: a store does not always say
	// whether it has written. And of a loss and a welcome that went out together nobody
	// knows which came last. What is so then is said at the next look.
	leaving:   {lossTaken: away, lossFailed: doubted, welcomed: recalled},
	recalled:  {lossTaken: doubted, lossFailed: doubted, welcomed: recalled},
	away:      {introduced: returning, welcomed: member},
	returning: {welcomed: joining, answered: doubted},
	doubted:   {givenUp: leaving, introduced: returning, welcomed: member},
}

// on moves a node. One to which that cannot happen stays where it is.
func (m membership) on(e memberEvent) (membership, error) {
	next, can := memberMoves[m][e]
	if !can {
		return m, fmt.Errorf("a node that is %s cannot be %s", m, e)
	}
	return next, nil
}

// attention is whether somebody comes for the orders of a node, and what the market
// has said of it since we started. It is beside the membership: a node that was lost
// is still asked after.
type attention uint8

const (
	unfollowed attention = iota // nobody comes for its orders
	awaited                     // somebody does, and the market has not answered yet
	stranger                    // the market has answered that it never joined
	instructed                  // the market has said what it wants of it
)

// informed reports whether it is known what the market wants of the node, if only
// that it wants nothing.
func (a attention) informed() bool { return a >= stranger }

// health is what Slurm says of a node. It is an observation, and goes from any to any.
type health uint8

const (
	unseen  health = iota // the partition has not been listed since it is known
	well                  // it can run jobs
	ill                   // it is in the partition and cannot
	outside               // it is not in the partition
)

// bad reports whether Slurm was seen to have no use for the node.
func (h health) bad() bool { return h >= ill }
