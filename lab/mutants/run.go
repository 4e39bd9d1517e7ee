package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// suite is the tests of a package, or some of them.
type suite struct {
	pkg  string
	args []string
}

// askers are who is asked of a package's mutants, the quickest first: its own
// tests, the plays that were written for it elsewhere, and for policies the second
// implementation and asking everybody, to which lab/sim holds them.
func askers(dir string) []suite {
	own := suite{pkg: dir, args: []string{"-test.short"}}
	plays := suite{pkg: "core/exchange", args: []string{"-test.run", "Plays"}}
	const long = "WhateverHappens|RecoveredFromFacts" // of the exchange: random days
	if dir == "core/exchange" {
		own.args = []string{"-test.short", "-test.skip", long}
	}
	switch dir {
	case "core/exchange", "core/allowance", "core/underway", "core/quote", "core/roster", "core/journal", "core/bill", "core/dispatch", "core/meter":
		return dedupe(plays, own, suite{pkg: "core/exchange", args: []string{"-test.short", "-test.skip", long}},
			suite{pkg: "core/exchange", args: []string{"-test.short", "-test.run", long}})
	case "core/policy", "core/book", "core/cluster", "core/pricing":
		return dedupe(suite{pkg: "lab/sim", args: []string{"-test.run", "Script"}}, own, suite{pkg: "core/policy", args: []string{"-test.short"}},
			plays, suite{pkg: "lab/sim", args: []string{"-test.short"}}, suite{pkg: "core/policy", args: []string{"-test.run", "Conformance"}})
	}
	return []suite{own}
}

func dedupe(all ...suite) []suite {
	var kept []suite
	for _, s := range all {
		if !slices.ContainsFunc(kept, func(k suite) bool { return k.pkg == s.pkg && slices.Equal(k.args, s.args) }) {
			kept = append(kept, s)
		}
	}
	return kept
}

// verdict is what became of a mutant.
type verdict struct {
	Mutant string `json:"mutant"`
	Killed bool   `json:"killed"`
	By     string `json:"by,omitempty"` // the first test that failed, or "time"
}

// program is a suite, compiled.
type program struct {
	suite
	file string
	home string
	args []string
}

// try asks the tests about each mutant that was not asked about before.
func (s *subject) try(ctx context.Context, out io.Writer, o *options, work string, chosen []mutant) ([]verdict, error) {
	programs, err := s.compile(ctx, work)
	if err != nil {
		return nil, err
	}
	known, goesOn, log, err := s.past(o.out, programs)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	for _, p := range programs {
		if goesOn {
			break // they were asked when it began
		}
		if by, killed := p.ask(ctx, o, 0); killed {
			return nil, fmt.Errorf("the tests of %s fail without any mutant: %s", p.pkg, by)
		}
	}
	found := make([]verdict, len(chosen))
	var lock sync.Mutex
	var group sync.WaitGroup
	done, queue := 0, make(chan int)
	for range max(1, o.parallel) {
		group.Go(func() {
			for i := range queue {
				v := judge(ctx, o, programs, &chosen[i])
				lock.Lock()
				if ctx.Err() == nil {
					found[i] = v
					line, _ := json.Marshal(v) // plain data
					fmt.Fprintf(log, "%s\n", line)
				}
				if done++; done%50 == 0 {
					fmt.Fprintf(out, "%s: %d asked\n", s.dir, done)
				}
				lock.Unlock()
			}
		})
	}
	for i := range chosen {
		if v, was := known[chosen[i].String()+"#"+strconv.Itoa(chosen[i].ID)]; was {
			found[i] = v
			continue
		}
		if ctx.Err() == nil {
			queue <- i
		}
	}
	close(queue)
	group.Wait()
	for i := range found {
		found[i].Mutant, _, _ = strings.Cut(found[i].Mutant, "#")
	}
	return found, ctx.Err()
}

func judge(ctx context.Context, o *options, programs []program, m *mutant) verdict {
	v := verdict{Mutant: m.String() + "#" + strconv.Itoa(m.ID)}
	for _, p := range programs {
		if v.By, v.Killed = p.ask(ctx, o, m.ID); v.Killed {
			break
		}
	}
	return v
}

