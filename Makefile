# Everything a developer types; `make help` lists it. `make check` is what CI runs.

GOLANGCI_LINT ?= github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.9.0
BENCHSTAT     ?= golang.org/x/perf/cmd/benchstat@latest
BENCH         ?= .
BENCHTIME     ?= 3x
COUNT         ?= 3
BENCHES       ?= ./lab/sim ./lab/workload ./lab/revenue ./core/ledger ./live/store ./cmd/libra
FUZZTIME      ?= 20s
RELEASE       ?= $(shell git describe --tags --abbrev=0 2>/dev/null)

PROFILE       ?= -pgo=$(CURDIR)/cmd/libra/default.pgo

.PHONY: help demo build install uninstall packages packer test rest slurm scenes slurm24 slurm24-v2 shares race lint fuzz fuzz-api bench growth panorama shots profile golden mutants adversaries world check clean

build:                 ## bin/libra
	CGO_ENABLED=0 go build -trimpath -o bin/libra ./cmd/libra

PREFIX        ?= /usr/local
SHARE          = $(DESTDIR)$(PREFIX)/share
COMPLETIONS    = $(SHARE)/bash-completion/completions/libra $(SHARE)/zsh/site-functions/_libra $(SHARE)/fish/vendor_completions.d/libra.fish

install: build         ## the program, its manual pages and completion, under PREFIX (/usr/local)
	install -D bin/libra $(DESTDIR)$(PREFIX)/bin/libra
	bin/libra man $(SHARE)/man/man1
	mkdir -p $(dir $(COMPLETIONS))
	for shell in bash zsh fish; do bin/libra completion $$shell > bin/completion.$$shell || exit 1; done
	install -m 644 bin/completion.bash $(word 1,$(COMPLETIONS))
	install -m 644 bin/completion.zsh $(word 2,$(COMPLETIONS))
	install -m 644 bin/completion.fish $(word 3,$(COMPLETIONS))

uninstall:             ## what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/libra $(SHARE)/man/man1/libra.1 $(SHARE)/man/man1/libra-*.1 $(COMPLETIONS)

NFPM          ?= github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4
PACKAGES      ?= out/packages
FORMATS       ?= deb rpm
# 0.2.0, and 0.2.0+17.g1234567 for what comes after it.
VERSION       ?= $(shell (git describe --tags 2>/dev/null || echo v0.0.0+$$(git rev-parse --short HEAD)) | sed 's/^v//; s/-\([0-9]*\)-g/+\1.g/')

# The units say where the program is and where its words go. The library for Slurm is left
# out where there is no Slurm to compile it for.
packages: export STAGE = $(abspath $(PACKAGES))/stage
packages: export ARCH = $(shell go env GOARCH)
packages: export VERSION := $(VERSION)
packages:              ## libra and libra-slurm as deb and rpm (FORMATS), in out/packages (PACKAGES)
	rm -rf $(STAGE)
	$(MAKE) --no-print-directory install DESTDIR=$(STAGE) PREFIX=/usr
	mkdir -p $(STAGE)/usr/lib/systemd/system
	for unit in libra libra-agent; do sed -e 's,/usr/local/bin/,/usr/bin/,' -e "s,^\[Service\],&\nLogsDirectory=libra\nStandardOutput=append:/var/log/libra/$$unit.log\nStandardError=inherit," \
	  docs/systemd/$$unit.service > $(STAGE)/usr/lib/systemd/system/$$unit.service || exit 1; done
	for form in $(FORMATS); do go run $(NFPM) package -f packaging/libra.yaml -p $$form -t $(PACKAGES) || exit 1; done
	@if echo '#include <slurm/spank.h>' | $${CC:-gcc} -E -x c - >/dev/null 2>&1; then \
	  $${CC:-gcc} -shared -fPIC -O2 -o $(STAGE)/libra_spank.so live/slurm/plugin/source/libra_spank.c && \
	  for form in $(FORMATS); do go run $(NFPM) package -f packaging/libra-slurm.yaml -p $$form -t $(PACKAGES) || exit 1; done; \
	else echo "libra-slurm is left out: there is no slurm/spank.h here (libslurm-dev, slurm-devel)"; fi

