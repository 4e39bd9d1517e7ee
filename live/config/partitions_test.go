package config

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/core/trade"
)

// The partition that is meant where none is named is the one that the owner says, as long as it
// is there; and else the first. Where there is but one nobody need say, and on Slurm there is
// nothing to say.
func TestTheDefaultPartition(t *testing.T) {
	for text, want := range map[string]string{
		"backend: slurm\nslurm: {partition: 'a,b'}":                                "a",
		"backend: slurm\nslurm: {partition: 'a,b'}\nrates: {default_partition: b}": "b",
		"backend: slurm\nslurm: {partition: a}\nrates: {default_partition: a}":     "",
		"rates: {partitions: {a: 2}}":                                              "a",
		"rates: {partitions: {a: 2, b: 1}, default_partition: b}":                  "b",
	} {
		c, err := parse("f", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if rates := c.MarketRates(); rates.Usual() != want || rates.Validate() != nil {
			t.Errorf("%s: %q of %v is meant, want %q: %v", text, rates.Usual(), rates.Partitions, want, rates.Validate())
		}
	}
	const wrong = "backend: slurm\nslurm: {partition: 'a,b'}\nrates: {default_partition: c}"
	if _, err := parse("f", []byte(wrong)); err == nil || !strings.Contains(err.Error(), "rates.default_partition: want one of those in slurm.partition: a, b") {
		t.Errorf("one that is not there: %v", err)
	}
	c := Default()
	c.Backend, c.Slurm.Partition = BackendSlurm, "a,b"
	now := trade.Rates{Partitions: map[string]int64{"b": 2, "gone": 1}, Partition: "gone"}
	if c.Divide(&now); now.Partition != "a" || now.Validate() != nil {
		t.Errorf("what was meant is gone: %q, %v", now.Partition, now.Validate())
	}
}
