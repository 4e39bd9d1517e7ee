package slurmtest

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/libra-market/libra/core/market"
)

// Gres is what slurm.conf says of the GPUs of a node: gpu:a100:2,gpu:1.
func (o Options) Gres() string {
	words := make([]string, len(o.GPUs))
	for i, text := range o.GPUs {
		words[i] = "gpu:" + text
	}
	return strings.Join(words, ",")
}

// devices makes the files of the GPUs, which are the null device under other names, and
// is what gres.conf says of them. The nodes are one machine, and have the same files.
func (c *Cluster) devices() ([]byte, error) {
	conf := "AutoDetect=off\n"
	if err := os.Mkdir(c.path("dev"), 0o755); err != nil {
		return nil, err
	}
	const null = 1<<8 | 3
	next := 0
	for _, text := range c.layout.GPUs {
		kind, n, err := market.ParseGPUs(text)
		if err != nil {
			return nil, err
		}
		if kind != "" {
			kind = " Type=" + kind
		}
		for range n {
			file := c.path("dev", fmt.Sprintf("gpu%d", next))
			if err := syscall.Mknod(file, syscall.S_IFCHR|0o666, null); err != nil {
				return nil, err
			}
			for _, node := range c.Nodes {
				conf += fmt.Sprintf("NodeName=%s Name=gpu%s File=%s\n", node, kind, file)
			}
			next++
		}
	}
	return []byte(conf), nil
}
