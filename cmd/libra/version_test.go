package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersionSaysWhatWasBuilt(t *testing.T) {
	b := buildOf(&debug.BuildInfo{
		Main: debug.Module{Version: "v0.1.0"},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-03-01T10:00:00Z"}, {Key: "vcs.modified", Value: "true"},
		},
	})
	want := "v0.1.0 0123456789ab+ 2026-03-01T10:00:00Z " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	if b.String() != want || b.Commit != "0123456789abcdef" || !b.Modified {
		t.Errorf("got %q (%+v), want %q", b, b, want)
	}
	if bare := buildOf(&debug.BuildInfo{}); bare.Version != "(devel)" || bare.Commit != "" {
		t.Errorf("a build that recorded nothing: %+v", bare)
	}
	if told := parse[build](t, mustLibra(t, "version", "--json")); told.Go != runtime.Version() || told.Version == "" {
		t.Errorf("--json: %+v", told)
	}
}