packer:
	@go run $(NFPM) --version >/dev/null

# Tests that measure shares of the processor have the machine to themselves: they come
# last, one after the other. All else runs side by side; those on a Slurm wait more than
# they compute, so that the rest, and the linter, are nice to them.
SHARES        ?= /live/agent
MEASURING     ?= ^TestPromisesAreKept
SLURM         ?= /live/slurm|/cmd/
BESIDE         = --no-print-directory --output-sync=target

help:                  ## what can be typed here
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build            ## a controller and an agent on this machine
	bin/libra up

test:                  ## vet and all tests; those of parts that are not here say so and are skipped
	go vet ./...
	$(MAKE) $(BESIDE) -j3 slurm scenes rest
	$(MAKE) shares

rest:
	nice go test -timeout 30m $$(go list ./... | grep -vE '$(SHARES)|$(SLURM)|/live/system')

slurm:
	go test -p 2 -timeout 30m $$(go list ./... | grep -E '$(SLURM)')

scenes:
	go test -parallel 6 -timeout 30m ./live/system -skip '$(MEASURING)'

SLURM_ROOT    ?= /var/lib/libra-slurm24

slurm24:               ## the tests on a Slurm, on 24.11 instead of the host's own (root; Debian 13's packages under SLURM_ROOT)
	.ci/slurm24 $(SLURM_ROOT)
	LIBRA_SLURM_ROOT=$(SLURM_ROOT) LIBRA_REQUIRE=slurm,slurmdbd go test -p 1 -timeout 30m ./live/slurm/... ./live/agent -run 'Slurm|Door|Spank|JobsOfTwoUsers|Cluster|Hosts'
	LIBRA_SLURM_ROOT=$(SLURM_ROOT) LIBRA_REQUIRE=slurm,slurmdbd go test -p 1 -parallel 4 -timeout 30m ./live/system ./cmd/libra -run Slurm
	$(MAKE) --no-print-directory slurm24-v2

slurm24-v2:            ## that Slurm on cgroup v2 alone, in a virtual machine, and the agent beside it
	.ci/slurm24 $(SLURM_ROOT)
	mkdir -p out
	gcc -I $(SLURM_ROOT)/native/include -shared -fPIC -O2 -o out/libra_spank.so live/slurm/plugin/source/libra_spank.c
	CGO_ENABLED=0 go test -c -o out/agent.test ./live/agent
	VMTEST_ROOT=$(SLURM_ROOT) VMTEST_FILES=out/libra_spank.so VMTEST_MB=2560 LIBRA_SPANK=/libra_spank.so LIBRA_REQUIRE='slurm,cgroup v2' \
	  .ci/vmtest out/agent.test -test.v -test.run HeldOnCgroupV2

shares:
	go test -p 1 -parallel 4 -timeout 30m $$(go list ./... | grep -E '$(SHARES)')
	go test -timeout 30m ./live/system -run '$(MEASURING)'

# A program under the race detector sleeps for a second before it ends, if it is not told otherwise.
race: export GORACE = atexit_sleep_ms=0
race:                  ## the parts that use goroutines, under the race detector
	go test -race -pgo=off -timeout 30m -short ./cmd/... ./live/controller ./live/api/... ./live/agent/cgroup ./live/slurm
	go test -race -pgo=off -timeout 30m ./live/store -run 'UnderLoad|AtOnce|LeadEndsWith|LosesAnAnswer|^Test(SQLite|Postgres)$$/(writers|readers|lead)'
	go test -race -pgo=off -timeout 30m ./lab/experiment ./lab/revenue -run 'Workers|Shared|Cancel|Interrupted|Resume|CommonRandom'

lint:                  ## vet, import rules, forbidden calls, style
	nice go run $(GOLANGCI_LINT) run

fuzz:                  ## every fuzz target for a while
	@for f in $$(grep -rhoE '^func (Fuzz[A-Za-z]+)' --include='*_test.go' . | awk '{print $$2}' | sort -u); do \
	  p=$$(grep -rlE "^func $$f\(" --include='*_test.go' . | xargs -n1 dirname | head -1); \
	  echo "== $$f in $$p"; go test $$p -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) || exit 1; done

