package fair

import (
	"errors"
	"strconv"
	"testing"
	"time"
)

func TestThrottle(t *testing.T) {
	now := time.Unix(1000, 0)
	th := NewThrottle("sign_in", 0.5, 3, func() time.Time { return now })
	for range 3 {
		if err := errors.Join(th.Check("a", ""), th.Take("a", "")); err != nil {
			t.Fatal(err)
		}
	}
	o, ok := errors.AsType[*Over](th.Take("a", "too many"))
	if !ok || o.Limit != "sign_in" || o.Seconds() != 2 || o.Detail != "too many" || th.Check("a", "") == nil {
		t.Fatalf("a fourth at once: %+v", o)
	}
	if err := th.Take("b", ""); err != nil {
		t.Errorf("another key: %v", err)
	}
	now = now.Add(2 * time.Second)
	if err := th.Take("a", ""); err != nil {
		t.Errorf("after a rest: %v", err)
	}
}

// Keys without end take no memory without end, and do not let each other in.
func TestAThrottleIsBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	th := NewThrottle("sign_in", 1, 2, func() time.Time { return now })
	passed := 0
	for i := range 3 * mostThrottled {
		if th.Take(strconv.Itoa(i), "") == nil {
			passed++
		}
	}
	if len(th.of) != mostThrottled || passed != mostThrottled+2 {
		t.Errorf("%d kept, %d passed", len(th.of), passed)
	}
	now = now.Add(time.Minute)
	if err := th.Take("late", ""); err != nil || len(th.of) != 1 {
		t.Errorf("after a rest %d are kept: %v", len(th.of), err)
	}
}
