// Package estimate proposes how long a program runs, from how long it ran before.
//
// It decides nothing: whoever submits may say another estimate, and is told from how
// many runs this one is and how sure it is. It knows a user's own runs alone, of the
// same program and, where there are enough of them, on as many processors.
package estimate
