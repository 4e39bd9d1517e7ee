package controller_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/libra-market/libra/core/trade"
)

// A statement that was looked at before, and only added to since, is what one
// added up anew is; and one of the past agrees with both.
func TestAStatementThatIsKeptUpToDateIsRight(t *testing.T) {
	f := open(t, nil)
	began := int64(0)
	for i := range 6 {
		o := f.submit("", trade.Request{EstimateMS: 1000, DeadlineMS: 20_000})
		f.ended("n1", f.orders("n1", 1)[0].Spec.Key, time.Second)
		f.orders("n1", 0)
		if j := f.job(o.Job.ID); j.State != trade.Completed {
			t.Fatalf("%+v", j)
		}
		if i == 2 {
			began = f.job(o.Job.ID).EndedUS // a period that begins in the middle
		}
		for _, account := range []string{"lab/alice", "lab"} {
			for _, from := range []int64{0, began} {
				kept, err := f.Statement(t.Context(), account, account == "lab", from, math.MaxInt64)
				if err != nil {
					t.Fatal(err)
				}
				past, err := f.Statement(t.Context(), account, account == "lab", from, time.Now().UnixMicro())
				if err != nil {
					t.Fatal(err)
				}
				past.Period = kept.Period
				if fmt.Sprint(kept) != fmt.Sprint(past) || !reflect.DeepEqual(kept.Lines, past.Lines) {
					t.Errorf("%s from %d:\nkept %+v\npast %+v", account, from, kept, past)
				}
			}
		}
	}
	before, err := f.Statement(t.Context(), "lab/alice", false, began, math.MaxInt64)
	if err != nil || len(before.Lines) == 0 || before.Opening == 0 {
		t.Fatalf("%+v %v", before, err)
	}
	f.restart()
	after, err := f.Statement(t.Context(), "lab/alice", false, began, math.MaxInt64)
	if err != nil || !reflect.DeepEqual(before.Lines, after.Lines) || before.Opening != after.Opening || before.Closing != after.Closing {
		t.Errorf("after a restart: %+v, want %+v (%v)", after, before, err)
	}
}
