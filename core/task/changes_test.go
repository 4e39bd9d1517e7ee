package task

import (
	"reflect"
	"testing"
)

// What an order says beside what its task runs goes over the wire: nothing of it is left behind.
func TestAShareIsTheWholeOrder(t *testing.T) {
	var o Order
	v := reflect.ValueOf(&o).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Float64:
			f.SetFloat(0.5)
		case reflect.Int, reflect.Int64:
			f.SetInt(3)
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Struct: // the Spec
		default:
			t.Fatalf("%s is a %s", v.Type().Field(i).Name, f.Kind())
		}
	}
	o.Spec = Spec{Key: Key{Job: 1, Rank: 2, Attempt: 3}, BornUS: 4}
	s := o.Share()
	if got := s.Order(o.Spec); !reflect.DeepEqual(got, o) || s.BornUS != 4 || s.Key != o.Spec.Key {
		t.Errorf("%+v becomes %+v", o, got)
	}
}
