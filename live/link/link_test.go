package link_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/dispatch"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/link"
)

// board is a market that says what the test wants its node to be doing.
type board struct {
	*apitest.Market
	mu sync.Mutex
	d  task.Desired
}

func (b *board) Desired(context.Context, string, int64, time.Duration) (task.Desired, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.d, nil
}

func (b *board) want(change func(d *task.Desired)) task.Desired {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.d.Orders = append([]task.Order{}, b.d.Orders...)
	change(&b.d)
	b.d.Version++
	return b.d
}

// wires counts what a server sends, and can lose an answer.
type wires struct {
	http.Handler
	sent atomic.Int64
	lose atomic.Value // the end of a path whose answers are lost
	half atomic.Bool  // every other answer to a question for programs is lost
	asks atomic.Int64 // questions for programs
	said atomic.Value // the last report
	old  bool         // it is a controller of the first version
}

func (s *wires) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/report") {
		said, _ := io.ReadAll(r.Body)
		s.said.Store(string(said))
		r.Body = io.NopCloser(bytes.NewReader(said))
	}
	got := httptest.NewRecorder()
	s.Handler.ServeHTTP(got, r)
	body := got.Body.Bytes()
	s.sent.Add(int64(len(body)))
	if s.old && r.Method == http.MethodPut {
		body = bytes.ReplaceAll(body, []byte(`,"changes":true,"lanes":true`), nil)
	}
	if s.old && (strings.HasSuffix(r.URL.Path, "/orders") || strings.HasSuffix(r.URL.Path, "/specs")) {
		panic("it knows no such path")
	}
	if strings.HasSuffix(r.URL.Path, "/specs") && s.asks.Add(1)%2 == 1 && s.half.Load() {
		panic(http.ErrAbortHandler)
	}
	if lost, _ := s.lose.Load().(string); lost != "" && strings.HasSuffix(r.URL.Path, lost) {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", got.Header().Get("Content-Type"))
	w.WriteHeader(got.Code)
	_, _ = w.Write(body)
}

func connect(t *testing.T, b *board, old bool) (*link.Node, *wires) {
	t.Helper()
	n, s := connectTo(t, b, old)
	if _, err := n.Register(t.Context(), task.Hello{Node: "n1", Processors: 2}); err != nil {
		t.Fatal(err)
	}
	s.sent.Store(0)
	return n, s
}

func connectTo(t *testing.T, b api.Market, old bool) (*link.Node, *wires) {
	t.Helper()
	keys := &apitest.Keys{}
	handler := api.New(b, keys, api.Options{})
	s := &wires{Handler: handler, old: old}
	server := httptest.NewServer(s)
	t.Cleanup(func() { handler.Close(); server.Close() })
	c, err := client.New(server.URL, keys.Make("n1", v1.RoleNode), client.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	return link.New(c, "n1"), s
}

const scripts, size = 8, 1 << 20

func heavy() *board {
	b := &board{Market: apitest.New()}
	for i := range scripts {
		script := bytes.Repeat([]byte{byte('a' + i)}, size)
		b.d.Orders = append(b.d.Orders, task.Order{Spec: task.Spec{Key: task.Key{Job: int64(i + 1)}, Script: script, Nodes: []string{"n1"}}, CPU: 0.1})
	}
	b.d.Version = 1
	return b
}

func same(t *testing.T, got, want task.Desired) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		short := func(d task.Desired) (text string) {
			for i := range d.Orders {
				text += fmt.Sprintf(" %s: %d bytes at %v;", d.Orders[i].Spec.Key, len(d.Orders[i].Spec.Script), d.Orders[i].CPU)
			}
			return fmt.Sprintf("version %d,%s tails %v", d.Version, text, d.Tails)
		}
		t.Fatalf("the agent holds %s\nand should %s", short(got), short(want))
	}
}

// Forty reads of a byte of output while eight scripts of 1 MB run: the scripts go
// over the wire once, and a read costs what its question does.
func TestOrdersAreSentOnce(t *testing.T) {
	b := heavy()
	n, s := connect(t, b, false)
	ask := func() task.Desired {
		return all(t, n)
	}
	same(t, ask(), b.d)
	once := s.sent.Swap(0)
	if once > scripts*size*3/2 { // bytes are written in base 64
		t.Errorf("%d bytes for %d of scripts", once, scripts*size)
	}
	const reads = 40
	for i := range reads {
		want := b.want(func(d *task.Desired) {
			d.Tails = []task.Tail{{ID: fmt.Sprint(i), Key: task.Key{Job: 1}, Limit: 1}}
			d.Orders[i%scripts].CPU += 0.001
		})
		same(t, ask(), want)
	}
	if sent := s.sent.Load(); sent > reads*2000 {
		t.Errorf("%d reads cost %d bytes", reads, sent)
	} else {
		t.Logf("scripts %d bytes once, then %d bytes a read", once, sent/reads)
	}

	// Whatever is lost on the way, and whoever starts anew: what is held is what is wanted.
	want := b.want(func(d *task.Desired) {
		d.Orders = append(d.Orders[1:], task.Order{Spec: task.Spec{Key: task.Key{Job: 9}, Argv: []string{"x"}}, CPU: 1, More: []int{1}, Batch: "7"})
	})
	for _, lost := range []string{"/orders", "/specs"} {
		s.lose.Store(lost)
		if d, err := n.Desired(t.Context(), "n1", -1); err == nil && len(d.Named) == 0 {
			t.Error("the answer was lost")
		}
	}
	s.lose.Store("")
	if _, err := n.Desired(t.Context(), "n1", -1); err == nil {
		t.Error("nobody is told that programs were asked for in vain")
	}
	same(t, ask(), want)
	s.sent.Store(0)
	same(t, ask(), want)
	if sent := s.sent.Load(); sent > 1000 {
		t.Errorf("nothing new takes %d bytes", sent)
	}

	// A number that was given out again names another program.
	for _, born := range []int64{7, 8, 9} {
		want = b.want(func(d *task.Desired) {
			d.Orders[0].Spec.BornUS, d.Orders[0].Spec.Script = born, fmt.Append(nil, "of ", born)
		})
		same(t, ask(), want)
	}
	want = b.want(func(d *task.Desired) { d.Orders = d.Orders[:0] })
	same(t, ask(), want)
}

