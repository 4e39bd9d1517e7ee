package controller

// standing is whether a market takes commands, and if not, what it takes for that.
type standing uint8

const (
	trading standing = iota // it takes them
	ahead                   // the log could not be written: the exchange is ahead of the store, and is read back
	broken                  // an invariant does not hold: what the exchange says cannot be trusted, until somebody starts it anew
	standings
)

// turn is what happens to a standing.
type turn uint8

const (
	notWritten   turn = iota // a batch could not be written
	contradicted             // an invariant was found broken
	readBack                 // the exchange is what the store says
	turns
)

// moves is what each makes of each.
var moves = [standings][turns]standing{
	trading: {notWritten: ahead, contradicted: broken, readBack: trading},
	ahead:   {notWritten: ahead, contradicted: broken, readBack: trading},
	broken:  {notWritten: broken, contradicted: broken, readBack: broken},
}

// gate is where commands come in. It is the loop's alone.
type gate struct {
	standing
	closed error // why nothing is taken; nil: it is
}

// turn makes what happened of the standing. Why it is closed is what closed it last,
// but for one that nothing opens.
func (g *gate) turn(t turn, why error) {
	was := g.standing
	if g.standing = moves[was][t]; was != broken {
		g.closed = why
	}
}
