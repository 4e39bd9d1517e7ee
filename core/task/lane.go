package task

// Lane is how far a task has come with the elements of an array, which it runs one after
// the other. It is for those who look: nothing is decided or owed by it, and nobody writes
// it down. How all of them ended is in the Status of a task that has.
type Lane struct {
	Key

	After int       `json:"after,omitempty"` // so many that have ended were told of before
	Ended []Element `json:"ended,omitempty"` // those after them
	Begun *Element  `json:"begun,omitempty"` // the one that runs
}

// Told is how many elements of a lane are known to have ended: the next word of it goes on
// from there. Who has forgotten some is told of them again.
type Told struct {
	Key

	Ended int `json:"ended"`
}
