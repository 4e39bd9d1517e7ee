package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// mutant is one change of a source.
type mutant struct {
	ID   int // of its package, from 1
	File string
	Line int
	What string // "< becomes <=: a < b"
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.What) }

// mutator puts all mutants of a file into it: each change is there, asleep until
// its number is called. Text is put in between, on the same lines, so that what
// goes wrong is where it was.
type mutator struct {
	file   *token.File
	name   string
	source []byte
	info   *types.Info
	pkg    *types.Package
	names  map[string]bool // packages that the file can speak of

	next    *int
	mutants []mutant
	opens   map[int][]string // by offset: what goes before it, outermost first
	closes  map[int][]string // what goes before that, innermost last
	instead map[int]edit
}

type edit struct {
	length int
	text   string
}

// helpers are what the changes call. They are a file of the package itself.
const helpers = `package %s

import (
	"cmp"
	"os"
	"strconv"
)

var mutantAlive, _ = strconv.Atoi(os.Getenv("MUTANT"))

func mutantOn(id int) bool { return mutantAlive == id }

func mutantNot(id int, b bool) bool { return b != (mutantAlive == id) }

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func mutantLess[T cmp.Ordered](id int, a, b T) bool { if mutantAlive == id { return a <= b }; return a < b }
func mutantMore[T cmp.Ordered](id int, a, b T) bool { if mutantAlive == id { return a >= b }; return a > b }
func mutantMost[T cmp.Ordered](id int, a, b T) bool { if mutantAlive == id { return a < b }; return a <= b }
func mutantLeast[T cmp.Ordered](id int, a, b T) bool { if mutantAlive == id { return a > b }; return a >= b }
func mutantAdd[T mutantNumber](id int, a, b T) T { if mutantAlive == id { return a - b }; return a + b }
func mutantSub[T mutantNumber](id int, a, b T) T { if mutantAlive == id { return a + b }; return a - b }
func mutantMul[T mutantNumber](id int, a, b T) T { if mutantAlive == id { return a / b }; return a * b }
func mutantDiv[T mutantNumber](id int, a, b T) T { if mutantAlive == id { return a * b }; return a / b }
func mutantFlip[T mutantNumber](id int, a T) T { if mutantAlive == id { return -a }; return a }
func mutantMoreBy1[T mutantNumber](id int, a T) T { if mutantAlive == id { return a + 1 }; return a }

var _, _, _, _ = mutantOn, mutantNot, mutantLess[int], mutantMore[int]
var _, _, _, _ = mutantMost[int], mutantLeast[int], mutantAdd[int], mutantSub[int]
var _, _, _, _ = mutantMul[int], mutantDiv[int], mutantFlip[int], mutantMoreBy1[int]
`

// calls are the operators that become a call, and what they are changed to.
var calls = map[token.Token]struct{ name, to string }{
	token.LSS: {"mutantLess", "<="}, token.GTR: {"mutantMore", ">="}, token.LEQ: {"mutantMost", "<"}, token.GEQ: {"mutantLeast", ">"},
	token.ADD: {"mutantAdd", "-"}, token.SUB: {"mutantSub", "+"}, token.MUL: {"mutantMul", "/"}, token.QUO: {"mutantDiv", "*"},
}

func (m *mutator) offset(p token.Pos) int { return m.file.Offset(p) }

// born numbers a new mutant.
func (m *mutator) born(n ast.Node, what string) int {
	*m.next++
	m.mutants = append(m.mutants, mutant{ID: *m.next, File: m.name, Line: m.file.Line(n.Pos()), What: what + ": " + m.text(n)})
	return *m.next
}

// text is a node as it stands, in one short line.
func (m *mutator) text(n ast.Node) string {
	text := strings.Join(strings.Fields(string(m.source[m.offset(n.Pos()):m.offset(n.End())])), " ")
	if len(text) > 90 {
		text = text[:87] + "..."
	}
	return text
}

func (m *mutator) around(n ast.Node, before, after string) {
	m.opens[m.offset(n.Pos())] = append(m.opens[m.offset(n.Pos())], before)
	m.closes[m.offset(n.End())] = append(m.closes[m.offset(n.End())], after)
}

// walk looks at a file from the outside in: what encloses comes first.
func (m *mutator) walk(f *ast.File) {
	for _, d := range f.Decls {
		if fn, is := d.(*ast.FuncDecl); is && fn.Body != nil {
			ast.Inspect(fn.Body, m.visit)
		}
	}
}

func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR // constants and types stay
	case *ast.BlockStmt:
		m.statements(n.List)
	case *ast.CaseClause:
		m.statements(n.Body)
		for _, e := range n.List { // numbers after case must stay apart
			if !isNumber(e) {
				ast.Inspect(e, m.visit)
			}
		}
		for _, s := range n.Body {
			ast.Inspect(s, m.visit)
		}
		return false
	case *ast.ArrayType:
		return false
	case *ast.IfStmt:
		m.condition(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			m.condition(n.Cond)
		}
	case *ast.AssignStmt:
		m.assignment(n)
	case *ast.BinaryExpr:
		return m.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.SUB && m.variable(n) && !isNumber(n.X) {
			m.around(n, fmt.Sprintf("mutantFlip(%d, ", m.born(n, "the sign goes")), ")")
		}
	case *ast.CallExpr:
		return !stops(n)
	case *ast.BasicLit:
		m.literal(n)
	}
	return true
}