// compile builds the tests with all mutants in them.
func (s *subject) compile(ctx context.Context, work string) ([]program, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range s.sources {
		put := filepath.Join(work, strings.ReplaceAll(s.dir, "/", "-")+"-"+filepath.Base(name))
		if err := os.WriteFile(put, text, 0o644); err != nil {
			return nil, err
		}
		overlay.Replace[name] = put
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	replace := filepath.Join(work, "overlay.json")
	if err = os.WriteFile(replace, text, 0o644); err != nil {
		return nil, err
	}
	var programs []program
	built := map[string]string{}
	for _, suite := range askers(s.dir) {
		home := filepath.Join(work, "tree", suite.pkg)
		if err = stage(suite.pkg, home); err != nil {
			return nil, err
		}
		p := program{suite: suite, home: home, file: filepath.Join(work, strings.ReplaceAll(s.dir+"-by-"+suite.pkg, "/", "-"))}
		if built[suite.pkg] == "" {
			c := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", replace, "-o", p.file, "./"+suite.pkg)
			if said, failed := c.CombinedOutput(); failed != nil {
				return nil, fmt.Errorf("%s with its mutants: %w\n%s", s.dir, failed, said)
			}
			built[suite.pkg] = p.file
		}
		if p.args, err = steady(&suite); err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// stage copies what tests read: the tree may change while mutants are asked about.
func stage(pkg, home string) error {
	data := filepath.Join(pkg, "testdata")
	if _, err := os.Stat(data); errors.Is(err, os.ErrNotExist) {
		return os.MkdirAll(home, 0o755)
	}
	err := os.CopyFS(filepath.Join(home, "testdata"), os.DirFS(data))
	if errors.Is(err, os.ErrExist) {
		return nil // another suite of the same package
	}
	return err
}

// steady are the arguments with which a suite does the same every time.
func steady(s *suite) ([]string, error) {
	l, err := list("-json=TestImports,XTestImports", "./"+s.pkg)
	if err != nil {
		return nil, err
	}
	args := append([]string{"-test.failfast"}, s.args...)
	const rapid = "pgregory.net/rapid"
	if slices.Contains(l[0].TestImports, rapid) || slices.Contains(l[0].XTestImports, rapid) {
		args = append(args, "-rapid.seed=1", "-rapid.checks=20", "-rapid.nofailfile", "-rapid.shrinktime=1ms")
	}
	return args, nil
}

// waits is how many times longer than the limit tests may take by the clock on the
// wall: on a busy machine they wait for a processor, which no mutant is to blame for.
const waits = 20

// ask runs the tests with a mutant alive, and says who noticed. The limit is of
// processor time.
func (p *program) ask(ctx context.Context, o *options, id int) (by string, killed bool) {
	limited, cancel := context.WithTimeout(ctx, waits*o.limit)
	defer cancel()
	seconds := strconv.Itoa(int(math.Ceil(o.limit.Seconds())))
	c := exec.CommandContext(limited, "sh", append([]string{"-c", `ulimit -t "$0"; exec "$@"`, seconds, p.file}, p.args...)...)
	c.Dir = p.home
	c.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(id), "GOMAXPROCS=1", "GOMEMLIMIT=1GiB")
	said, err := c.CombinedOutput()
	switch {
	case err == nil:
		return "", false
	case limited.Err() != nil, c.ProcessState.UserTime()+c.ProcessState.SystemTime() >= o.limit:
		return "time", true
	}
	for line := range bytes.Lines(said) {
		if name, is := bytes.CutPrefix(bytes.TrimSpace(line), []byte("--- FAIL: ")); is {
			by = string(bytes.Fields(name)[0]) // the innermost comes last
		}
	}
	if by == "" {
		by = "panic"
	}
	return by, true
}

// past is what was found before with the same sources and the same tests, whether
// anything was, and the file to go on in.
func (s *subject) past(dir string, programs []program) (known map[string]verdict, goesOn bool, log *os.File, err error) {
	if err = os.MkdirAll(dir, 0o755); err != nil {
		return nil, false, nil, err
	}
	name := filepath.Join(dir, strings.ReplaceAll(s.dir, "/", "-")+".jsonl")
	known = map[string]verdict{}
	head := s.digest + " " + testsOf(programs)
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, false, nil, err
	}
	was, rest, _ := bytes.Cut(text, []byte("\n"))
	source, _, _ := strings.Cut(string(was), " ")
	same := string(was) == head
	var kept []verdict
	for lines := bufio.NewScanner(bytes.NewReader(rest)); source == s.digest && lines.Scan(); {
		var v verdict
		if json.Unmarshal(lines.Bytes(), &v) == nil && (same || v.Killed) { // other tests: only who survived is asked again
			known[v.Mutant] = v
			kept = append(kept, v)
		}
	}
	if log, err = os.Create(name); err != nil {
		return nil, false, nil, err
	}
	fmt.Fprintln(log, head)
	for _, v := range kept {
		line, _ := json.Marshal(v) // plain data
		fmt.Fprintf(log, "%s\n", line)
	}
	return known, same && len(kept) > 0, log, nil
}

// testsOf is a number for the tests that are asked: their files and plays.
func testsOf(programs []program) string {
	h := sha256.New()
	for _, p := range programs {
		for _, pattern := range []string{"*_test.go", "testdata/*"} {
			files, _ := filepath.Glob(filepath.Join(p.pkg, pattern)) // a good pattern
			for _, file := range files {
				text, _ := os.ReadFile(file) // directories have none
				fmt.Fprintf(h, "%s %d\n", filepath.Base(file), len(text))
				h.Write(text)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func digest(names []string, sources map[string][]byte) string {
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%s %d\n", name, len(sources[name]))
		h.Write(sources[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