fuzz-api:              ## REQUESTS made of the API's own description, from SEED, to a real market
	go test ./live/front -run TestHostileRequests -v -timeout 30m -args -requests $(or $(REQUESTS),100000) -seed $(or $(SEED),1)

bench:                 ## this tree, and beside it the last release if there is one
	@mkdir -p out
	go test $(PROFILE) $(BENCHES) -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -count $(COUNT) | tee out/bench-now.txt
	@if [ -n "$(RELEASE)" ]; then rm -rf out/release; git worktree prune; git worktree add -q out/release $(RELEASE) && \
	  (cd out/release && go test $(PROFILE) $(BENCHES) -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -count $(COUNT)) | tee out/bench-release.txt; \
	  git worktree remove --force out/release; go run $(BENCHSTAT) out/bench-release.txt out/bench-now.txt; \
	else echo "no release to compare with: no tag"; fi

growth:                ## redraw docs/growth.svg: every policy from 128 to 1,000,000 processors
	go test $(PROFILE) ./lab/sim -run '^$$' -bench Growth -benchtime $(BENCHTIME) -growth $(CURDIR)/docs/growth.svg

TRACES        ?= ../shared/traces

panorama:              ## redraw docs/policies.svg: every policy on the end of every log in TRACES, and the bound
	go test ./lab/experiment -run Panorama -count=1 -v -timeout 60m -args -panorama $(CURDIR)/docs/policies.svg -traces $(abspath $(TRACES))

shots:                 ## redraw docs/pages: every page, light, dark and on a phone
	LIBRA_SHOTS=$(CURDIR)/docs/pages go test -count=1 -run TestShots ./live/web

profile:               ## redraw the profile that the compiler optimises the program by
	@mkdir -p out
	go test ./lab/sim -run '^$$' -bench 'Simulate/(fcfs-bf|libra|libra-plus|libra-sla|make-way|going-rate)/' -benchtime 3s -o out/sim.test -cpuprofile out/core.prof
	go test ./lab/sim -run '^$$' -bench 'Growth/libra-sla/(128|1280|1000000)$$' -benchtime 3s -o out/sim.test -cpuprofile out/growth.prof
	go test ./cmd/libra -run '^$$' -bench 'Submit/fcfs-bf/clients-64' -benchtime 60000x -o out/live.test -cpuprofile out/live.prof
	go test ./cmd/libra -run '^$$' -bench OnSlurm -benchtime 6x -o out/live.test -cpuprofile out/slurm.prof
	go tool pprof -proto out/core.prof out/growth.prof out/live.prof out/slurm.prof > cmd/libra/default.pgo

golden:                ## rewrite what the scenario scripts say; read the diff
	go test ./lab/sim ./core/exchange -run 'Script|Plays' -update
	go test ./live/pen -run Generated -update

# All of them take hours on two processors: SAMPLE=150 of each package, say.
MUTATED       ?= core/exchange core/allowance core/underway core/quote core/roster core/journal core/bill core/dispatch core/meter core/ledger core/policy
SAMPLE        ?= 0
SEED          ?= 1

mutants:               ## change one thing at a time in the core and see which tests notice (docs/testing.md)
	nice go run ./lab/mutants -sample $(SAMPLE) -seed $(SEED) $(MUTATED)

SEEDS         ?= 10000

adversaries:           ## does it pay to cheat? SEEDS worlds; the table goes into docs/economics.md
	GOGC=800 nice go run ./lab/adversary/run -seeds $(SEEDS) -doc docs/economics.md

world:                 ## SEEDS days of a whole market in one process, with every fault; out/world has what went wrong
	mkdir -p out/world
	nice go test ./live/world -run TestWorld -count=1 -timeout 12h -args -seeds $(SEEDS) -jobs 100 -seed $(SEED) -shrink 200 -keep $(CURDIR)/out/world

check: build           ## what CI runs
	$(MAKE) $(BESIDE) -j4 slurm scenes lint rest race
	$(MAKE) --no-print-directory shares

clean:                 ## remove what was built here
	rm -rf bin out
