package task_test

import (
	"maps"
	"testing"

	"github.com/libra-market/libra/core/task"
)

func TestLicenses(t *testing.T) {
	for text, want := range map[string]map[string]int{
		"matlab": {"matlab": 1}, "fluent:2,matlab": {"fluent": 2, "matlab": 1}, "fluent=2": {"fluent": 2}, "a@server:3": {"a@server": 3},
		"": nil, "a,": nil, "a:": nil, "a:0": nil, "a:-1": nil, "a:x": nil, "a b": nil, "a,a": nil, "a|b": nil, "a:9999999": nil, "--x y": nil, "a:1:2": nil,
	} {
		got, err := task.ReadLicenses(text)
		if !maps.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if some, err := task.LicensesOf([]string{"A=b", task.Licenses + "=" + text}); !maps.Equal(some, want) || (err == nil) != (want != nil) {
			t.Errorf("%q goes along as %v, %v", text, some, err)
		}
	}
	if some, err := task.LicensesOf([]string{"A=b"}); some != nil || err != nil {
		t.Errorf("%v, %v", some, err)
	}
}
