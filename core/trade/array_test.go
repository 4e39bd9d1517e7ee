package trade

import (
	"fmt"
	"testing"
)

// An array is of indexes by rule or of a list of those, in order, each once.
func TestArraysThatMakeSense(t *testing.T) {
	for _, c := range []struct {
		a    Array
		good bool
	}{
		{Array{Last: MaxElements - 1}, true},
		{Array{Last: MaxElements}, false},
		{Array{Last: 2*MaxElements - 1, Step: 2}, true},
		{Array{First: 2, Last: 1}, false},
		{Array{First: -1}, false},
		{Array{Step: -1}, false},
		{Array{Limit: -1}, false},
		{Array{First: 1, Last: 9, List: []int{1, 2, 9}}, true},
		{Array{First: 1, Last: 9, List: []int{0, 2}}, false},
		{Array{First: 1, Last: 9, List: []int{2, 10}}, false},
		{Array{First: 1, Last: 9, List: []int{2, 2}}, false},
		{Array{First: 1, Last: 9, List: []int{3, 2}}, false},
		{Array{First: 1, Last: 9, Step: 4, List: []int{5, 9}}, true},
		{Array{First: 1, Last: 9, Step: 4, List: []int{4}}, false},
		{Array{First: 4, Last: 9, Step: 4, List: []int{0}}, false},
	} {
		if err := c.a.validate(); (err == nil) != c.good {
			t.Errorf("%+v: %v", c.a, err)
		}
	}
	if none := (&Array{First: 5, Last: 1}); none.Len() != 0 {
		t.Errorf("there are %d from 5 to 1", none.Len())
	}
}

// What lanes run of a list is all of it, each once; and an array is another if its list is.
func TestLanesOfAList(t *testing.T) {
	a := &Array{First: 1, Last: 9, List: []int{1, 4, 5, 8, 9}}
	var all []string
	for lane := range 2 {
		by, own := a.Lane(lane, 2)
		if by != nil {
			t.Errorf("lane %d runs by rule: %+v", lane, by)
		}
		all = append(all, fmt.Sprint(own))
	}
	if fmt.Sprint(all) != "[[1 5 9] [4 8]]" {
		t.Error(all)
	}
	same, other := *a, *a
	same.List, other.List = append([]int{}, a.List...), []int{1}
	if !a.asQuoted(&same) || a.asQuoted(&other) || a.asQuoted(nil) {
		t.Error("which arrays are the same is not known")
	}
	if a.Only([]int{1, 4, 5, 7, 8, 9}) != a || fmt.Sprint(a.Only([]int{4, 7}).List) != "[4]" || a.Only([]int{7}) != nil {
		t.Error("which of them are among some is not known")
	}
}
