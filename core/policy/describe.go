package policy

import (
	"fmt"
	"strings"
)

// Describe puts a policy and its settings into one line: two policies of the
// same line decide alike, so whoever finds another line than before has to plan
// anew.
func Describe(p Policy) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%T", p)
	if e, ok := p.(*easy); ok {
		text.WriteString(" order=" + e.order)
	}
	if m, ok := p.(*mandatoryFirst); ok {
		text.WriteString(" order=" + m.order)
	}
	if c, ok := p.(configurable); ok {
		for _, s := range c.settings() {
			if s.Name != settingOrder { // said already
				text.WriteString(" " + s.Name + "=" + s.Value())
			}
		}
	}
	return text.String()
}
