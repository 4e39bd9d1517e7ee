package mistake

import (
	"reflect"
	"strings"

	"github.com/libra-market/libra/core/spelling"
)

// meant is the setting that somebody may have meant who wrote another into a part of a
// file (agent, clusters[1]; "": the file itself), as words to add; "" if none is near.
func meant(typed, part string, file reflect.Type) string {
	if part != "" {
		for name := range strings.SplitSeq(part, ".") {
			name, _, _ = strings.Cut(name, "[")
			if file = settingsOf(file)[name]; file == nil {
				return ""
			}
		}
	}
	names := make([]string, 0, 16)
	for name := range settingsOf(file) {
		names = append(names, name)
	}
	if near := spelling.Nearest(typed, names); near != "" {
		return " (did you mean " + near + "?)"
	}
	return ""
}

// settingsOf are the settings of a type, by the names that they have in a file.
func settingsOf(t reflect.Type) map[string]reflect.Type {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	all := map[string]reflect.Type{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, how, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case how == "inline":
			for inner, of := range settingsOf(field.Type) {
				all[inner] = of
			}
		case name == "":
			all[strings.ToLower(field.Name)] = field.Type
		default:
			all[name] = field.Type
		}
	}
	return all
}
