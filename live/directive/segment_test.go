package directive_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/directive"
)

// A segment says what #LIBRA lines say, whatever its order and however its values are written.
func TestASegmentSaysWhatLinesSay(t *testing.T) {
	for _, c := range []struct {
		name    string
		segment any
		want    v1.Request
	}{
		{"none", nil, v1.Request{}},
		{"nothing", map[string]any{}, v1.Request{}},
		{"values", map[string]any{"name": "x", "procs": json.Number("4"), "soft": true, "hold": false}, v1.Request{Name: "x", Processors: 4, Soft: true}},
		{"lists", map[string]any{"tags": []any{"a", json.Number("2"), true}, "after": []any{json.Number("12"), "13"}}, v1.Request{Tags: []string{"a", "2", "true"}, After: []int64{12, 13}}},
		{"what is said again", map[string]any{"env": []any{"A=b,c", "D="}}, v1.Request{Env: []string{"A=b,c", "D="}}},
		{"one of them", map[string]any{"env": "A=b,c"}, v1.Request{Env: []string{"A=b,c"}}},
		{"a wish beside tags", map[string]any{"wish": "first", "tags": "a"}, v1.Request{Tags: []string{"a", "wish:first"}}},
	} {
		h := directive.New(directive.Place{Now: noon})
		if err := h.SetAll(c.segment); err != nil || !reflect.DeepEqual(h.Request, c.want) {
			t.Errorf("%s: %+v, want %+v: %v", c.name, h.Request, c.want, err)
		}
	}
}

// What cannot be read is refused by its name.
func TestSegmentsThatCannotBeRead(t *testing.T) {
	for want, segment := range map[string]any{
		"libra: want names and values":          "begin",
		"libra.procs: ":                         map[string]any{"name": "x", "procs": "many", "tags": "a"},
		"libra.colour: ":                        map[string]any{"colour": "red"},
		"libra.env: \"none\"":                   map[string]any{"env": []any{"none", "A=b"}},
		"libra.tags: a list in a list":          map[string]any{"tags": []any{"a", []any{"b"}}},
		"libra.env: a list in a list":           map[string]any{"env": []any{"A=b", []any{"B=c"}}},
		"libra.name: <nil>: want a text":        map[string]any{"name": nil},
		"libra.tags: map[]: want a text":        map[string]any{"tags": []any{"a", map[string]any{}}},
		"libra.env: map[a:b]: want a text":      map[string]any{"env": []any{map[string]any{"a": "b"}, "A=b"}},
		"libra.deadline: ":                      map[string]any{"begin": "then", "deadline": true, "procs": json.Number("2")}, // in the order of the words
		"libra.reservation: \"a,b\": one reser": map[string]any{"reservation": []any{"a", "b"}},
	} {
		if err := directive.New(directive.Place{Now: noon}).SetAll(segment); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", segment, err, want)
		}
	}
}
