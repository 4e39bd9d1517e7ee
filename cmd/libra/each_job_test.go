package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// Whatever shows a job shows several, however they are named.
func TestSeveralJobsAreShown(t *testing.T) {
	f := newFloor()
	for _, id := range []int64{11, 12, 13} {
		j := completed()
		j.ID = id
		f.Put(j)
		f.Write(id, "hello of "+string(rune('a'+id-11))+"\n")
	}
	f.explain = v1.Explanation{Job: 1, State: v1.Completed, Summary: "ended"}
	open(t, f, v1.RoleUser)
	if got := mustLibra(t, "job", "11-12", "last"); strings.Count(got, "\n\njob ") != 2 || !strings.HasPrefix(got, "job           11\n") || !strings.Contains(got, "\njob           13\n") {
		t.Errorf("job 11-12 last:\n%s", got)
	}
	if got := mustLibra(t, "explain", "11,13"); strings.Count(got, "job 1 ended") != 2 {
		t.Errorf("explain 11,13:\n%s", got)
	}
	same(t, mustLibra(t, "logs", "11-12"), "==> job 11 <==\nhello of a\n\n==> job 12 <==\nhello of b\n")
	same(t, mustLibra(t, "logs", "last"), "hello of c\n")

	var one v1.Job
	if err := json.Unmarshal([]byte(mustLibra(t, "job", "--json", "12")), &one); err != nil || one.ID != 12 {
		t.Errorf("one job: %v, %+v", err, one)
	}
	var several []v1.Job
	if err := json.Unmarshal([]byte(mustLibra(t, "job", "--json", "12-13")), &several); err != nil || len(several) != 2 || several[1].ID != 13 {
		t.Errorf("several jobs: %v, %+v", err, several)
	}
	// One that is not there keeps no other from being shown.
	r := libra(t, "job", "--json", "13-14")
	if err := json.Unmarshal([]byte(r.out), &several); err != nil || len(several) != 1 || r.code != exitFailure || !strings.Contains(r.err, "14") {
		t.Errorf("%v: %+v", err, r)
	}
	if r := libra(t, "logs", "-f", "11-12"); r.code != exitUsage || !strings.Contains(r.err, "one job is wanted, not 2") {
		t.Errorf("%+v", r)
	}
	if r := libra(t, "explain"); r.code != exitUsage || !strings.Contains(r.err, "ID is missing") {
		t.Errorf("%+v", r)
	}
}

func TestLogsForPrograms(t *testing.T) {
	f := newFloor()
	f.Put(v1.Job{ID: 12, Owner: "alice", State: v1.Completed, StartedUS: 1})
	f.Put(v1.Job{ID: 13, Owner: "alice", State: v1.Completed, StartedUS: 1})
	f.Write(12, "one\ntwo\u00b5\n")
	f.Write(13, "a\xffb")
	open(t, f, v1.RoleUser)
	same(t, mustLibra(t, "logs", "--json", "--tail", "1", "12"), `
{
  "job": 12,
  "rank": 0,
  "stderr": false,
  "text": "twoµ\n"
}
`)
	var both []written
	if err := json.Unmarshal([]byte(mustLibra(t, "logs", "--json", "12,13")), &both); err != nil || len(both) != 2 || both[0].Text != "one\ntwo\u00b5\n" || both[0].Data != nil || string(both[1].Data) != "a\xffb" {
		t.Errorf("%v: %+v", err, both)
	}
	text := ""
	for line := range strings.Lines(mustLibra(t, "logs", "--json", "-f", "12")) {
		var piece written
		if err := json.Unmarshal([]byte(line), &piece); err != nil || piece.Job != 12 {
			t.Fatalf("%q: %v", line, err)
		}
		text += piece.Text
	}
	same(t, text, "one\ntwo\u00b5\n")
}

// A character that comes in two pieces is one.
func TestPiecesAreCutBetweenCharacters(t *testing.T) {
	var out strings.Builder
	p := &pieces{to: &out, id: 1}
	for _, part := range []string{"a\xe6", "\x97", "\xa5b", "\xe6"} {
		if n, err := p.Write([]byte(part)); err != nil || n != len(part) {
			t.Fatalf("%d, %v", n, err)
		}
	}
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	same(t, out.String(), `{"job":1,"rank":0,"stderr":false,"text":"a"}
{"job":1,"rank":0,"stderr":false,"text":"日b"}
{"job":1,"rank":0,"stderr":false,"text":"\ufffd","data":"5g=="}
`)
}
