package spec

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"time"

	yaml "go.yaml.in/yaml/v3"
)

// scalar is a value written as one word or number.
type scalar struct {
	parse  func(text string) error
	format func() *yaml.Node
}

func (s scalar) read(r *reader, path string, n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		r.fail(n, path, "want one value, not %s", describe(n))
		return
	}
	if err := s.parse(n.Value); err != nil {
		r.fail(n, path, "%v", err)
	}
}

func (s scalar) write(usual value) *yaml.Node {
	n := s.format()
	if other, ok := usual.(scalar); ok && other.format().Value == n.Value {
		return nil
	}
	return n
}

// text is taken as it stands: a name may look like a number.
func text[T ~string](at *T) scalar {
	return scalar{
		parse:  func(s string) error { *at = T(s); return nil },
		format: func() *yaml.Node { return stringNode(string(*at)) },
	}
}

// whole is a count, from 1 to the given limit.
func whole[T ~int | ~int32](at *T, limit int64) scalar {
	return scalar{
		parse: func(s string) error {
			x, ok := decimal(s)
			if !ok || !x.IsInt() || x.Cmp(big.NewRat(1, 1)) < 0 || x.Cmp(big.NewRat(limit, 1)) > 0 {
				return fmt.Errorf("want a whole number from 1 to %d, not %s", limit, quote(s))
			}
			*at = T(x.Num().Int64())
			return nil
		},
		format: func() *yaml.Node { return numberNode(strconv.FormatInt(int64(*at), 10)) },
	}
}

// number is any number from 0.
func number[T ~float64](at *T) scalar {
	return scalar{
		parse: func(s string) error {
			x, ok := decimal(s)
			if !ok {
				return fmt.Errorf("%s is not a number", quote(s))
			}
			return set(at, x, s)
		},
		format: func() *yaml.Node { return numberNode(formatFloat(float64(*at))) },
	}
}

// seconds is a duration.
func seconds[T ~float64](at *T) scalar {
	return scalar{
		parse: func(s string) error {
			x, err := parseDuration(s)
			if err != nil {
				return err
			}
			return set(at, x, s)
		},
		format: func() *yaml.Node { return numberNode(formatDuration(float64(*at))) },
	}
}

// deadline is a duration from now on, or until when.
func deadline[T ~float64](at *T, now time.Time) scalar {
	d := seconds(at)
	d.parse = func(s string) error {
		x, err := parseDeadline(s, now)
		if err != nil {
			return err
		}
		return set(at, x, s)
	}
	return d
}

// megabytes is a size of memory or disk.
func megabytes(at *int64) scalar {
	return scalar{
		parse: func(s string) error {
			x, err := parseSize(s)
			if err != nil {
				return err
			}
			if !inRange(x) {
				return outOfRange(s)
			}
			*at = roundUp(x)
			return nil
		},
		format: func() *yaml.Node { return numberNode(strconv.FormatInt(*at, 10)) },
	}
}

// amount is money, of which the market knows six decimals.
func amount[T ~float64](at *T) scalar {
	return scalar{
		parse: func(s string) error {
			x, ok := decimal(s)
			if !ok {
				return fmt.Errorf("%s is not an amount of money", quote(s))
			}
			if !new(big.Rat).Mul(x, big.NewRat(1e6, 1)).IsInt() {
				return fmt.Errorf("%s has more than six decimals", quote(s))
			}
			return set(at, x, s)
		},
		format: func() *yaml.Node {
			micros, ok := new(big.Rat).SetString(strconv.FormatFloat(float64(*at), 'f', -1, 64))
			if ok && !micros.Mul(micros, big.NewRat(1e6, 1)).IsInt() {
				return numberNode(strconv.FormatFloat(float64(*at), 'f', 6, 64))
			}
			return numberNode(strconv.FormatFloat(float64(*at), 'f', -1, 64))
		},
	}
}

// orWord is a value for whose absence there is a word.
func orWord[T comparable](name string, absent T, at *T, present scalar) scalar {
	return scalar{
		parse: func(s string) error {
			if s == name {
				*at = absent
				return nil
			}
			return present.parse(s)
		},
		format: func() *yaml.Node {
			if *at == absent {
				return stringNode(name)
			}
			return present.format()
		},
	}
}

// word is a name for a value.
type word[T comparable] struct {
	name  string
	means T
}

// words is one of a few names.
func words[T comparable](at *T, all ...word[T]) scalar {
	return scalar{
		parse: func(s string) error {
			var names []string
			for _, w := range all {
				if w.name == s {
					*at = w.means
					return nil
				}
				names = append(names, w.name)
			}
			return fmt.Errorf("want %s, not %s", listed(names), quote(s))
		},
		format: func() *yaml.Node {
			for _, w := range all {
				if w.means == *at {
					return stringNode(w.name)
				}
			}
			return stringNode("")
		},
	}
}

func set[T ~float64](at *T, x *big.Rat, text string) error {
	if !inRange(x) {
		return outOfRange(text)
	}
	*at = T(float(x))
	return nil
}

func outOfRange(text string) error {
	if text != "" && text[0] == '-' {
		return fmt.Errorf("%s is less than nothing", quote(text))
	}
	return errors.New(quote(text) + " is more than the market can count")
}