// all asks as often as it takes until it is known what every task runs.
func all(t *testing.T, n *link.Node) task.Desired {
	t.Helper()
	for range 20 {
		d, err := n.Desired(t.Context(), "n1", -1)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Named) == 0 {
			return d
		}
	}
	t.Fatal("it never comes to know what every task runs")
	return task.Desired{}
}

// However often it is cut short, what was heard is not asked for again; and the
// end of a task does not wait for what others are to run.
func TestProgramsComeInPieces(t *testing.T) {
	b := &board{Market: apitest.New()}
	small := task.Order{Spec: task.Spec{Key: task.Key{Job: 100}, Argv: []string{"x"}, Nodes: []string{"n1"}}, CPU: 1}
	b.d = task.Desired{Version: 1, Orders: []task.Order{small}}
	n, s := connect(t, b, false)
	same(t, all(t, n), b.d)

	want := b.want(func(d *task.Desired) {
		d.Orders = heavy().d.Orders
		small.Stop = task.Kill
		d.Orders = append(d.Orders, small)
	})
	s.lose.Store("/specs")
	d, err := n.Desired(t.Context(), "n1", -1)
	if err != nil {
		t.Fatalf("a task's end waits for what others run: %v", err)
	}
	if len(d.Orders) != 1 || d.Orders[0].Stop != task.Kill || len(d.Named) != scripts {
		t.Errorf("%d orders and %d tasks named", len(d.Orders), len(d.Named))
	}
	s.lose.Store("")
	s.half.Store(true)
	for tries := 0; ; tries++ {
		if d, err = n.Desired(t.Context(), "n1", -1); err == nil && len(d.Named) == 0 {
			break
		}
		if tries > 100 {
			t.Fatalf("what was heard is forgotten: %d of %d programs", len(d.Orders), len(want.Orders))
		}
	}
	same(t, d, want)
}

// An array is as short on the wire as any other program, however many elements it
// has, but for agents of the first version, which want a list.
func TestAnArrayIsNamedByItsRange(t *testing.T) {
	const elements, arrays = 100_000, 60
	b := &board{Market: apitest.New()}
	b.d.Version = 1
	for i := range arrays {
		like := task.Spec{Key: task.Key{Job: int64(i + 1)}, Argv: []string{"true"}, Dir: "/"}
		spec := dispatch.Tasks(like, []string{"n1"}, func(lane, lanes int) (*task.Span, []int) {
			return dispatch.Lane(&task.Span{First: 1, Step: 1, Count: elements}, lane, lanes), nil
		})[0]
		b.d.Orders = append(b.d.Orders, task.Order{Spec: spec, CPU: 0.01})
	}
	n, s := connect(t, b, false)
	same(t, all(t, n), b.d)
	if sent := s.sent.Load(); sent > arrays*1000 {
		t.Errorf("%d arrays cost %d bytes", arrays, sent)
	}

	n, _ = connect(t, b, true)
	d, err := n.Desired(t.Context(), "n1", -1)
	if err != nil || len(d.Orders) != arrays || len(d.Orders[0].Spec.Elements) != elements || d.Orders[0].Spec.Elements[elements-1] != elements {
		t.Errorf("%d orders for an agent of the first version, %v", len(d.Orders), err)
	}
}

// A controller of the first version is asked as it can be: for all.
func TestAControllerOfTheFirstVersion(t *testing.T) {
	b := heavy()
	n, _ := connect(t, b, true)
	for range 2 {
		d, err := n.Desired(t.Context(), "n1", -1)
		if err != nil {
			t.Fatal(err)
		}
		same(t, d, b.d)
		b.want(func(d *task.Desired) { d.Orders[0].CPU = 0.7 })
	}
}

// How far arrays are is told to a controller that says it may be: others refuse a report
// with words that they do not know.
func TestHowFarArraysAreIsToldWhoWantsIt(t *testing.T) {
	for _, old := range []bool{false, true} {
		n, s := connect(t, heavy(), old)
		key := task.Key{Job: 1}
		r := task.Report{Node: "n1", Tasks: []task.Status{{Key: key, State: task.Running}}, Lanes: []task.Lane{{Key: key, Begun: &task.Element{Index: 3, StartedUS: 1}}}}
		if _, err := n.Report(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if said := fmt.Sprint(s.said.Load()); strings.Contains(said, `"lanes"`) == old {
			t.Errorf("first version %v is told %s", old, said)
		}
	}
}

// An agent of the first version asks as it did, and reads a welcome that says more
// than it knows.
func TestAnAgentOfTheFirstVersion(t *testing.T) {
	b := heavy()
	_, s := connect(t, b, false)
	r := httptest.NewRequest(http.MethodGet, "/v1/nodes/n1/desired?after=-1", http.NoBody)
	keys := &apitest.Keys{}
	handler := api.New(b, keys, api.Options{})
	defer handler.Close()
	s.Handler = handler
	r.Header.Set("Authorization", "Bearer "+keys.Make("n1", v1.RoleNode))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	var d task.Desired
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	same(t, d, b.d)
}
