package mistake

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Mistake is something that makes no sense.
type Mistake struct {
	line int      // of the file; 0: not known, or of none
	at   []string // settings it is about, such as agent.state; the first is its name
	text string
}

// List is all that is wrong with a file.
type List []Mistake

// Add notes a mistake, and which settings it is about: the first is its name, and where
// the last is in the file is its line.
func (m *List) Add(text string, at ...string) { *m = append(*m, Mistake{at: at, text: text}) }

// When does so if something is wrong.
func (m *List) When(wrong bool, text string, at ...string) {
	if wrong {
		m.Add(text, at...)
	}
}

// In is all of them as an error about a file, one below the other; nil if there are none.
func (m List) In(path string) error {
	slices.SortStableFunc(m, func(a, b Mistake) int {
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

// Find looks up the lines of what is wrong: where the last setting is that it is about,
// or as much of its name as is there.
func (m List) Find(root *yaml.Node) {
	for i := range m {
		for k := len(m[i].at) - 1; k >= 0 && m[i].line == 0; k-- {
			m[i].line = LineOf(root, m[i].at[k])
		}
		for name := m[i].first(); m[i].line == 0 && strings.Contains(name, "."); {
			name = name[:strings.LastIndex(name, ".")]
			m[i].line = LineOf(root, name)
		}
	}
}

func (m *Mistake) first() string {
	if len(m.at) == 0 {
		return ""
	}
	return m.at[0]
}

// LineOf is where a setting is; 0: nowhere.
func LineOf(root *yaml.Node, name string) (line int) {
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
	if n.Kind == yaml.SequenceNode {
		for i, one := range n.Content {
			path := fmt.Sprintf("%s[%d]", strings.TrimSuffix(below, "."), i)
			visit(path, one, one)
			walk(one, path+".", visit)
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

// Misfit is a value that cannot be read as what it has to be. The reader of YAML goes
// on after it and finds the others.
func Misfit(n *yaml.Node, err error) *yaml.TypeError {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %s", n.Line, err)}}
}

var (
	atLine       = regexp.MustCompile(`^line (\d+): (?s)(.*)$`)
	unknownField = regexp.MustCompile(`^field (\S+) not found in type \S+$`)
	saidTwice    = regexp.MustCompile(`^mapping key "(.*)" already defined at line (\d+)$`)
	wrongKind    = regexp.MustCompile("^cannot unmarshal !!\\w+(?: `(.*)`)? into (.*)$")
)

// Read says in our words what the reader of YAML could not make sense of when it read a
// file into something. Another error is one that it could not go on after.
func Read(root *yaml.Node, into any, err error) (List, error) {
	var wrong *yaml.TypeError
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return nil, nil
	case !errors.As(err, &wrong):
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var all List
	for _, text := range wrong.Errors {
		one := Mistake{text: text}
		if parts := atLine.FindStringSubmatch(text); parts != nil {
			one.line, _ = strconv.Atoi(parts[1]) // digits
			one.text = parts[2]
		}
		one.reword(root, reflect.TypeOf(into))
		all = append(all, one)
	}
	return all, nil
}

func (m *Mistake) reword(root *yaml.Node, file reflect.Type) {
	if found := unknownField.FindStringSubmatch(m.text); found != nil {
		m.text = fmt.Sprintf("there is no setting %q", found[1])
		part := ""
		walk(root, "", func(path string, key, _ *yaml.Node) {
			if below, _, is := strings.Cut(path, "."+found[1]); is && key.Line == m.line && key.Value == found[1] {
				m.text = fmt.Sprintf("there is no setting %q in %s", found[1], below)
				part = below
			}
		})
		m.text += meant(found[1], part, file)
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
