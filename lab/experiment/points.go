package experiment

import (
	"regexp"
	"strconv"
)

// counted is how a judge says at how many points or steps of a figure something is so.
var counted = regexp.MustCompile(`(?:^|\bat )([0-9]+) of ([0-9]+)\b`)

// fewest is the least part of a figure that a judge has counted, as "8 of 9"; nothing
// if none was.
func fewest(measured string) (points string) {
	least := 2.0
	for _, m := range counted.FindAllStringSubmatch(measured, -1) {
		n, _ := strconv.ParseFloat(m[1], 64)
		of, _ := strconv.ParseFloat(m[2], 64)
		if of > 0 && n/of < least {
			least, points = n/of, m[1]+" of "+m[2]
		}
	}
	return points
}
