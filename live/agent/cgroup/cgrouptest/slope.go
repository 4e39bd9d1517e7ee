package cgrouptest

// Slope is that of the line of least squares through some points: of readings of
// processor time over time, the share. The difference of two readings alone is off
// by up to what the kernel grants at a time.
func Slope(x, y []float64) float64 {
	n, meanX, meanY := float64(len(x)), 0.0, 0.0
	for i := range x {
		meanX += x[i] / n
		meanY += y[i] / n
	}
	xy, xx := 0.0, 0.0
	for i := range x {
		xy += (x[i] - meanX) * (y[i] - meanY)
		xx += (x[i] - meanX) * (x[i] - meanX)
	}
	return xy / xx
}
