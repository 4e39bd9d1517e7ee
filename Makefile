# Everything a developer types. `make check` is what CI runs.

GOLANGCI_LINT ?= github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.9.0
BENCHSTAT     ?= golang.org/x/perf/cmd/benchstat@latest
BENCH         ?= .
BENCHTIME     ?= 3x
COUNT         ?= 3
BENCHES       ?= ./sim ./workload ./revenue ./ledger ./store ./cmd/libra
FUZZTIME      ?= 20s
RELEASE       ?= $(shell git describe --tags --abbrev=0 2>/dev/null)

PROFILE       ?= -pgo=$(CURDIR)/cmd/libra/default.pgo

.PHONY: demo build test race lint fuzz bench profile golden check clean

build:                 ## bin/libra
	CGO_ENABLED=0 go build -trimpath -o bin/libra ./cmd/libra

# Tests of real parts (cgroups, Slurm, namespaces, users, a browser) disturb each other
# when they run at once: they come last, one after the other.
REAL          ?= /agent|/slurm|/system|/web|/cmd/

demo: build            ## a controller and an agent on this machine
	bin/libra up

test:                  ## all tests; those of parts that are not here say so and are skipped
	go vet ./...
	go test $$(go list ./... | grep -vE '$(REAL)')
	go test -p 1 -timeout 30m $$(go list ./... | grep -E '$(REAL)')

race:                  ## the parts that use goroutines, under the race detector
	go test -race -pgo=off ./cmd/... ./controller ./api/...
	go test -race -pgo=off -short ./store ./agent/cgroup
	go test -race -pgo=off ./experiment ./revenue -run 'Workers|Shared|Cancel|Interrupted|Resume|CommonRandom'

lint:                  ## import rules, forbidden calls, style
	go run $(GOLANGCI_LINT) run

fuzz:                  ## every fuzz target for a while
	@for f in $$(grep -rhoE '^func (Fuzz[A-Za-z]+)' --include='*_test.go' . | awk '{print $$2}' | sort -u); do \
	  p=$$(grep -rlE "^func $$f\(" --include='*_test.go' . | xargs -n1 dirname | head -1); \
	  echo "== $$f in $$p"; go test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) || exit 1; done

bench:                 ## this tree, and beside it the last release if there is one
	@mkdir -p out
	go test $(PROFILE) $(BENCHES) -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -count $(COUNT) | tee out/bench-now.txt
	@if [ -n "$(RELEASE)" ]; then rm -rf out/release; git worktree prune; git worktree add -q out/release $(RELEASE) && \
	  (cd out/release && go test $(PROFILE) $(BENCHES) -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -count $(COUNT)) | tee out/bench-release.txt; \
	  git worktree remove --force out/release; go run $(BENCHSTAT) out/bench-release.txt out/bench-now.txt; \
	else echo "no release to compare with: no tag"; fi

profile:               ## redraw the profile that the compiler optimises the program by
	@mkdir -p out
	go test ./sim -run '^$$' -bench 'Simulate/(fcfs-bf|libra|libra-plus|libra-sla)/' -benchtime 6x -o out/sim.test -cpuprofile out/core.prof
	go tool pprof -proto out/core.prof > cmd/libra/default.pgo

golden:                ## rewrite what the scenario scripts say; read the diff
	go test ./sim -run Script -update

check: build lint test race

clean:
	rm -rf bin out
