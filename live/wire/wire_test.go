package wire_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/wire"
)

// fill gives every field of a value something of its own, so that none can be
// forgotten, or taken for another, without a trace.
func fill(v reflect.Value, n *int64) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":1}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("word " + string(rune('a'+*n%26)) + string(rune('a'+*n/26%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(*n)
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	default:
		panic("no value for " + v.Type().String())
	}
}

// alike says that a map keeps the bytes, of a value that has everything and of
// one that has nothing.
func alike[T, U any](f func(*T) U) func(*testing.T) {
	return func(t *testing.T) {
		var full, empty T
		fill(reflect.ValueOf(&full).Elem(), new(int64))
		if v := reflect.ValueOf(&empty).Elem(); v.Kind() == reflect.Struct && v.FieldByName("Request").IsValid() {
			v.FieldByName("Request").FieldByName("EstimateMS").SetInt(1) // whoever asks, asks for something: only the log leaves it out
		}
		if j, is := any(&full).(*v1.Job); is {
			j.Elements, j.Batch, j.BegunUS, j.Suspended = nil, "", 0, false // said of tasks and places, once more and in order, and by Slurm
		}
		for _, in := range []*T{&full, &empty} {
			was, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			is, err := json.Marshal(f(in))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(was, is) {
				t.Errorf("%T is\n%s\nand as %T\n%s", in, was, f(in), is)
			}
		}
	}
}

// there says that a map goes both ways.
func there[T, U any](out func(*T) U, in func(*U) T) func(*testing.T) {
	return func(t *testing.T) {
		var full T
		fill(reflect.ValueOf(&full).Elem(), new(int64))
		u := out(&full)
		if back := in(&u); !reflect.DeepEqual(full, back) {
			t.Errorf("%+v went out, and %+v came back", full, back)
		}
		alike(in)(t)
	}
}

func TestTheWireSaysWhatTheMarketSays(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"request":     alike(wire.Request),
		"asked":       there(wire.Request, wire.ToRequest),
		"told":        there(wire.Job, wire.ToJob),
		"epoch":       alike(func(e *v1.Epoch) trade.Epoch { return *wire.ToEpoch(e) }),
		"job":         alike(wire.Job),
		"task":        alike(wire.TaskStatus),
		"receipt":     alike(wire.Receipt),
		"explanation": alike(wire.Explanation),
		"quote":       alike(wire.Quote),
		"refusal":     alike(wire.Refusal),
		"chunk":       alike(wire.Chunk),
		"node":        alike(wire.Node),
		"prices":      alike(wire.Prices),
		"epochs":      alike(wire.Epoch),
		"tally":       alike(wire.Tally),
		"account":     alike(wire.Account),
		"statement":   alike(wire.Statement),
		"accounting":  there(wire.Statement, wire.ToStatement),
		"jobs":        alike(func(l *[]trade.Job) []v1.Job { return wire.Jobs(*l) }),
	} {
		t.Run(name, test)
	}
}

