package web

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/estimate"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/directive"
)

// form is what somebody has typed, as they typed it, and what is wrong with it.
type form struct {
	Fields map[string]string
	Wrong  map[string]string // by field, for people
	Notes  []string          // on what means something else than it seems to say
	Guess  *guess            // from how long the same ran before; nil: there is none, or it is what was said
}

// terms are the fields whose names are words of #LIBRA lines: what they mean is
// said there, so that a page, a script and a command line mean the same.
var terms = []string{
	"name", "estimate", "deadline", "budget", "penalty", "procs", "threads", "memory", "disk", "gpus", "class", "wish", "overrun", "after", "array",
	"tags", "grace", "dir", "output", "error", "account", "soft", "no-restart", "optional", "optional-rate", "optional-command",
	"partition", "nodelist", "exclude", "constraint", "begin",
}

// fieldOf says which field of the form sets a field of a request.
var fieldOf = map[string]string{
	"estimate_ms": "estimate", "deadline_ms": "deadline", "budget_micros": "budget", "penalty_micros_per_s": "penalty",
	"processors": "procs", "memory_mb": "memory", "disk_mb": "disk", "gpu_kind": "gpus", "argv": "script", "no_restart": "no-restart",
	"grace_ms": "grace", "array.limit": "array", "array.nodes": "array", "optional.work_ms": "optional", "optional.rate_micros_per_s": "optional-rate",
	"optional.argv": "optional-command", "begin_ms": "begin",
}

// readRequest takes in the form and makes a request of it. What is wrong stands in
// the form.
func (c *call) readRequest() (*form, v1.Request) {
	f := &form{Fields: map[string]string{}, Wrong: map[string]string{}}
	for _, name := range append([]string{"args", "env", "zone"}, terms...) {
		f.Fields[name] = strings.TrimSpace(c.r.PostFormValue(name))
	}
	script, file := c.script()
	f.Fields["script"] = script
	head := directive.New(directive.Place{Now: c.h.now().In(f.zone()), User: c.who.User})
	head.Sweeps(f.Fields["array"])
	f.readScript(head, script)
	for _, name := range terms {
		if value := f.Fields[name]; value != "" {
			if err := head.Set(name, value); err != nil {
				f.Wrong[name] = err.Error()
			}
		}
	}
	for _, name := range []string{"memory", "disk"} {
		if text := f.Fields[name]; directive.WithoutUnit(text) {
			f.Notes = append(f.Notes, fmt.Sprintf("%s %s is %s megabytes; %sG would be gigabytes", name, text, text, text))
		}
	}
	for line := range strings.Lines(f.Fields["env"]) {
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		if err := head.Set("env", line); err != nil {
			f.Wrong["env"] = err.Error()
		}
	}
	if file != "" {
		head.Request.Env = append(head.Request.Env, estimate.ScriptFile+file)
	}
	r := head.Finish(file, nil)
	r.Script, r.Argv = script, strings.Fields(f.Fields["args"])
	if r.Dir == "" && script != "" {
		r.Dir = c.h.options.Home(c.who.User)
	}
	return f, r
}

// script is what was uploaded, or else pasted, and the name of the file.
func (c *call) script() (text, name string) {
	text = strings.ReplaceAll(c.r.PostFormValue("script"), "\r\n", "\n") // browsers send lines as mail does
	file, header, err := c.r.FormFile("file")
	if err != nil {
		return text, ""
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, trade.MaxScript+1))
	if err != nil || len(content) == 0 {
		return text, ""
	}
	return string(content), path.Base(header.Filename)
}

// readScript takes in what the head of the script says about itself.
func (f *form) readScript(head *directive.Head, script string) {
	if script == "" {
		return
	}
	if err := head.Read("line", script); err != nil {
		var texts []string
		for line := range strings.SplitSeq(err.Error(), "\n") {
			texts = append(texts, strings.Replace(line, "line:", "line ", 1))
		}
		f.Wrong["script"] = strings.Join(texts, "; ")
	}
	for _, n := range head.Notes {
		f.Notes = append(f.Notes, "line "+strconv.Itoa(n.Line)+": "+n.Directive+": "+n.Text)
	}
}

// zone is where the reader is, by what their browser says; minutes east of
// Greenwich.
func (f *form) zone() *time.Location {
	minutes, err := strconv.Atoi(f.Fields["zone"])
	if err != nil || minutes < -24*60 || minutes > 24*60 {
		return time.UTC
	}
	return time.FixedZone("", minutes*60)
}

// fault puts an error of the market to the field that it is about.
func (f *form) fault(err error) bool {
	wrong, ok := errors.AsType[*trade.FieldError](err)
	if !ok {
		return false
	}
	name := wrong.Field
	if field, known := fieldOf[name]; known {
		name = field
	}
	if _, asked := f.Fields[name]; !asked {
		name = "estimate" // no field of its own: the first one says it
	}
	f.Wrong[name] = strings.ToUpper(wrong.Want[:1]) + wrong.Want[1:]
	return true
}