// statements leaves each of them out that can be.
func (m *mutator) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, is := s.X.(*ast.CallExpr); !is || stops(call) {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || blank(s.Lhs) {
				continue
			}
		case *ast.IncDecStmt:
		case *ast.BranchStmt:
			if s.Tok != token.CONTINUE && s.Tok != token.BREAK {
				continue
			}
		default:
			continue
		}
		m.around(s, fmt.Sprintf("if !mutantOn(%d) { ", m.born(s, "left out")), " }")
	}
}

// condition negates what is no comparison; those are negated anyway.
func (m *mutator) condition(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
	default:
		m.around(e, fmt.Sprintf("mutantNot(%d, ", m.born(e, "negated")), ")")
	}
}

// assignment turns += into -=.
func (m *mutator) assignment(n *ast.AssignStmt) {
	if n.Tok != token.ADD_ASSIGN && n.Tok != token.SUB_ASSIGN || !m.number(n.Lhs[0]) || m.info.Types[n.Rhs[0]].Value != nil {
		return
	}
	m.around(n.Rhs[0], fmt.Sprintf("mutantFlip(%d, ", m.born(n, "the sign of what is added")), ")")
}

// binary changes an operator; it says whether to look inside.
func (m *mutator) binary(n *ast.BinaryExpr) bool {
	if m.info.Types[n].Value != nil {
		return false
	}
	switch n.Op {
	case token.LAND, token.LOR:
		to := map[token.Token]string{token.LAND: "||", token.LOR: "&&"}[n.Op]
		id := m.born(n, fmt.Sprintf("%s becomes %s", n.Op, to))
		for _, e := range []ast.Expr{n, n.X, n.Y} { // a || b is !(!a && !b)
			m.around(e, fmt.Sprintf("mutantNot(%d, ", id), ")")
		}
	case token.EQL, token.NEQ:
		m.around(n, fmt.Sprintf("mutantNot(%d, ", m.born(n, "negated")), ")")
		return m.operands(n)
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		m.around(n, fmt.Sprintf("mutantNot(%d, ", m.born(n, "negated")), ")")
		m.call(n)
		return m.operands(n)
	case token.ADD, token.SUB, token.MUL, token.QUO:
		if m.number(n) {
			m.call(n)
		}
	default: // shifts and bits
	}
	return true
}

// operands looks into both sides of a comparison, but not at a number that is one
// of them: to move it is to move the boundary, which is done already.
func (m *mutator) operands(n *ast.BinaryExpr) bool {
	for _, e := range []ast.Expr{n.X, n.Y} {
		if !isNumber(e) {
			ast.Inspect(e, m.visit)
		}
	}
	return false
}

func (m *mutator) call(n *ast.BinaryExpr) {
	if _, generic := m.info.TypeOf(n.X).(*types.TypeParam); generic {
		return
	}
	c := calls[n.Op]
	m.around(n, fmt.Sprintf("%s(%d, ", c.name, m.born(n, fmt.Sprintf("%s becomes %s", n.Op, c.to))), ")")
	m.instead[m.offset(n.OpPos)] = edit{len(n.Op.String()), ","}
}

// literal makes a number one more. Where its type can not be named here it stays.
func (m *mutator) literal(n *ast.BasicLit) {
	if n.Kind != token.INT && n.Kind != token.FLOAT {
		return
	}
	kind := m.info.TypeOf(n)
	if basic, is := kind.(*types.Basic); is && basic.Info()&types.IsUntyped != 0 || !m.isNumeric(kind) {
		return
	}
	nameable := true
	name := types.TypeString(kind, func(p *types.Package) string {
		if p == m.pkg {
			return ""
		}
		nameable = nameable && m.names[p.Name()]
		return p.Name()
	})
	if nameable {
		m.around(n, fmt.Sprintf("mutantMoreBy1[%s](%d, ", name, m.born(n, "one more")), ")")
	}
}

func (m *mutator) number(e ast.Expr) bool { return m.isNumeric(m.info.TypeOf(e)) }

func (m *mutator) variable(e ast.Expr) bool { return m.info.Types[e].Value == nil && m.number(e) }

func (m *mutator) isNumeric(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, generic := t.(*types.TypeParam); generic {
		return false
	}
	basic, is := t.Underlying().(*types.Basic)
	return is && basic.Info()&types.IsNumeric != 0 && basic.Info()&types.IsComplex == 0
}

func isNumber(e ast.Expr) bool {
	_, is := e.(*ast.BasicLit)
	return is
}

// stops reports whether a call ends the program because an invariant is broken: no
// test gets there.
func stops(c *ast.CallExpr) bool {
	name, is := c.Fun.(*ast.Ident)
	return is && (name.Name == "panic" || name.Name == "broken")
}

func blank(list []ast.Expr) bool {
	for _, e := range list {
		if name, is := e.(*ast.Ident); !is || name.Name != "_" {
			return false
		}
	}
	return true
}

// result is the file with all its mutants.
func (m *mutator) result() []byte {
	var at []int
	for offset := range m.opens {
		at = append(at, offset)
	}
	for offset := range m.closes {
		at = append(at, offset)
	}
	for offset := range m.instead {
		at = append(at, offset)
	}
	sort.Ints(at)
	var out strings.Builder
	from, last := 0, -1
	for _, offset := range at {
		if offset == last {
			continue
		}
		last = offset
		out.Write(m.source[from:offset])
		from = offset
		for i := len(m.closes[offset]) - 1; i >= 0; i-- {
			out.WriteString(m.closes[offset][i])
		}
		for _, open := range m.opens[offset] {
			out.WriteString(open)
		}
		if e, is := m.instead[offset]; is {
			out.WriteString(e.text)
			from += e.length
		}
	}
	out.Write(m.source[from:])
	return []byte(out.String())
}
