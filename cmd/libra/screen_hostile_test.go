package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/plain"
)

// hostile is what somebody would write who wants to be obeyed: it paints, turns the
// direction of writing, hides, and ends the line.
const hostile = "x\x1b[31m\x1b]0;t\x07\u009b2J\u202egnp\u2066\u200f\u061c\u200b\ufeff\u2028\u2029\u0085\r\nforged\t\x00\x7f\U000e0041"

// hostileMarket writes it wherever it has something to say, as often as it can.
type hostileMarket struct {
	refuse int // the status of its answers; 0: it does as it is told
}

func (h *hostileMarket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.refuse != 0 {
		problem := fill(v1.Problem{})
		problem.Status, problem.Type = h.refuse, "urn:libra:problem:cannot-meet-budget"
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(h.refuse)
		_ = json.NewEncoder(w).Encode(problem) // a test sees what is missing
		return
	}
	job := fill(v1.Job{State: v1.Failed})
	if r.Method == http.MethodPost && r.URL.Path == "/v1/jobs" {
		job.State = v1.Running
	}
	answers := map[string]any{
		"/v1/jobs": fill(v1.JobPage{Jobs: []v1.Job{job, fill(v1.Job{State: v1.Running})}}), "/v1/jobs/7": job, "/v1/jobs/7/explain": fill(v1.Explanation{}),
		"/v1/jobs/7/cancel": job, "/v1/jobs/7/void": job, "/v1/quotes": fill(v1.Quote{}), "/v1/previews": fill(v1.Quote{}),
		"/v1/nodes": fill(v1.NodeList{}), "/v1/prices": fill(v1.Prices{}), "/v1/report": fill(v1.Tally{}), "/v1/accounts": fill(v1.AccountList{}),
		"/v1/statements": fill(v1.Statement{}), "/v1/ledger/verify": fill(v1.Verified{}), "/v1/tokens": fill(v1.TokenList{}),
		"/v1/whoami": fill(v1.Whoami{Role: v1.RoleOwner}), "/v1/transfers": fill(v1.Account{}), "/v1/grants": fill(v1.Account{}),
	}
	answer, known := answers[r.URL.Path]
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v1/jobs":
		answer = job
	case r.Method == http.MethodPost && r.URL.Path == "/v1/tokens":
		answer = fill(v1.NewToken{Token: v1.Token{Role: v1.RoleUser}})
	case r.Method == http.MethodPost && r.URL.Path == "/v1/accounts", strings.HasPrefix(r.URL.Path, "/v1/accounts/"):
		answer = fill(v1.Account{})
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
		return
	case !known:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // as above
}

// fill puts something into every field that has nothing yet: the hostile text into
// every text.
func fill[T any](value T) T {
	fillValue(reflect.ValueOf(&value).Elem(), 0)
	return value
}

func fillValue(v reflect.Value, depth int) {
	if depth > 6 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.IsZero() {
			v.SetString(hostile)
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if v.IsZero() {
			v.SetInt(7)
		}
	case reflect.Float64:
		if v.IsZero() {
			v.SetFloat(0.5)
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fillValue(v.Elem(), depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			fillValue(v.Index(i), depth+1)
		}
	case reflect.Map:
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillValue(key, depth+1)
		fillValue(element, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, element)
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(v.Field(i), depth+1)
		}
	default:
	}
}

// harmless reports what a terminal would obey of a text, or take for our own line.
func harmless(t *testing.T, what, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && r != '\t' && !plain.Seen(r) {
			t.Errorf("%s: %U in %q", what, r, text)
			break
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimPrefix(strings.TrimSpace(line), "libra: "), "forged") {
			t.Errorf("%s: a line that we have not written in %q", what, text)
			break
		}
	}
}

// leaves are all commands that do something, by their names.
func leaves(under *cobra.Command) map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	for _, c := range under.Commands() {
		for name, leaf := range leaves(c) {
			all[c.Name()+" "+name] = leaf
		}
		if c.Runnable() {
			all[c.Name()] = c
		}
	}
	return all
}

// tries are the arguments with which the commands of a live market say all that they
// have to say. A new command has to be here.
var tries = map[string][][]string{
	"submit": {{"--estimate", "5s", "--", "true"}, {"--estimate", "5s", "--json", "--", "true"}, {"--estimate", "5s", "--name", hostile, "--dir", hostile, "--", hostile}},
	"sbatch": {{"SCRIPT"}, {"--parsable", "SCRIPT"}, {hostile}},
	"quote":  {{"--estimate", "5s"}, {"--estimate", "5s", "--json"}, {"--estimate", "5s", "--hold"}},
	"jobs":   {{}, {"--all"}, {"--json"}, {"--state", hostile}},
	"job":    {{"7"}, {"7", "--json"}, {hostile}}, "explain": {{"7"}, {"7", "--json"}}, "cancel": {{"7"}, {"7", "--json"}, {hostile}},
	"release": {{"7"}, {"7", "--json"}, {hostile}},
	"void":    {{"7", "--reason", hostile}, {"7", "--json", "--reason", "x"}}, "logs": {{"8"}, {"--tail", "3", "8"}, {"-f", "8"}},
	"nodes": {{}, {"--json"}, {"--cluster"}}, "prices": {{}, {"--json"}},
	"salloc": {{"-t", "1", "--no-shell"}}, "srun": {{"-t", "1", hostile}}, "account": {{}, {"--json"}, {"lab"}}, "account open": {{hostile}}, "account close": {{hostile}}, "account grant": {{hostile, "5", "--memo", hostile}},
	"account transfer": {{hostile, "5"}}, "account limit": {{hostile, "5"}}, "account allow": {{hostile, "5"}}, "account credit": {{hostile, "5"}}, "account bind": {{hostile, hostile}}, "account unbind": {{hostile, hostile}},
	"statement": {{}, {"--json"}}, "report": {{}, {"--json"}, {"--from", hostile}},
	"token": {}, "token create": {{"--user", hostile}, {"--json"}}, "token list": {{}, {"--json"}}, "token revoke": {{hostile}},
	"ledger": {}, "ledger verify": {{}, {"--json"}}, "login": {{}},
	"slurm": {}, "slurm check": {}, "slurm plugin": {}, "slurm associations": {{"--from", "SCRIPT", "--cluster", hostile}, {"--from", "TREE", "--cluster", "c"}, {"--from", "TREE", "--cluster", "c", "--json"}, {"--under", hostile}},
	"top": {{"--once"}, {"--json"}}, "estimate": {{hostile}, {hostile, "--json"}, {"--trace", hostile}},
}

