package spec

import (
	"slices"
	"strings"

	"github.com/libra-market/libra/core/spelling"
)

// hint says, after the name of an unknown field, what its writer may have
// meant: a name spelled like it, a name that belongs elsewhere, or else any of
// the names there are.
func (r *reader) hint(name, path string, known []string) string {
	if near := nearest(name, known); near != "" {
		return " (did you mean " + near + "?)"
	}
	if home, ok := r.homes[name]; ok && home != path {
		return " (it belongs in " + home + ")"
	}
	if len(known) == 1 {
		return " (want " + known[0] + ")"
	}
	return " (want " + listed(known) + ")"
}

// listed joins names as in "a, b or c".
func listed(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// nearest is the known name spelled most like the given one, or nothing if
// none is spelled like it.
func nearest(name string, known []string) string {
	best, least := "", 0
	name = strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	for _, k := range known {
		if strings.HasPrefix(k, "processor") && (name == "cpu" || name == "cpus" || name == "cores") {
			return k // and not gpus, which is spelled more like it
		}
		allowed := max(1, len(k)/3)
		if len(name) > len(k)+allowed || len(name) < len(k)-allowed {
			continue // also keeps the cost down: a name may be as long as a file
		}
		if d := spelling.Edits(name, k); d <= allowed && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// misplaced says why an unknown segment may not be what it seems. A segment
// that is not known is kept and not acted upon, so a misspelt one, or a field
// outside its segment, would be a deadline silently forgotten.
func misplaced(name string) string {
	job := Job{}
	segments := job.table()
	if slices.Contains(segments.names(), name) {
		return "a known segment is not an extra one"
	}
	if home, ok := homes(segments)[name]; ok {
		return "unknown segment (the field " + name + " belongs in " + home + ")"
	}
	if near := nearest(name, segments.names()); near != "" {
		return "unknown segment (did you mean " + near + "?)"
	}
	return ""
}

// homes says in which of the inner tables each field is.
func homes(t table) map[string]string {
	found := map[string]string{}
	for _, f := range t {
		if inner, ok := f.value.(table); ok {
			for _, g := range inner {
				found[g.name] = f.name
			}
		}
	}
	return found
}
