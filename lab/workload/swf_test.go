package workload

import (
	"bytes"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/market"
)

func readRecords(t testing.TB, text string) (*SWF, []Record, error) {
	t.Helper()
	s, err := NewSWF(strings.NewReader(text), "log.swf")
	if err != nil {
		return nil, nil, err
	}
	var all []Record
	for {
		var r Record
		switch err := s.Read(&r); {
		case errors.Is(err, io.EOF):
			return s, all, nil
		case err != nil:
			return s, all, err
		}
		all = append(all, r)
	}
}

func TestSWFReadsRecords(t *testing.T) {
	text := "; Version: 2\n;MaxProcs: 128 (of 512)\n\n" +
		"    1        0 588530    937  306 142.25    -1   -1  35100    -1  1  97  -1 307  3 -1 -1 -1\n" +
		"; a remark on the way\n" +
		"2\t12345678\t123456789012345\t-7 +5 1e3 .5 5. 1234567890123456789 -1 -1 -1 -1 -1 -1 -1 -1 -0\r\n" +
		"         3 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1  \t" // no line feed
	s, got, err := readRecords(t, text)
	if err != nil {
		t.Fatal(err)
	}
	want := []Record{
		{1, 0, 588530, 937, 306, 142.25, -1, -1, 35100, -1, 1, 97, -1, 307, 3, -1, -1, -1},
		{2, 12345678, 123456789012345, -7, 5, 1000, .5, 5, 1234567890123456789, -1, -1, -1, -1, -1, -1, -1, -1, 0},
		{3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	}
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("record %d: %v, want %v", i, got[i], want[i])
		}
	}
	if math.Signbit(got[1].ThinkTime) {
		t.Error("-0 stayed negative")
	}
	if n := s.Header().MaxProcs(); n != 128 {
		t.Errorf("MaxProcs %d, want 128", n)
	}
	if s.Line() != 7 {
		t.Errorf("line %d, want 7", s.Line())
	}
}

func TestSWFSaysWhatIsWrong(t *testing.T) {
	ones := strings.Repeat(" 1", 17)
	for _, c := range []struct{ name, text, want string }{
		{"too few", "; x\n1" + ones + "\n1 2 3\n", "log.swf line 3: 3 fields, a record has 18"},
		{"too many", "1" + ones + " 1\n", "log.swf line 1: more than the 18 fields of a record"},
		{"text", "1 2 3 run" + ones + "\n", `log.swf line 1: field 4 (run time): "run": not a number`},
		{"first field", "x 2 3" + ones + "\n", `log.swf line 1: field 1 (job number): "x": not a number`},
		{"glued", "1 2-3" + ones + "\n", `log.swf line 1: field 2 (submit time): "2-3": not a number`},
		{"comma", "1 2,5" + ones + "\n", `log.swf line 1: field 2 (submit time): "2,5": not a number`},
		{"infinite", "1 inf" + ones + "\n", `log.swf line 1: field 2 (submit time): "inf": not a number`},
		{"not a number", "1 NaN" + ones + "\n", `log.swf line 1: field 2 (submit time): "NaN": not a number`},
		{"hexadecimal", "1 0x10" + ones + "\n", `log.swf line 1: field 2 (submit time): "0x10": not a number`},
		{"beyond", "1 1e999" + ones + "\n", `log.swf line 1: field 2 (submit time): "1e999": too large`},
		{"minus", "1 -" + ones + "\n", `log.swf line 1: field 2 (submit time): "-": not a number`},
		{"zero byte", "1\x00" + ones + "\n", `log.swf line 1: field 1 (job number): "1\x00": not a number`},
		{"long line", strings.Repeat("1", 2*maxLine), "log.swf line 1: a line of more than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, err := readRecords(t, c.text)
			if err == nil || err.Error() != c.want {
				t.Fatalf("error %v\nwant  %s", err, c.want)
			}
			var r Record
			if s != nil && !errors.Is(s.Read(&r), err) {
				t.Error("a second read does not say the same")
			}
		})
	}
}

