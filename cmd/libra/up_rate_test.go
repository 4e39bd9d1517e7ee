package main

import (
	"log/slog"
	"testing"

	"github.com/libra-market/libra/live/config"
)

// A market that libra up starts again asks the price that was in force, unless another is
// named; and what is named changes nothing else.
func TestUpKeepsThePrice(t *testing.T) {
	dir := t.TempDir()
	prices := func(o upOptions, given config.Given) (processor, gpu int64) {
		t.Helper()
		o.dir, o.listen, o.socket, o.policy = dir, "127.0.0.1:0", ownSocket, "libra"
		if o.rate == "" {
			o.rate = demoRate
		}
		if o.gpuRate == "" {
			o.gpuRate = demoGPURate
		}
		c, err := o.configure(given)
		if err != nil {
			t.Fatal(err)
		}
		s, err := startService(t.Context(), &c, slog.New(slog.DiscardHandler), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.close() }() // it was only read
		if err = s.adopt(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
		epochs, err := s.market.Epochs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now := epochs[len(epochs)-1].Rates
		return now.ProcessorHour, now.GPUHour
	}
	for _, step := range []struct {
		does           string
		o              upOptions
		given          config.Given
		processor, gpu int64
	}{
		{"begins at a price", upOptions{rate: "0.50"}, config.Given{Processor: true}, 500_000, 0},
		{"is started again", upOptions{}, config.Given{}, 500_000, 0},
		{"is started with a setting", upOptions{set: []string{"fit=least-loaded"}}, config.Given{}, 500_000, 0},
		{"offers GPUs", upOptions{gpus: "2"}, config.Given{NewGPUs: true}, 500_000, 10_000_000},
		{"asks more for them", upOptions{gpus: "2", gpuRate: "12"}, config.Given{GPU: true, NewGPUs: true}, 500_000, 12_000_000},
		{"offers them again", upOptions{gpus: "2"}, config.Given{NewGPUs: true}, 500_000, 12_000_000},
		{"asks another price", upOptions{rate: "0.70"}, config.Given{Processor: true}, 700_000, 12_000_000},
		{"is started once more", upOptions{}, config.Given{}, 700_000, 12_000_000},
	} {
		if processor, gpu := prices(step.o, step.given); processor != step.processor || gpu != step.gpu {
			t.Errorf("a market that %s asks %d for a processor and %d for a GPU, want %d and %d", step.does, processor, gpu, step.processor, step.gpu)
		}
	}
}
