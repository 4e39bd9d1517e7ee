package workload

import "slices"

// roundTimes are the times people ask for, in seconds: a minute to two and a
// half days.
var roundTimes = [...]float64{
	60, 300, 600, 900, 1200, 1800, 2700, 3600, 7200, 10800, 14400, 18000, 21600, 28800, 36000, 43200, 64800, 86400,
	129600, 172800, 216000,
}

// userEstimate draws what a user asks for a job that takes runtime seconds.
// Logs show two things: estimates are round, and the part of them that is then
// used is spread evenly between none and all. So the runtime is divided by an
// even accuracy and rounded up. The users who ask too little take the round
// time below.
func userEstimate(d *draws, runtime, underestimates float64) float64 {
	under := d.Float64() < underestimates
	accuracy := 1 - d.Float64() // above 0
	if place, _ := slices.BinarySearch(roundTimes[:], runtime); under && place > 0 {
		return roundTimes[place-1]
	}
	place, _ := slices.BinarySearch(roundTimes[:], runtime/accuracy)
	if place < len(roundTimes) {
		return roundTimes[place]
	}
	return max(runtime, roundTimes[len(roundTimes)-1])
}