func TestSWFArrivals(t *testing.T) {
	fields := func(job, submit, run, procs, wanted, time, user string) string {
		return strings.Join([]string{
			job, submit, "-1", run, procs, "-1", "-1", wanted, time, "4096", "1", user,
			"-1", "-1", "-1", "-1", "-1", "-1",
		}, " ") + "\n"
	}
	job := func(number int64, submit, estimate, run float64, width int32, owner market.Account) Arrival {
		return Arrival{
			Job: market.Job{
				Submit: market.Time(submit), Estimate: market.Work(estimate), Width: width, Owner: owner,
				SLA: market.SLA{Deadline: market.Never, Budget: market.Unlimited},
			},
			Actual: market.Work(run), Number: number,
		}
	}
	for _, c := range []struct {
		name, text string
		want       []Arrival
		skipped    int64
		fault      string
	}{
		{"requested comes first", fields("1", "5", "10", "4", "8", "20", "3"), []Arrival{job(1, 5, 20, 10, 8, "3")}, 0, ""},
		{"allocated otherwise", fields("1", "5", "10", "4", "-1", "-1", "-1"), []Arrival{job(1, 5, 10, 10, 4, "")}, 0, ""},
		{"never ran", fields("1", "5", "-1", "-1", "8", "20", "0"), []Arrival{job(1, 5, 20, 1, 8, "0")}, 0, ""},
		{"ran for no time", fields("1", "5", "0", "4", "8", "0", "0"), []Arrival{job(1, 5, 1, 1, 8, "0")}, 0, ""},
		{"fraction of a second", fields("1", "5.5", "2.5", "4", "8", "2.25", "0"), []Arrival{job(1, 5.5, 2.25, 2.5, 8, "0")}, 0, ""},
		{"large user", fields("1", "5", "10", "4", "8", "20", "99999999"), []Arrival{job(1, 5, 20, 10, 8, "99999999")}, 0, ""},
		{"no processors", fields("1", "5", "10", "0", "-1", "20", "3"), nil, 1, ""},
		{"no submit time", fields("1", "-1", "10", "4", "8", "20", "3"), nil, 1, ""},
		{"half a processor", fields("1", "5", "10", "4", "8.5", "20", "3"), nil, 0, "log.swf line 1: field 8 (requested processors): 8.5: not a whole number"},
		{"too wide", fields("1", "5", "10", "99999999", "-1", "20", "3"), nil, 0, "log.swf line 1: field 5 (allocated processors): 9.9999999e+07: too large"},
		{"too long", fields("1", "5", "1e16", "4", "8", "20", "3"), nil, 0, "log.swf line 1: field 4 (run time): 1e+16: too large"},
		{"half a job", fields("1.5", "5", "10", "4", "8", "20", "3"), nil, 0, "log.swf line 1: field 1 (job number): 1.5: not a whole number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := NewSWF(strings.NewReader(c.text), "log.swf")
			if err != nil {
				t.Fatal(err)
			}
			got, err := Load(s)
			if fault := errorText(err); fault != c.fault {
				t.Fatalf("error %q, want %q", fault, c.fault)
			}
			compare(t, got, c.want)
			if s.Skipped() != c.skipped {
				t.Errorf("skipped %d, want %d", s.Skipped(), c.skipped)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func compare(t *testing.T, got, want []Arrival) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d arrivals, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("arrival %d:\n%+v, want\n%+v", i, got[i], want[i])
		}
	}
}

func TestSWFHeader(t *testing.T) {
	h := Header{Lines: []string{
		"; Note: nodes are not taken into account in the MaxNodes", ";\tand MaxProcs fields.",
		";MaxNodes: 338 (batch partition; 512 total)", "; maxprocs:1664 (72, 1368, 224)", "; Empty:",
	}}
	if h.MaxNodes() != 338 || h.MaxProcs() != 1664 || h.Processors() != 1664 {
		t.Errorf("nodes %d, processors %d, %d", h.MaxNodes(), h.MaxProcs(), h.Processors())
	}
	if h.Get("Empty") != "" || h.Get("Nothing") != "" || leadingInt("many") != 0 {
		t.Error("found what is not there")
	}
}

func TestSWFWritesBackWhatItRead(t *testing.T) {
	text := "; Version: 2\n;MaxProcs: 128\n" +
		"1 0 5 937 306 142.25 -1 -1 35100 -1 1 97 -1 307 3 -1 -1 -1\n" +
		"2 12345678 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 123456789012345678\n"
	s, records, err := readRecords(t, text)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := NewSWFWriter(&out)
	if err := w.WriteHeader(s.Header()); err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if err := w.Write(&records[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(text, "123456789012345678", "123456789012345680", 1); out.String() != want {
		t.Errorf("wrote\n%s\nread\n%s", out.String(), want)
	}
}

func TestSWFNumbersOwnersApart(t *testing.T) {
	w := NewSWFWriter(io.Discard)
	var got []string
	for _, owner := range []market.Account{"", "ann", "7", "1", "2", "ann", "bob", "-3"} {
		got = append(got, strconv.FormatInt(w.user(owner), 10))
	}
	if text := strings.Join(got, " "); text != "-1 1 7 3 2 1 5 6" {
		t.Errorf("owners got %s", text)
	}
}

// A log is read without allocating for each line.
func TestSWFDoesNotAllocate(t *testing.T) {
	text := strings.Repeat("1 2 3 4 5 6.25 7 8 9 10 1 12 13 14 15 16 17 18.5\n", 2000)
	s, err := NewSWF(strings.NewReader(text), "log.swf")
	if err != nil {
		t.Fatal(err)
	}
	var a Arrival
	if n := testing.AllocsPerRun(1000, func() {
		if err := s.Next(&a); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per line", n)
	}
}

// The fast parser agrees with the plain one on every line.
func TestParseFieldsAgreesWithStrconv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.OneOf(
			rapid.StringMatching(`-?[0-9]{1,20}`), rapid.StringMatching(`[+-]?[0-9]{0,9}\.?[0-9]{0,9}`),
			rapid.StringMatching(`[0-9]{1,3}e-?[0-9]{1,2}`), rapid.SampledFrom([]string{"-1", "-1", "-1", "0", "1", "--1", "1x", "-"}),
		)
		blank := rapid.StringMatching(` {1,20}|\t| \t `)
		var line strings.Builder
		for range rapid.SampledFrom([]int{1, 17, 18, 18, 18}).Draw(t, "fields") {
			line.WriteString(blank.Draw(t, "blank"))
			line.WriteString(field.Draw(t, "field"))
		}
		text := line.String()
		var careful, fast [fieldCount]float64
		n, _, err := parseCareful([]byte(text+"\n"), &careful)
		words := strings.Fields(text)
		for i, word := range words {
			want, wrong := strconv.ParseFloat(word, 64)
			if wrong != nil {
				if err == nil || n != i {
					t.Fatalf("%q: stopped at %d with %v, want an error at %d", text, n, err, i)
				}
				break
			}
			if careful[i] != want {
				t.Fatalf("%q: field %d is %v, want %v", text, i, careful[i], want)
			}
		}
		if err == nil && n != len(words) {
			t.Fatalf("%q: %d fields", text, n)
		}
		end, ok := parseFast([]byte("999 "+text+"\n\n\n"), 4, &fast)
		if ok && (err != nil || n != fieldCount || fast != careful || end != len(text)+4) {
			t.Fatalf("%q: fast %v up to %d, careful %v with %v", text, fast, end, careful, err)
		}
		if ordinary := regexp.MustCompile(`^( +(-1|[0-9]{1,8}(\.[0-9]{0,5})?)){18} *$`); !ok && ordinary.MatchString(text) {
			t.Fatalf("%q: not fast", text)
		}
	})
}

func FuzzSWF(f *testing.F) {
	f.Add([]byte("; MaxProcs: 128\n1 0 5 937 306 142.25 -1 -1 35100 -1 1 97 -1 307 3 -1 -1 -1\n"))
	f.Add([]byte("1\t0 5 1e3 .5 5. -0 12345678 123456789012345678 -1 1 97 -1 307 3 -1 -1 -1\r\n\r\n;x"))
	f.Add([]byte("1 2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := NewSWF(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		var a, b Arrival
		var out bytes.Buffer
		w := NewSWFWriter(&out)
		for {
			var r, again Record
			if err := s.Read(&r); err != nil {
				return
			}
			out.Reset()
			if err := errors.Join(w.Write(&r), w.Flush()); err != nil {
				t.Fatal(err)
			}
			back, err := NewSWF(bytes.NewReader(out.Bytes()), "written")
			if err != nil {
				t.Fatal(err)
			}
			if err := back.Read(&again); err != nil || again != r {
				t.Fatalf("%v (%v) read back from %q, want %v", again, err, out.String(), r)
			}
			ok, err := r.Arrival(&a)
			if err != nil || !ok {
				continue
			}
			if err := a.Job.Validate(); err != nil || !(a.Actual >= 1) {
				t.Fatalf("%v: arrival %+v: %v", r, a, err)
			}
			out.Reset()
			if err := errors.Join(w.WriteArrival(&a), w.Flush()); err != nil {
				t.Fatal(err)
			}
			back, err = NewSWF(bytes.NewReader(out.Bytes()), "written")
			if err != nil {
				t.Fatal(err)
			}
			err = back.Next(&b)
			a.Job.Owner, b.Job.Owner = "", "" // may be numbered anew
			if err != nil || a != b {
				t.Fatalf("%+v (%v) read back from %q, want %+v", b, err, out.String(), a)
			}
		}
	})
}
