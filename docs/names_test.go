package docs

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// What counts as a name, in backticks in a document:
//
//	core/book, lab/sim/oracle_test.go   a path that begins with a wing, or has the ending of a source
//	easy.go, semantics.md               a file; somewhere in the tree
//	sim/oracle                          nothing: a package is written by its whole path
//	cluster.Step, book.Draft            an exported name of a package
//	Draft.Start                         a method or a field of a type, of any package
//	TestX, `core/book`: `TestX`         a test; of that package, if one stands before it
//	libra up --listen, make check       a command of the program with its flags, a target of make
//	go test ./lab/sim                   a directory
//
// Everything else in backticks (flags, settings, other people's files) is not
// looked at, nor are blocks of code, but for the commands in them.
var (
	span       = regexp.MustCompile("`([^`\n]+)`")
	slashed    = regexp.MustCompile(`^[A-Za-z0-9_.*-]+(/[A-Za-z0-9_.*-]+)+/?$`)
	source     = regexp.MustCompile(`\.(go|md|sql|c|css|html|svg|png|txt|lua)$`)
	bare       = regexp.MustCompile(`^[A-Za-z0-9_-]+\.(go|md)$`)
	qualified  = regexp.MustCompile(`^([a-z][a-z0-9]*)\.([A-Z]\w*(?:\.[A-Z]\w*)?)(?:\(.*\))?$`)
	member     = regexp.MustCompile(`^([A-Z]\w*\.[A-Z]\w*)(?:\(.*\))?$`)
	testOf     = regexp.MustCompile("`([a-z][a-z0-9_/]*)`: ((?:`(?:Test|Fuzz|Benchmark)[A-Z0-9]\\w*`(?:, | and )?)+)")
	aTest      = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark)[A-Z0-9]\w*$`)
	command    = regexp.MustCompile(`^(?:bin/)?libra ([a-z][a-z-]*)\b`)
	target     = regexp.MustCompile(`^make ([a-z][a-z-]*)\b`)
	flag       = regexp.MustCompile(` --([a-z][a-z-]*)`)
	goDir      = regexp.MustCompile(` \./([a-z][a-z0-9_/]*[a-z0-9])`)
	prompt     = regexp.MustCompile(`^ *(?:[a-z0-9]*[$#] )?`)
	fence      = regexp.MustCompile("(?ms)^```.*?^```$")
	docWord    = regexp.MustCompile(`[A-Za-z0-9_][A-Za-z0-9_./*-]*[A-Za-z0-9_]`)
	docLink    = regexp.MustCompile(`\[\*?([A-Za-z]\w*(?:\.\w+){0,2})\]`)
	subtest    = regexp.MustCompile(`conformance, "([^"]+)"`)
	citation   = regexp.MustCompile(`docs/([a-z/0-9-]+\.md)(?:,\s+section\s+(\d+))?`)
	heading    = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notOfLinks = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// wrongNames lists what a document names that is not there.
func (r *tree) wrongNames(text string) []string {
	var wrong []string
	prose := fence.ReplaceAllStringFunc(text, func(block string) string { return commandsOf(block) })
	for _, m := range testOf.FindAllStringSubmatch(prose, -1) {
		for _, s := range span.FindAllStringSubmatch(m[2], -1) {
			if dirs := r.tests[s[1]]; len(dirs) > 0 && !slices.ContainsFunc(dirs, func(dir string) bool { return within(dir, m[1]) }) {
				wrong = append(wrong, fmt.Sprintf("test %s is in %s, not in %s", s[1], strings.Join(dirs, ", "), m[1]))
			}
		}
	}
	answers := false // of the program: lines of a block after one with a prompt
	for line := range strings.Lines(prose) {
		if strings.HasPrefix(line, "    ") && !strings.Contains(line, "`") {
			typed := prompt.ReplaceAllString(line, "")
			prompted := typed != strings.TrimLeft(line, " ")
			if answers = answers || prompted; prompted || !answers {
				wrong = append(wrong, r.wrongCommand(strings.TrimSpace(typed))...)
			}
			continue
		}
		answers = answers && strings.TrimSpace(line) == ""
		for _, s := range span.FindAllStringSubmatch(line, -1) {
			wrong = append(wrong, r.wrongSpan(s[1])...)
		}
	}
	return wrong
}

// commandsOf keeps of a fenced block what is looked at in one that is indented.
func commandsOf(block string) string {
	var kept strings.Builder
	for line := range strings.Lines(block) {
		if !strings.Contains(line, "`") {
			kept.WriteString("    " + line)
		}
	}
	return kept.String()
}

// within reports whether a directory is another or below it.
func within(dir, above string) bool { return dir == above || strings.HasPrefix(dir, above+"/") }

// wrongSpan is what is wrong with one thing in backticks.
func (r *tree) wrongSpan(s string) []string {
	first, _, _ := strings.Cut(s, "/")
	switch {
	case aTest.MatchString(s):
		if r.tests[s] == nil {
			return []string{"there is no test " + s}
		}
	case slashed.MatchString(s):
		return r.wrongPath(s, first)
	case bare.MatchString(s):
		if !r.bases[s] {
			return []string{"there is no file " + s}
		}
	case qualified.MatchString(s):
		m := qualified.FindStringSubmatch(s)
		if len(r.packagesNamed(m[1])) > 0 && !r.declares(m[1], m[2]) {
			return []string{fmt.Sprintf("package %s declares no %s", m[1], m[2])}
		}
	case member.MatchString(s):
		if m := member.FindStringSubmatch(s); !r.declares("", m[1]) {
			return []string{"no package declares " + m[1]}
		}
	default:
		return r.wrongCommand(s)
	}
	return nil
}

func (r *tree) wrongPath(s, first string) []string {
	switch {
	case r.top(first) && !r.has(s), source.MatchString(s) && !r.top(first) && len(r.packagesNamed(first)) > 0:
		return []string{"there is no " + s}
	case !r.top(first) && len(r.packagesNamed(first)) > 0:
		return []string{fmt.Sprintf("%s is no whole path: packages are in %s", s, strings.Join(r.packagesNamed(first), ", "))}
	}
	return nil
}

func (r *tree) wrongCommand(s string) []string {
	if strings.HasPrefix(s, "go ") {
		for _, m := range goDir.FindAllStringSubmatch(s, -1) {
			if !r.has(m[1]) {
				return []string{"there is no ./" + m[1]}
			}
		}
	}
	if m := command.FindStringSubmatch(s); m != nil && !r.commands[m[1]] {
		return []string{"there is no command libra " + m[1]}
	} else if m != nil {
		own, _, _ := strings.Cut(s, " -- ") // what follows is another program's
		for _, f := range flag.FindAllStringSubmatch(own, -1) {
			if !r.flags[f[1]] {
				return []string{"there is no flag --" + f[1] + " of libra " + m[1]}
			}
		}
	}
	if m := target.FindStringSubmatch(s); m != nil && !r.targets[m[1]] {
		return []string{"there is no target make " + m[1]}
	}
	return nil
}

// wrongInComment lists what the package comment of a directory names that is
// not there. Comments have no backticks: a file is a word that ends like one,
// read from the package or from the root; a test is a word that is named like
// one; a name in brackets is a link of go doc.
func (r *tree) wrongInComment(dir, text string) []string {
	var wrong []string
	for _, word := range docWord.FindAllString(text, -1) {
		first, _, more := strings.Cut(word, "/")
		switch {
		case aTest.MatchString(word) && r.tests[word] == nil:
			wrong = append(wrong, "there is no test "+word)
		case source.MatchString(word) && !strings.HasPrefix(word, "www."):
			if !r.has(path.Join(dir, word)) && !r.has(word) && !(!more && word != path.Base(dir)+".go" && r.below(dir, word)) {
				wrong = append(wrong, "there is no "+word)
			}
		case more && r.top(first) && !r.has(word):
			wrong = append(wrong, "there is no "+word)
		case more && !r.top(first) && len(r.packagesNamed(first)) > 0 && !r.has(path.Join(dir, word)):
			wrong = append(wrong, word+" is no whole path")
		}
	}
	for _, m := range docLink.FindAllStringSubmatch(text, -1) {
		if !r.linked(dir, m[1]) {
			wrong = append(wrong, "there is no ["+m[1]+"]")
		}
	}
	return wrong
}

// below reports whether a file of that name is in a directory under another.
func (r *tree) below(dir, name string) bool {
	for p := range r.paths {
		if path.Base(p) == name && within(path.Dir(p), dir) {
			return true
		}
	}
	return false
}

// linked reports whether a link of go doc leads to something of this tree. One
// into a package of elsewhere is not looked at.
func (r *tree) linked(dir, name string) bool {
	if knows(r.packages[dir], name) {
		return true
	}
	pkg, identifier, dotted := strings.Cut(name, ".")
	if !dotted {
		return !('A' <= name[0] && name[0] <= 'Z') // [word] in prose
	}
	if 'A' <= pkg[0] && pkg[0] <= 'Z' {
		return false
	}
	return len(r.packagesNamed(pkg)) == 0 || r.declares(pkg, identifier)
}

// anchors are the names that the headings of a document can be linked by.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		name := strings.ToLower(notOfLinks.ReplaceAllString(strings.ReplaceAll(m[1], "`", ""), ""))
		found[strings.ReplaceAll(strings.TrimSpace(name), " ", "-")] = true
	}
	return found
}
