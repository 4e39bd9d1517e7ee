package config

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/libra-market/libra/live/fair"
	"github.com/libra-market/libra/live/mistake"
)

// Limits are what one user may take; what the file does not name stays as it is.
type Limits struct{ fair.Limits }

// UnmarshalYAML reads them by their names.
func (l *Limits) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return mistake.Misfit(n, errors.New("limits: want names with values, such as {commands: 100}"))
	}
	var wrong []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		text := value.Value
		if value.Kind == yaml.SequenceNode {
			var words []string
			for _, one := range value.Content {
				words = append(words, one.Value)
			}
			text = strings.Join(words, ",")
		}
		if err := l.Set(name.Value, text); err != nil {
			wrong = append(wrong, mistake.Misfit(name, fmt.Errorf("limits: %w", err)).Errors...)
		}
	}
	if len(wrong) > 0 {
		return &yaml.TypeError{Errors: wrong}
	}
	return nil
}
