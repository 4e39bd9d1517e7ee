package spec

import (
	"errors"

	yaml "go.yaml.in/yaml/v3"

	"github.com/libra-market/libra/core/market"
)

// gpus is how many GPUs each program has, and their kind where one is named: a100:2.
func gpus(kind *string, n *int32) scalar {
	return scalar{
		parse: func(s string) error {
			name, count, err := market.ParseGPUs(s)
			if err != nil {
				return errors.New("want a number of GPUs, or a kind and a number: 2, a100:2; not " + quote(s))
			}
			*kind, *n = name, market.Int32(count)
			return nil
		},
		format: func() *yaml.Node {
			text := market.GPUText(*kind, int(*n))
			if *kind == "" {
				return numberNode(text)
			}
			return stringNode(text)
		},
	}
}