// TestNothingIsObeyed has a market, a command line and files say what a terminal
// would obey, to all commands.
func TestNothingIsObeyed(t *testing.T) {
	script := file(t, "job.sh", "#!/bin/sh\n#SBATCH -t 0:10\ntrue\n")
	tree := file(t, "tree.txt", "Cluster|Account|User|Partition|ParentName\nc|root|||\nc|"+hostile+"|||root\nc|lab|"+hostile+"||\nc|lab|||root\n")
	for what, market := range map[string]*hostileMarket{
		"it does": {}, "no": {refuse: http.StatusUnprocessableEntity}, "wrong": {refuse: http.StatusBadRequest}, "denied": {refuse: http.StatusForbidden},
	} {
		server := httptest.NewServer(market)
		t.Cleanup(server.Close)
		noContext(t)
		if err := writeContext(marketContext{Server: server.URL, Token: "libra_x", User: "alice", Plain: true}); err != nil {
			t.Fatal(err)
		}
		root := &cobra.Command{}
		con := newConsole(nil, io.Discard, io.Discard)
		root.AddCommand(append(jobCommands(con), marketCommands(con)...)...)
		root.AddCommand(newReport(con), newVoid(con), newLedger(con), newSlurm(con))
		said := 0
		for name := range leaves(root) {
			if tries[name] == nil {
				t.Errorf("libra %s: nobody has tried what it prints (add it to tries)", name)
			}
			for _, args := range tries[name] {
				for i := range args {
					args[i] = strings.NewReplacer("SCRIPT", script, "TREE", tree).Replace(args[i])
				}
				r := libra(t, append(strings.Fields(name), args...)...)
				if strings.Contains(r.err, "internal error") {
					t.Errorf("%s: libra %s %q: %s", what, name, args, r.err)
				}
				harmless(t, what+": libra "+name, r.out)
				harmless(t, what+": libra "+name+", errors", r.err)
				if strings.Contains(r.out, "gnp") {
					said++
				}
			}
		}
		if what == "it does" && said < 20 {
			t.Errorf("only %d commands said what the market did", said)
		}
	}
}

// Whatever is wrong with a command line or a file is said without obeying it.
func TestErrorsAreNotObeyed(t *testing.T) {
	noContext(t)
	bad := file(t, "bad", hostile+"\nid,"+hostile+"\n")
	for name, cmd := range leaves(newRoot(newConsole(nil, io.Discard, io.Discard))) {
		for _, args := range [][]string{{"--" + hostile}, {"--no-such-flag=" + hostile}, {hostile, hostile, hostile, hostile}} {
			r := libra(t, append(strings.Fields(name), args...)...)
			harmless(t, "libra "+name, r.out+r.err)
		}
		switch top, _, _ := strings.Cut(name, " "); top {
		case "up", "serve", "broker", "agent", "slurm", "reproduce", "help", "completion": // they would start something
		default:
			r := libra(t, append(strings.Fields(name), bad)...)
			harmless(t, "libra "+name+" with a file", r.out+r.err)
			if cmd.Flags().Lookup("workload") != nil {
				r = libra(t, append(strings.Fields(name), "--workload", bad)...)
				harmless(t, "libra "+name+" --workload", r.out+r.err)
			}
		}
	}
}

// Nobody prints but through printf, printline and grids.
func TestWhoPrints(t *testing.T) {
	files, err := parser.ParseDir(token.NewFileSet(), ".", func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range files["main"].Files {
		if name == "screen.go" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			called, is := call.Fun.(*ast.SelectorExpr)
			if !is {
				return true
			}
			if of, _ := called.X.(*ast.Ident); of == nil || of.Name != "fmt" || !strings.Contains(called.Sel.Name, "rint") || strings.HasPrefix(called.Sel.Name, "S") {
				return true
			}
			if len(call.Args) > 0 {
				if first, is := call.Args[0].(*ast.UnaryExpr); is && first.Op == token.AND {
					return true // into a text of its own
				}
			}
			t.Errorf("%s: fmt.%s: printf and printline show what people wrote without obeying it", name, called.Sel.Name)
			return true
		})
	}
}

// What comes in pieces is shown like what comes at once.
func TestScreenInPieces(t *testing.T) {
	text := "Größe 数 👍\x1b[0m\u202e \xff end"
	for size := 1; size < 5; size++ {
		var out strings.Builder
		s := &screen{to: &out}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if _, err := io.WriteString(s, rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		s.control("\x1b[K")
		if want := plain.Lines(text) + "\x1b[K"; out.String() != want {
			t.Errorf("by %d: %q, want %q", size, out.String(), want)
		}
	}
	var out strings.Builder
	s := &screen{to: &out}
	_, _ = s.Write([]byte("cut \xe6\x95"))
	s.control("")
	if out.String() != `cut \xe6\x95` {
		t.Errorf("a character without its end: %q", out.String())
	}
}
