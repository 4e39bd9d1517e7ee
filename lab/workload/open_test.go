package workload

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	smallSWF = "; MaxProcs: 8\n1 5 -1 10 2 -1 -1 2 10 -1 1 3 -1 -1 -1 -1 -1 -1\n2 5 -1 10 -1 -1 -1 -1 10 -1 1 3 -1 -1 -1 -1 -1 -1\n"
	smallCSV = "id,submit,runtime,procs\na,5,10,2\n"
)

func zip(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestOpenTellsFormats(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     Format
	}{
		{"a.swf", smallSWF, FormatSWF},
		{"a.csv", smallCSV, FormatCSV},
		{"a.swf.gz", zip(t, smallSWF), FormatSWF},
		{"a.CSV.gz", zip(t, smallCSV), FormatCSV},
		{"not-zipped.swf.gz", smallSWF, FormatSWF},
		{"zipped.csv", zip(t, smallCSV), FormatCSV},
		{"jobs", smallCSV, FormatCSV},
		{"log.txt", smallSWF, FormatSWF},
		{"no-header", strings.Join(strings.SplitAfter(smallSWF, "\n")[1:], ""), FormatSWF},
		{"marked", "\ufeff" + smallSWF, FormatSWF},
		{"marked.csv", "\ufeff" + smallCSV, FormatCSV},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.name)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			got := load(t, f)
			if f.Format() != c.format || len(got) != 1 || got[0].Actual != 10 {
				t.Errorf("%s: %+v", f.Format(), got)
			}
			if f.BytesRead() != int64(len(c.text)) || f.Size() != int64(len(c.text)) {
				t.Errorf("read %d of %d bytes, want %d", f.BytesRead(), f.Size(), len(c.text))
			}
			if c.format == FormatSWF && f.Skipped() != 1 || c.format == FormatCSV && (f.Skipped() != 0 || f.Header() != nil) {
				t.Errorf("skipped %d", f.Skipped())
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	whole := zip(t, strings.Repeat(smallSWF, 100))
	for _, c := range []struct{ name, text, want string }{
		{"empty.swf", "", "empty"},
		{"cut.swf.gz", whole[:len(whole)-9], "line "},
		{"bad.swf.gz", "\x1f\x8b rubbish that is no gzip", "gzip: invalid header"},
		{"bad.csv", "id,submit\n", "line 1: no column"},
		{"short.swf", "1 2 3\n", "line 1: 3 fields"},
		{"text", "hello there\n", `line 1: field 1 (job number): "hello": not a number`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.name)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err == nil {
				_, err = Load(f)
				_ = f.Close()
			}
			if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one of %s with %q", err, c.name, c.want)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("opened a directory")
	}
}

func TestOpenReader(t *testing.T) {
	f, err := OpenReader(strings.NewReader(smallCSV), "standard input")
	if err != nil {
		t.Fatal(err)
	}
	if got := load(t, f); len(got) != 1 || f.Size() != -1 || f.Line() != 2 {
		t.Errorf("%+v, size %d, line %d", got, f.Size(), f.Line())
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
