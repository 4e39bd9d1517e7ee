package workload

import "math"

// day is the daily cycle: how many jobs arrive in each half hour. It relates
// the hours to a clock that runs as fast as jobs arrive, and by which gaps
// between arrivals look alike at all hours; over a day both pass the same time.
type day struct {
	pace    [halfHours]float64     // of that clock, 1 on average
	elapsed [halfHours + 1]float64 // on that clock, since midnight
}

const halfHour = 1800.0

func newDay() day {
	var d day
	sum := 0.0
	for i := range d.pace {
		x := float64(i) + 0.5
		if i < dayStart {
			x += halfHours // before 11:00: late in the day that began yesterday
		}
		d.pace[i] = math.Exp(float64((dayShape-1)*math.Log(x)) - x/dayScale)
		sum += d.pace[i]
	}
	for i := range d.pace {
		d.pace[i] *= halfHours / sum
		d.elapsed[i+1] = d.elapsed[i] + float64(halfHour*d.pace[i])
	}
	return d
}

// at converts the time of that clock to seconds.
func (d *day) at(clock float64) float64 {
	whole := d.elapsed[halfHours]
	days := math.Floor(clock / whole)
	rest := clock - float64(days*whole)
	i := 0
	for i < halfHours-1 && rest >= d.elapsed[i+1] {
		i++
	}
	return float64((days*halfHours+float64(i))*halfHour) + (rest-d.elapsed[i])/d.pace[i]
}

// gamma draws from a gamma distribution of shape above 1 (the method of
// Marsaglia and Tsang, 2000).
func gamma(d *draws, shape, scale float64) float64 {
	k := shape - 1.0/3
	c := 1 / math.Sqrt(9*k)
	for {
		z := d.NormFloat64()
		v := 1 + float64(c*z)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-d.Float64()) < float64(0.5*z*z)+k-float64(k*v)+float64(k*math.Log(v)) {
			return k * v * scale
		}
	}
}
