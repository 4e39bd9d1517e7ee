package directive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
)

// term is a word of #LIBRA lines, and the flag of libra submit of that name.
type term struct {
	name  string
	short string // of the flag, "" for none
	bare  bool   // says something without a value
	set   func(h *Head, value string) error
}

var terms = []term{
	{name: "name", set: func(h *Head, v string) error { h.Request.Name = v; return nil }},
	{name: "account", set: func(h *Head, v string) error { h.Request.Account = v; return nil }},
	{name: "dir", set: func(h *Head, v string) error { h.Request.Dir = v; return nil }},
	{name: "output", set: func(h *Head, v string) error { h.Request.Output = v; return nil }},
	{name: "error", set: func(h *Head, v string) error { h.Request.Error = v; return nil }},
	{name: "env", set: func(h *Head, v string) error {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" {
			return fmt.Errorf("%q (want NAME=value)", v)
		}
		h.Request.Env = append(h.Request.Env, v)
		return nil
	}},
	{name: "export", set: (*Head).export},
	{name: "estimate", short: "e", set: func(h *Head, v string) error {
		ms, err := Duration(v)
		if err == nil && ms == 0 {
			err = fmt.Errorf("%w: %q (want more than 0)", ErrDuration, v)
		}
		return put(&h.Request.EstimateMS, ms, err)
	}},
	{name: deadlineTerm, short: "d", set: func(h *Head, v string) error {
		if v == none {
			h.Request.DeadlineMS = 0
			return nil
		}
		ms, err := Deadline(v, h.at.Now)
		_, h.dueAt = clockTime(strings.TrimPrefix(v, "at "), h.at.Now)
		h.dueAt = h.dueAt && !Counted(v)
		return put(&h.Request.DeadlineMS, ms, err)
	}},
	{name: "begin", set: (*Head).begin},
	{name: "hold", bare: true, set: func(h *Head, v string) error {
		yes, err := truth(v)
		return put(&h.Request.Hold, yes, err)
	}},
	{name: "licenses", set: (*Head).licenses},
	{name: "soft", bare: true, set: func(h *Head, v string) error {
		yes, err := truth(v)
		return put(&h.Request.Soft, yes, err)
	}},
	{name: "budget", short: "b", set: func(h *Head, v string) error {
		if v == none {
			h.Request.Budget = nil
			return nil
		}
		m, err := money(v)
		return put(&h.Request.Budget, &m, err)
	}},
	{name: "penalty", set: func(h *Head, v string) error {
		m, err := money(v)
		return put(&h.Request.PenaltyMicros, m, err)
	}},
	{name: "procs", short: "n", set: func(h *Head, v string) error {
		n, err := processors(v)
		return put(&h.Request.Processors, n, err)
	}},
	{name: "threads", set: func(h *Head, v string) error {
		n, err := processors(v)
		return put(&h.Request.Threads, n, err)
	}},
	{name: "memory", set: func(h *Head, v string) error {
		mb, err := Megabytes(v)
		h.nodeMB = 0
		if h.all.whole { // as much of each of its processors, then
			h.all.memoryNode, h.all.memoryProc, h.all.allMemory = 0, 0, false
		}
		return put(&h.Request.MemoryMB, mb, err)
	}},
	{name: "disk", set: func(h *Head, v string) error {
		mb, err := Megabytes(v)
		return put(&h.Request.DiskMB, mb, err)
	}},
	{name: "gpus", set: func(h *Head, v string) error {
		kind, n, err := market.ParseGPUs(v)
		if err == nil {
			h.Request.GPUs, h.Request.GPUKind = n, kind
		}
		return err
	}},
	{name: "nodelist", set: (*Head).nodelist},
	{name: "exclude", set: (*Head).exclude},
	{name: "constraint", set: (*Head).constraint},
	{name: "partition", set: (*Head).partition},
	{name: "reservation", set: (*Head).reservation},
	{name: "qos", set: (*Head).qos},
	{name: "class", set: func(h *Head, v string) error {
		n, err := count(v, 0)
		return put(&h.Request.Class, n, err)
	}},
	{name: "wish", set: func(h *Head, v string) error {
		h.Request.Tags = slices.DeleteFunc(h.Request.Tags, func(tag string) bool { return strings.HasPrefix(tag, wishTag) })
		if v == "first" || v == "gain" { // between clusters: only a broker can grant them
			h.Request.Wish, h.Request.Tags = "", append(h.Request.Tags, wishTag+v)
			return nil
		}
		_, err := market.ParseObjective(v)
		return put(&h.Request.Wish, v, err)
	}},
	{name: "overrun", set: func(h *Head, v string) error {
		switch o := v1.Overrun(v); o {
		case v1.OverrunStop, v1.OverrunLate, v1.OverrunKill:
			h.Request.Overrun = o
			return nil
		}
		return fmt.Errorf("%q (want stop, late or kill)", v)
	}},
	{name: "no-restart", bare: true, set: func(h *Head, v string) error {
		yes, err := truth(v)
		return put(&h.Request.NoRestart, yes, err)
	}},
	{name: "after", set: func(h *Head, v string) error {
		ids, err := jobs(v)
		h.Printed, h.Request.AfterAny, h.Request.AfterFailed = Follows{}, nil, nil
		return put(&h.Request.After, ids, err)
	}},
	{name: "after-begun", set: func(h *Head, v string) error {
		h.Request.AfterBegun = nil
		for word := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == ',' || r == ':' }) {
			b, err := begun(word)
			if err != nil {
				return err
			}
			h.Request.AfterBegun = append(h.Request.AfterBegun, b)
		}
		return nil
	}},
	{name: "after-each", set: func(h *Head, v string) error {
		ids, err := jobs(v)
		return put(&h.Request.AfterEach, ids, err)
	}},
	{name: arrayTerm, set: (*Head).sweep},
	{name: "tags", set: func(h *Head, v string) error {
		wished := slices.DeleteFunc(h.Request.Tags, func(tag string) bool { return !strings.HasPrefix(tag, wishTag) })
		h.Request.Tags = append(strings.Split(v, ","), wished...)
		return nil
	}},
	{name: "grace", set: func(h *Head, v string) error {
		ms, err := Duration(v)
		return put(&h.Request.GraceMS, ms, err)
	}},
	{name: "optional", set: func(h *Head, v string) error {
		if v == none {
			h.Request.Optional = nil
			return nil
		}
		ms, err := Duration(v)
		if err == nil && ms == 0 {
			err = fmt.Errorf("%w: %q (want more than 0, or none)", ErrDuration, v)
		}
		return put(&h.optional().WorkMS, ms, err)
	}},
	{name: "optional-rate", set: func(h *Head, v string) error {
		m, err := money(v)
		return put(&h.optional().RateMicros, m, err)
	}},
	{name: "optional-command", set: func(h *Head, v string) error {
		argv, err := command(v)
		return put(&h.optional().Argv, argv, err)
	}},
}

