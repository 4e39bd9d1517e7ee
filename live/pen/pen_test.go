package pen

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/journal"
	"github.com/libra-market/libra/core/trade"
)

var words = []string{"", "a", "\x80", "q\"", "b\\", "<", ">", "&", "lab/alice", "a \"b\"\\", "<&>", "ü\u2028", "\x00\n", "\xff", "libra-%j.out"}

// fill draws a value: every field of it is empty now and then.
func fill(v reflect.Value, r *rand.Rand, deep int) {
	if r.IntN(3) == 0 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> r.IntN(64)) // cut to its size
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64() >> r.IntN(64))
	case reflect.Float64:
		f := math.Ldexp(r.Float64()-0.5, r.IntN(160)-80)
		if r.IntN(4) == 0 {
			f = math.Round(f)
		}
		if slices.Contains(numbers, v.Type()) && r.IntN(4) == 0 {
			f = []float64{math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(3)]
		}
		v.SetFloat(f)
	case reflect.String:
		v.SetString(words[r.IntN(len(words))])
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), r, deep)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), r, deep)
		}
	case reflect.Pointer:
		if deep > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), r, deep-1)
		}
	case reflect.Slice:
		n := r.IntN(3)
		if deep == 0 {
			n = 0
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(v.Index(i), r, deep-1)
		}
	default: // maps and interfaces stay empty
	}
}

// drawn is such a value of which all of the outermost is drawn.
func drawn[T any](r *rand.Rand) *T {
	v := new(T)
	for of, i := reflect.ValueOf(v).Elem(), 0; i < of.NumField(); i++ {
		fill(of.Field(i), r, 4)
	}
	return v
}

// What is written is what encoding/json writes, byte by byte.
func TestWritesLikeEncodingJSON(t *testing.T) {
	type body struct {
		Command trade.Command  `json:"cmd"`
		Steps   []journal.Step `json:"steps,omitempty"`
		Facts   *journal.Facts `json:"facts,omitempty"`
	}
	r := rand.New(rand.NewPCG(7, 7))
	for n := range 400 {
		same := func(what string, of any, got []byte, err error) {
			t.Helper()
			want, bad := json.Marshal(of)
			if bad != nil || err != nil {
				t.Fatalf("%s: %v, %v", what, err, bad)
			}
			if !bytes.Equal(got, want) {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Fatalf("%s, value %d, differs at %d:\n%.80s\nwhere encoding/json has\n%.80s", what, n, at, got[max(0, at-30):], want[max(0, at-30):])
			}
		}
		b := body{Command: *drawn[trade.Command](r)}
		if n%3 > 0 {
			b.Facts = drawn[journal.Facts](r)
		}
		for range n % 3 {
			b.Steps = append(b.Steps, *drawn[journal.Step](r))
		}
		text, err := Entry(&b.Command, b.Steps, b.Facts)
		same("an entry", &b, text, err)
		o := drawn[trade.Outcome](r)
		text, err = Outcome(o)
		same("an outcome", o, text, err)
		j := drawn[trade.Job](r)
		text, err = Job(j)
		same("a job", j, text, err)
		s := drawn[journal.Snapshot](r)
		text, err = Snapshot(s)
		same("a snapshot", s, text, err)
		for _, v := range []any{drawn[v1.Job](r), drawn[v1.Quote](r)} {
			var want bytes.Buffer
			e := json.NewEncoder(&want)
			e.SetEscapeHTML(false)
			if err := e.Encode(v); err != nil {
				t.Fatal(err)
			}
			got, known, err := Answer([]byte("so "), v)
			if err != nil || !known || string(got) != "so "+want.String() {
				t.Fatalf("%v, %v\n%s\nwhere encoding/json has\n%s", known, err, got, &want)
			}
		}
	}
}

// What JSON has no word for is said, and what nobody knows is left alone.
func TestWhatCannotBeWritten(t *testing.T) {
	if text, err := Job(&trade.Job{Share: math.Inf(1)}); err == nil || !strings.Contains(err.Error(), "unsupported value: +Inf") || text != nil {
		t.Errorf("%s, %v", text, err)
	}
	if text, err := Job(&trade.Job{Share: math.NaN()}); err == nil || !strings.Contains(err.Error(), "unsupported value: NaN") || text != nil {
		t.Errorf("%s, %v", text, err)
	}
	if text, err := Job(&trade.Job{Share: 0.5}); err != nil || !strings.Contains(string(text), `"share":0.5`) {
		t.Errorf("after one that could not be written: %s, %v", text, err)
	}
	if text, known, err := Answer(nil, &trade.Job{}); known || err != nil || text != nil {
		t.Errorf("%s, %v, %v", text, known, err)
	}
}

// Where a number is written another way is where encoding/json does so.
func TestNumbersAtTheEdge(t *testing.T) {
	for want, b := range map[string][]byte{"null": nil, `""`: {}, `"AAE="`: {0, 1}} {
		p := pen{}
		if p.bytes(b); string(p.b) != want {
			t.Errorf("%s, want %s", p.b, want)
		}
	}
	for _, f := range []float64{0, 1e-6, math.Nextafter(1e-6, 0), 1e-7, 1.5e-10, 1e-100, 1e21, math.Nextafter(1e21, 0), 1.5e21, 1e100, -1e-6, -1e-9, -1e21, math.SmallestNonzeroFloat64, math.MaxFloat64} {
		p := pen{}
		p.float(f)
		if want, err := json.Marshal(f); err != nil || p.err != nil || string(p.b) != string(want) {
			t.Errorf("%s, %v, where encoding/json has %s, %v", p.b, p.err, want, err)
		}
	}
}

// What was written stays as it is, whatever is written after it: it is on its way to disk.
func TestWhatIsWrittenStays(t *testing.T) {
	name := strings.Repeat("long ", 100)
	for n := range 50 {
		first, err := Job(&trade.Job{ID: int64(n), Name: name})
		if err != nil {
			t.Fatal(err)
		}
		was := string(first)
		if _, err = Job(&trade.Job{ID: 7_777_777, Name: strings.Repeat("other", 100)}); err != nil {
			t.Fatal(err)
		}
		if string(first) != was {
			t.Fatalf("what was %.40s is %.40s", was, first)
		}
		if cap(first) > len(first)+len(first)/4+64 {
			t.Fatalf("%d bytes take %d", len(first), cap(first))
		}
	}
	large, err := Job(&trade.Job{Name: strings.Repeat("x", 2*mostKept)})
	if err != nil || len(large) < 2*mostKept {
		t.Fatalf("%d, %v", len(large), err)
	}
	was := string(large)
	for range 50 {
		if _, err = Job(&trade.Job{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if string(large) != was {
		t.Error("a large one was written over")
	}
}
