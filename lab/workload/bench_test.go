package workload

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// drain reads a source to its end and counts.
func drain(b *testing.B, src Source) int {
	var a Arrival
	for n := 0; ; n++ {
		if err := src.Next(&a); err != nil {
			if !errors.Is(err, io.EOF) {
				b.Fatal(err)
			}
			return n
		}
	}
}

// raggedLog is a log whose columns are as uneven as real ones.
func raggedLog(lines int) []byte {
	var out bytes.Buffer
	out.WriteString("; MaxProcs: 4096\n")
	for i := range lines {
		x := scramble(uint64(i))
		fmt.Fprintf(&out, "%5d %8d %6d %6d %4d %6.2f %5d %4d %6d %5d %2d %3d %3d %3d %2d %2d %2d %2d\n",
			i+1, i*70, int(x%100_000), int(x>>8%90_000), 1<<(x>>16%12), float64(x>>20%100_000)/100, -1, 1<<(x>>16%12),
			3600*(1+x>>30%24), -1, 1, x>>40%300, x>>45%20, -1, x>>50%5, 4, -1, -1)
	}
	return out.Bytes()
}

func BenchmarkSWF(b *testing.B) {
	text := raggedLog(100_000)
	b.SetBytes(int64(len(text)))
	lines := 0
	for b.Loop() {
		s, err := NewSWF(bytes.NewReader(text), "log")
		if err != nil {
			b.Fatal(err)
		}
		lines += drain(b, s)
	}
	b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
}

// BenchmarkTrace reads a real log, compressed and plain.
func BenchmarkTrace(b *testing.B) {
	const name = "CEA-Curie-2011-2.1-cln.swf.gz"
	openTrace(b, name) // or skip
	packed, err := os.ReadFile(filepath.Join(traces, name))
	if err != nil {
		b.Fatal(err)
	}
	unzip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		b.Fatal(err)
	}
	plain, err := io.ReadAll(unzip)
	if err != nil {
		b.Fatal(err)
	}
	for kind, text := range map[string][]byte{"gzip": packed, "plain": plain} {
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(plain)))
			lines := 0
			for b.Loop() {
				f, err := OpenReader(bytes.NewReader(text), name)
				if err != nil {
					b.Fatal(err)
				}
				lines += drain(b, f)
			}
			b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// BenchmarkCSV reads jobs as a log has them, in whole numbers, and jobs with
// agreements drawn from normals, each with seventeen digits.
func BenchmarkCSV(b *testing.B) {
	for _, model := range Models() {
		b.Run(model, func(b *testing.B) {
			m := NewLublin()
			m.Jobs = 100_000
			src, err := m.Source(1)
			if err != nil {
				b.Fatal(err)
			}
			arrivals, err := Load(src)
			if err != nil {
				b.Fatal(err)
			}
			sla, err := NewModel(model)
			if err != nil {
				b.Fatal(err)
			}
			if err := sla.Apply(arrivals, 1); err != nil {
				b.Fatal(err)
			}
			var text bytes.Buffer
			if err := WriteCSV(&text, arrivals); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(text.Len()))
			lines := 0
			for b.Loop() {
				c, err := NewCSV(bytes.NewReader(text.Bytes()), "jobs")
				if err != nil {
					b.Fatal(err)
				}
				lines += drain(b, c)
			}
			b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

func BenchmarkLublin(b *testing.B) {
	m := NewLublin()
	m.Jobs = 100_000
	jobs := 0
	for b.Loop() {
		src, err := m.Source(1)
		if err != nil {
			b.Fatal(err)
		}
		jobs += drain(b, src)
	}
	b.ReportMetric(float64(jobs)/b.Elapsed().Seconds(), "jobs/s")
}

func BenchmarkSLA(b *testing.B) {
	arrivals := plainJobs(100_000)
	m := NewLibraSLAModel()
	jobs := 0
	for b.Loop() {
		if err := m.Apply(arrivals, 1); err != nil {
			b.Fatal(err)
		}
		jobs += len(arrivals)
	}
	b.ReportMetric(float64(jobs)/b.Elapsed().Seconds(), "jobs/s")
}
