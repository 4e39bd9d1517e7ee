package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/rules"
)

// mistake is something that makes no sense. Whoever mends a file wants to know of all
// of them, and where they are.
type mistake struct {
	line int      // of the file; 0: not known, or of none
	at   []string // settings it is about, such as agent.state; the first is its name
	text string
}

type mistakes []mistake

func (m *mistakes) add(text string, at ...string) { *m = append(*m, mistake{at: at, text: text}) }

func (m *mistakes) when(wrong bool, text string, at ...string) {
	if wrong {
		m.add(text, at...)
	}
}

// settings tries those of a policy and of the market. Each that is complained of is
// left out and the others are tried again, so that one mistake does not hide the next.
func (m *mistakes) settings(kind policy.Kind, all map[string]string) {
	own, rest := rules.Split(all)
	m.each(maps.Clone(rest), func(left map[string]string) error {
		if _, err := kind.New(left); err != nil {
			return fmt.Errorf("%w; the market has %s", err, strings.Join(rules.Names(), ", "))
		}
		return nil
	})
	m.each(maps.Clone(own), func(left map[string]string) error {
		_, err := rules.Live().With(left)
		return err
	})
}

func (m *mistakes) each(left map[string]string, try func(map[string]string) error) {
	for {
		err := try(left)
		if err == nil {
			return
		}
		name := named(left, err.Error())
		if name == "" {
			m.add(err.Error(), "settings")
			return
		}
		m.add(err.Error(), "settings."+name)
		delete(left, name)
	}
}

// named is the setting that a message is about: the one that it names first.
func named(settings map[string]string, text string) string {
	found, first := "", len(text)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
		if at := word.FindStringIndex(text); at != nil && at[0] < first {
			found, first = name, at[0]
		}
	}
	return found
}

// in is all of them as an error, one below the other; nil if there are none.
func (m mistakes) in(path string) error {
	slices.SortStableFunc(m, func(a, b mistake) int {
		if (a.line == 0) != (b.line == 0) { // what has no line comes last
			return cmp.Compare(b.line, a.line)
		}
		return cmp.Compare(a.line, b.line)
	})
	all := make([]error, len(m))
	for i := range m {
		text := m[i].text
		if len(m[i].at) > 0 {
			text = m[i].at[0] + ": " + text
		}
		if m[i].line > 0 {
			text = "line " + strconv.Itoa(m[i].line) + ": " + text
		}
		if path != "" {
			text = path + ": " + text
		}
		all[i] = errors.New(text)
	}
	return errors.Join(all...)
}

// find looks up the lines of what is wrong: where the last setting is that it is about,
// or as much of its name as is there.
func (m mistakes) find(root *yaml.Node) {
	for i := range m {
		for k := len(m[i].at) - 1; k >= 0 && m[i].line == 0; k-- {
			m[i].line = lineOf(root, m[i].at[k])
		}
		for name := m[i].first(); m[i].line == 0 && strings.Contains(name, "."); {
			name = name[:strings.LastIndex(name, ".")]
			m[i].line = lineOf(root, name)
		}
	}
}

func (m *mistake) first() string {
	if len(m.at) == 0 {
		return ""
	}
	return m.at[0]
}

// lineOf is where a setting is; 0: nowhere.
func lineOf(root *yaml.Node, name string) (line int) {
	walk(root, "", func(path string, key, _ *yaml.Node) {
		if path == name {
			line = key.Line
		}
	})
	return line
}

// walk visits all settings of a file.
func walk(n *yaml.Node, below string, visit func(path string, key, value *yaml.Node)) {
	if n.Kind == yaml.DocumentNode {
		for _, one := range n.Content {
			walk(one, below, visit)
		}
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		path := below + n.Content[i].Value
		visit(path, n.Content[i], n.Content[i+1])
		walk(n.Content[i+1], path+".", visit)
	}
}

// misfit is a value that cannot be read as what it has to be. The reader of YAML goes
// on after it and finds the others.
func misfit(n *yaml.Node, err error) *yaml.TypeError {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %s", n.Line, err)}}
}

var (
	atLine       = regexp.MustCompile(`^line (\d+): (?s)(.*)$`)
	unknownField = regexp.MustCompile(`^field (\S+) not found in type \S+$`)
	saidTwice    = regexp.MustCompile(`^mapping key "(.*)" already defined at line (\d+)$`)
	wrongKind    = regexp.MustCompile("^cannot unmarshal !!\\w+(?: `(.*)`)? into (.*)$")
)

// misread says in our words what the reader of YAML could not make sense of. Another
// error is one that it could not go on after.
func misread(root *yaml.Node, err error) (mistakes, error) {
	var wrong *yaml.TypeError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return nil, nil
	case !errors.As(err, &wrong):
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var all mistakes
	for _, text := range wrong.Errors {
		one := mistake{text: text}
		if parts := atLine.FindStringSubmatch(text); parts != nil {
			one.line, _ = strconv.Atoi(parts[1]) // digits
			one.text = parts[2]
		}
		one.reword(root)
		all = append(all, one)
	}
	return all, nil
}

func (m *mistake) reword(root *yaml.Node) {
	if found := unknownField.FindStringSubmatch(m.text); found != nil {
		m.text = fmt.Sprintf("there is no setting %q", found[1])
		walk(root, "", func(path string, key, _ *yaml.Node) {
			if below, _, is := strings.Cut(path, "."+found[1]); is && key.Line == m.line && key.Value == found[1] {
				m.text = fmt.Sprintf("there is no setting %q in %s", found[1], below)
			}
		})
		return
	}
	if found := saidTwice.FindStringSubmatch(m.text); found != nil {
		m.text = fmt.Sprintf("%s is said twice: in line %s too", found[1], found[2])
		return
	}
	given := ""
	if found := wrongKind.FindStringSubmatch(m.text); found != nil {
		given = found[1]
		m.text = "want " + kindWord(found[2])
		if given != "" {
			m.text += fmt.Sprintf(", not %q", given)
		}
	}
	walk(root, "", func(path string, _, value *yaml.Node) { // whose value it is
		part, _, _ := strings.Cut(path, ".")
		if strings.HasPrefix(m.text, part+": ") { // it says so itself
			return
		}
		if value.Line == m.line && (given != "" && strings.HasPrefix(value.Value, strings.TrimSuffix(given, "...")) ||
			given == "" && value.Value != "" && strings.Contains(m.text, strconv.Quote(value.Value))) {
			m.at = []string{path}
		}
	})
}

// kindWord says what a setting of a type wants.
func kindWord(kind string) string {
	switch strings.TrimPrefix(kind, "*") {
	case "int", "int64":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "yes or no"
	case "string":
		return "one word"
	case "[]int":
		return "a list of whole numbers, such as [0, 1]"
	case "[]string":
		return "a list, such as [one, two]"
	default:
		return "names with values, each on a line of its own"
	}
}