// optional is the optional part of the job, which has one from now on.
func (h *Head) optional() *v1.Optional {
	if h.Request.Optional == nil {
		h.Request.Optional = &v1.Optional{}
	}
	return h.Request.Optional
}

// wishTag begins the tags that tell a broker what matters.
const wishTag = "wish:"

// deadlineTerm is the one whose value can look like something else.
const deadlineTerm = "deadline"

// arrayTerm is the one that says what the size of a job is the size of.
const arrayTerm = "array"

// none takes a deadline or a budget away.
const none = "none"

// put sets a field unless its value could not be read.
func put[T any](field *T, value T, err error) error {
	if err == nil {
		*field = value
	}
	return err
}

// Terms lists the words of #LIBRA lines.
func Terms() []string {
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = t.name
	}
	return names
}

// Set says one thing about the job, in the words of #LIBRA lines. It beats
// what was said before.
func (h *Head) Set(name, value string) error {
	for _, t := range terms {
		if t.name == name {
			return t.set(h, value)
		}
	}
	return unknown(name, Terms())
}

// ownTerm is a term as it stands in a #LIBRA line.
type ownTerm struct {
	term
	word  string // as it is written
	value string
}

// ownTerms are those of a #LIBRA line: name=value, --name=value, --name value, -d value; names that
// say something without a value stand alone. Those before a mistake are told with it.
func (r *reader) ownTerms(l line) ([]ownTerm, error) {
	words, err := split(l.text)
	if err != nil {
		return nil, r.wrong(l, "", err)
	}
	var said []ownTerm
	for i := 0; i < len(words); i++ {
		word := words[i]
		t, value, given, found := findTerm(word)
		switch {
		case !found:
			spelled, _, _ := strings.Cut(word, "=")
			dashes := spelled[:len(spelled)-len(strings.TrimLeft(spelled, "-"))]
			known := Terms()
			for k := range known {
				known[k] = dashes + known[k]
			}
			return said, r.wrong(l, spelled, unknown(spelled, known))
		case given || t.bare:
		case strings.HasPrefix(word, "-") && i+1 < len(words):
			i++
			value = words[i]
		default:
			return said, r.wrong(l, word, errNoValue)
		}
		said = append(said, ownTerm{t, word, value})
	}
	return said, nil
}

// readLibra follows a #LIBRA line, up to its first mistake.
func (r *reader) readLibra(l line) error {
	said, wrong := r.ownTerms(l)
	for _, t := range said {
		if err := t.set(r.head, t.value); err != nil {
			return r.wrong(l, t.word, err)
		}
		if t.name == deadlineTerm && Counted(t.value) {
			r.note(l, t.word, CountedNote(t.value))
		}
	}
	return wrong
}

func findTerm(word string) (t term, value string, given, found bool) {
	if len(word) >= 2 && word[0] == '-' && word[1] != '-' { // -d 10m, -d10m
		for _, t := range terms {
			if t.short == word[1:2] {
				return t, word[2:], len(word) > 2, true
			}
		}
		return term{}, "", false, false
	}
	name, value, given := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	for _, t := range terms {
		if t.name == name {
			return t, value, given, true
		}
	}
	return term{}, "", false, false
}