// offerTerms are the fields in which an offer differs, as the value of a button.
func offerTerms(o *v1.Offer) string {
	q := url.Values{}
	r := &o.Quote.Request
	if o.Quote.ID != "" {
		q.Set("quote", o.Quote.ID)
	}
	q.Set("estimate", inputSpan(r.EstimateMS))
	if r.DeadlineMS > 0 {
		q.Set("deadline", inputSpan(r.DeadlineMS))
	}
	if r.Budget != nil {
		q.Set("budget", market.Money(*r.Budget).String())
	}
	if r.Processors > 0 {
		q.Set("procs", strconv.Itoa(r.Processors))
	}
	if o.Change == "gpus" {
		q.Set("gpus", market.GPUText(r.GPUKind, r.GPUs))
	}
	if o.Change == "array" && r.Array != nil {
		q.Set("array", arrayText(r.Array))
	}
	if o.Change == "nodes" { // on any
		for _, name := range placeTerms {
			q.Set(name, "")
		}
	}
	return q.Encode()
}

// placeTerms are the fields that say on which nodes of its partition a job may be.
var placeTerms = []string{"nodelist", "exclude", "constraint"}

// use puts the terms of an offer into the form.
func (f *form) use(offer url.Values) {
	for _, name := range slices.Concat([]string{"estimate", "deadline", "budget", "procs", "gpus", "array"}, placeTerms) {
		if offer.Has(name) {
			f.Fields[name] = offer.Get(name)
			delete(f.Wrong, name)
		}
	}
}

// like fills the form with what another job asked for.
func (f *form) like(j *v1.Job) {
	r := &j.Request
	f.Fields = map[string]string{
		"name": r.Name, "estimate": inputSpan(r.EstimateMS), "script": r.Script, "dir": r.Dir, "account": r.Account,
		"wish": r.Wish, "overrun": string(r.Overrun), "tags": strings.Join(r.Tags, ","), "args": strings.Join(r.Argv, " "),
		"env": strings.Join(r.Env, "\n"),
	}
	if r.Script == "" { // a program becomes a script of one line
		f.Fields["args"], f.Fields["script"] = "", "#!/bin/sh\nexec "+quoted(r.Argv)+"\n"
	}
	set := func(name, value string, given bool) {
		if given {
			f.Fields[name] = value
		}
	}
	set("deadline", inputSpan(r.DeadlineMS), r.DeadlineMS > 0)
	set("penalty", market.Money(r.PenaltyMicros).String(), r.PenaltyMicros > 0)
	set("procs", strconv.Itoa(r.Processors), r.Processors > 1)
	set("threads", strconv.Itoa(r.Threads), r.Threads > 1)
	set("memory", strconv.FormatInt(r.MemoryMB, 10)+"M", r.MemoryMB > 0)
	set("disk", strconv.FormatInt(r.DiskMB, 10)+"M", r.DiskMB > 0)
	set("gpus", market.GPUText(r.GPUKind, r.GPUs), r.GPUs > 0)
	set("partition", r.Partition, r.Partition != "")
	set("nodelist", strings.Join(r.Nodelist, ","), len(r.Nodelist) > 0)
	set("exclude", strings.Join(r.Exclude, ","), len(r.Exclude) > 0)
	set("constraint", r.Constraint, r.Constraint != "")
	set("class", strconv.Itoa(r.Class), r.Class > 0)
	set("soft", "yes", r.Soft)
	set("no-restart", "yes", r.NoRestart)
	set("grace", inputSpan(r.GraceMS), r.GraceMS > 0)
	if r.Budget != nil {
		f.Fields["budget"] = market.Money(*r.Budget).String()
	}
	if o := r.Optional; o != nil {
		f.Fields["optional"], f.Fields["optional-rate"] = inputSpan(o.WorkMS), market.Money(o.RateMicros).String()
		set("optional-command", quoted(o.Argv), len(o.Argv) > 0)
	}
	if r.Array != nil {
		f.Fields["array"] = arrayText(r.Array)
	}
}

// arrayText is an array as it is typed: 1-100%10.
func arrayText(a *v1.Array) string {
	if a.Limit > 0 {
		return a.Indexes() + "%" + strconv.Itoa(a.Limit)
	}
	return a.Indexes()
}

// quoted writes words as a shell reads them.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_") != "" {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// more reports whether anything is said in the part of the form that is folded
// away.
func (f *form) more() bool {
	shown := map[string]bool{"estimate": true, "deadline": true, "budget": true, "script": true, "zone": true, "dir": true, "name": true, "wish": true, "partition": true}
	for name, value := range f.Fields {
		if value != "" && !shown[name] {
			return true
		}
	}
	for name := range maps.Keys(f.Wrong) {
		if !shown[name] || name == "dir" || name == "name" {
			return true
		}
	}
	return false
}