// Programs that know the words of the wire know all that a market may say.
func TestTheClosedSetsAreTheSame(t *testing.T) {
	for r := market.CannotMeetResources; r <= market.NotFirm; r++ {
		if !slices.Contains(v1.Reasons(), r.String()) {
			t.Errorf("%s is no reason on the wire", r)
		}
	}
	for _, r := range []string{
		trade.ReasonFunds, trade.ReasonLimit, trade.ReasonDependency, trade.ReasonOverrun, trade.ReasonQuoteGone,
		trade.ReasonRefused, trade.ReasonDraining, trade.ReasonOOM, trade.ReasonExit, trade.ReasonSignal,
		trade.ReasonLease, trade.ReasonImprecise, trade.ReasonVoided, trade.ReasonOutput, trade.ReasonDisk, trade.ReasonAccount,
	} {
		if !slices.Contains(v1.Reasons(), r) {
			t.Errorf("%s is no reason on the wire", r)
		}
	}
	var states []v1.State
	for _, s := range trade.States() {
		states = append(states, v1.State(s))
		if v1.State(s).Final() != s.Final() {
			t.Errorf("%s is final here and not there", s)
		}
	}
	if !slices.Equal(states, v1.States()) {
		t.Errorf("the states are %v, on the wire %v", states, v1.States())
	}
	for _, s := range []task.State{task.Starting, task.Running, task.Frozen, task.Ended, task.Refused, task.Lost} {
		if v1.TaskState(s).Final() != s.Final() {
			t.Errorf("a task that is %s is final here and not there", s)
		}
	}
	for here, there := range map[string]string{
		string(trade.RoleUser): string(v1.RoleUser), string(trade.RoleOwner): string(v1.RoleOwner),
		string(trade.RoleNode): string(v1.RoleNode), string(trade.OverrunStop): string(v1.OverrunStop),
		string(trade.OverrunLate): string(v1.OverrunLate), string(trade.OverrunKill): string(v1.OverrunKill),
		string(task.MandatoryPart): string(v1.MandatoryPart), string(task.OptionalPart): string(v1.OptionalPart),
	} {
		if here != there {
			t.Errorf("%s is %s on the wire", here, there)
		}
	}
	if ledger.NoJob != v1.NoJob {
		t.Errorf("no job is %d here and %d on the wire", ledger.NoJob, v1.NoJob)
	}
}

// What a request derives is the same on both sides.
func TestWhatARequestComesTo(t *testing.T) {
	for _, r := range []v1.Request{
		{},
		{Processors: 3},
		{Threads: 4},
		{Processors: 6, Threads: 2, Argv: []string{"x"}},
		{Script: "x"},
		{Array: &v1.Array{First: 1, Last: 10, Step: 3}},
		{Array: &v1.Array{First: 2, Last: 1}},
	} {
		in := wire.ToRequest(&r)
		if r.Procs() != in.Procs() || r.HasProgram() != in.HasProgram() || r.Array != nil && r.Array.Len() != in.Array.Len() {
			t.Errorf("%+v", r)
		}
		j := v1.Job{Request: r, Places: make([]v1.Place, 12)}
		k := trade.Job{Request: in, Places: make([]trade.Place, 12)}
		j.Places[4].Node, k.Places[4].Node = "n", "n"
		if j.Programs() != k.Programs() || j.NodeOf(1) != k.NodeOf(1) || j.NodeOf(2) != k.NodeOf(2) {
			t.Errorf("%+v", r)
		}
	}
}

// A notice says of a job what the job says of itself.
func TestANoticeSaysWhatTheJobSays(t *testing.T) {
	j := trade.Job{ID: 1, Owner: "a", State: trade.Running, Share: 0.5, Work: 2, Price: 3, Penalty: 4, Charged: 5, Starting: true}
	if got, want := wire.JobNotice(&j), (v1.JobNotice{ID: 1, State: v1.Running, Share: 0.5, Work: 2, Price: 3, Penalty: 4, Starting: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What is asked arrives as it was asked.
func TestWhatIsAskedBecomesACommand(t *testing.T) {
	limit := int64(7)
	for name, c := range map[string]struct{ got, want any }{
		"quote": {
			wire.ToAskQuote(&v1.QuoteRequest{TTLMS: 5, Request: v1.Request{Name: "q", Budget: &limit}}),
			&trade.AskQuote{TTLMS: 5, Request: trade.Request{Name: "q", Budget: &limit}},
		},
		"submit": {
			wire.ToSubmit(&v1.SubmitRequest{Request: v1.Request{Argv: []string{"x"}, Array: &v1.Array{Last: 3}}, Quote: "q1"}),
			&trade.Submit{Request: trade.Request{Argv: []string{"x"}, Array: &trade.Array{Last: 3}}, Quote: "q1"},
		},
		"epoch": {
			wire.ToEpoch(&v1.Epoch{Policy: "libra", Settings: map[string]string{"a": "1"}, Rates: &v1.Rates{Processor: 2}}),
			&trade.Epoch{Policy: "libra", Settings: map[string]string{"a": "1"}, Rates: &trade.Rates{Processor: 2}},
		},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, c.got, c.want)
		}
	}
}
