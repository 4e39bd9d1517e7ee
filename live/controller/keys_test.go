package controller

import "testing"

// What was carried out lately is known until its time is over, and asked of nobody else.
func TestLately(t *testing.T) {
	l := newLately()
	for i, name := range []string{"a", "b", "c"} {
		l.add(name, &known{at: int64(10 * i)})
	}
	l.forget(10)
	if l.byName["a"] != nil || l.byName["b"] == nil || len(l.byName) != 2 || len(l.order) != 2 {
		t.Errorf("%v, %v", l.byName, l.order)
	}
	l.add("a", &known{at: 30}) // again
	l.forget(25)
	if len(l.byName) != 1 || l.byName["a"] == nil || len(l.order) != 1 {
		t.Errorf("%v, %v", l.byName, l.order)
	}
	l.forget(100)
	if len(l.byName) != 0 || len(l.order) != 0 {
		t.Errorf("%v, %v", l.byName, l.order)
	}
}
