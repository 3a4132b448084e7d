# Sheaf: every way to build, run and check it. `make help` lists them.

PREFIX ?= /usr/local
SWIFT ?= swift
PROGRAMS = sheaf sheaf-coordinator sheaf-worker sheaf-media
SOURCES = Package.swift Sources coordinator worker media Tests Benchmarks

.PHONY: help packages build-packages build static install uninstall deb tarball deployment demo demo-cluster examples test test-build test-packages suite short-chaos netns thorough lint format bench bench-copied bench-long bench-edited bench-joined bench-short bench-memory bench-page bench-load bench-cluster bench-ledger bench-scaling chaos attack recordings kills mangle players devices netns-farm nemesis slurm-farm object-stores footage copies fuzz api-check sanitize clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

packages: ## Install the Debian packages that are missing
	@scripts/install-packages

# The packages that building and linting need.
LISTS = build worker coordinator
build-packages:
	@scripts/install-packages $(LISTS:%=docker/packages/%.txt) docker/packages/lint.txt

build: packages ## Build the programs for release
	$(SWIFT) build -c release

INSTALLED = .build/install/release

# The programs with the Swift standard library in them, so that they run on hosts without a toolchain.
static:
	@scripts/install-packages $(LISTS:%=docker/packages/%.txt)
	for program in $(PROGRAMS); do \
	  $(SWIFT) build -c release --static-swift-stdlib --scratch-path .build/install \
	    --product $$program || exit 1; \
	done

install: static ## Install the programs, manual pages, completions and systemd units under PREFIX (/usr/local)
	packaging/install $(INSTALLED) $(PREFIX) $(DESTDIR)

uninstall: ## Remove exactly what `make install` installed under PREFIX (/usr/local)
	packaging/uninstall $(PREFIX) $(DESTDIR)

OUT ?= .build/dist
TREE = .build/tree

deb: static ## Build the Debian package in .build/dist
	rm -rf $(TREE)-deb
	packaging/install $(INSTALLED) /usr $(TREE)-deb
	packaging/deb $(TREE)-deb $(OUT)

tarball: static ## Build an archive that runs wherever it is unpacked, in .build/dist
	rm -rf $(TREE)-tarball
	packaging/install $(INSTALLED) /usr $(TREE)-tarball
	packaging/tarball $(TREE)-tarball $(OUT)

deployment: ## Prove the images, the manifests, the units and the package (needs root); writes .build/deployment/log
	@scripts/deployment

demo: build ## Create three clips, and render a dissolve and a push with a coordinator and two workers
	@scripts/demo

demo-cluster: build ## Render on PostgreSQL, an S3 store, two coordinators and three workers, and kill a coordinator half-way
	@scripts/install-object-store
	@scripts/demo-cluster .build/release

examples: build ## Render the projects in examples/ with media made for them, and a contact sheet of all
	@scripts/examples

test: build-packages ## Run the tests
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=line test-build test-packages
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target suite short-chaos netns

test-packages: packages
	@scripts/install-object-store

test-build:
	$(SWIFT) build -c release --build-tests

# The parts of `make test`. The farms wait a lot, so they run beside the suite.
suite:
	@SWIFT=$(SWIFT) scripts/run-tests

short-chaos:
	@python3 -B Tests/Chaos --faults 30 --jobs 3

netns: short-chaos
	@scripts/netns-farm

thorough: packages ## Run the tests with everything that `make test` samples
	$(SWIFT) build -c release --build-tests
	@SHEAF_THOROUGH=1 SWIFT=$(SWIFT) scripts/run-tests

FAULTS ?= 400
JOBS ?= 20
SEED ?= 1
LEDGER ?= sqlite
STORE ?= disk

chaos: build test-packages ## Inject faults into a farm: make chaos FAULTS=400 JOBS=20 SEED=1 LEDGER=sqlite|postgresql STORE=disk|rclone; writes .build/chaos.md
	@python3 -B Tests/Chaos --faults $(FAULTS) --jobs $(JOBS) --seed $(SEED) --ledger $(LEDGER) --store $(STORE) --report .build/chaos.md

nemesis: build test-packages ## Inject faults into a farm of three coordinators, as root: make nemesis SEED=1; writes .build/nemesis.md
	@python3 -B Tests/Chaos --coordinators 3 --workers 5 --ledger postgresql --store rclone --faults 300 --jobs 20 \
	  --seed $(SEED) --report .build/nemesis.md

OBJECT_STORES ?= moto swift

object-stores: build ## Test with other S3 servers: make object-stores OBJECT_STORES='moto swift'
	@scripts/install-object-store $(OBJECT_STORES)
	$(SWIFT) build -c release --build-tests
	@for store in $(OBJECT_STORES); do \
	  echo "with $$store:"; \
	  SHEAF_OBJECT_STORE=$$store SWIFT=$(SWIFT) scripts/run-tests \
	    --filter '^(S3Tests|StorageTests\.(Bucket.*|LostChunk|SeveralCoordinators|PeerRecording|Takeover)Tests)' || exit 1; \
	done
	@case ' $(OBJECT_STORES) ' in *' swift '*) scripts/demo-cluster .build/release swift ;; esac

footage: build ## Decode all real footage from every keyframe, and write docs/footage.md
	$(SWIFT) build -c release --build-tests
	SHEAF_FOOTAGE=$(CURDIR)/docs/footage.md \
	  $(SWIFT) test -c release --skip-build --no-parallel --filter 'EndToEnd\.FootageTests'

copies: build ## Cut real and camera-like clips with the preset passthrough, and write docs/copies.md
	@scripts/install-packages scripts/copies-packages.txt
	@[ -d .build/tools/pyav ] || /usr/bin/python3 -m pip install --quiet --target .build/tools/pyav av
	@/usr/bin/python3 scripts/copies --table docs/copies.md

attack: build ## Submit hostile projects to a coordinator, and measure the effect on other clients
	@scripts/attack .build/release

RECORDING_SECONDS ?= 600

recordings: build ## Record ten live streams for ten minutes at once, and compare them with what was sent
	@scripts/recordings .build/release $(RECORDING_SECONDS)

kills: build ## Kill the processes of a recording at each of their writes, and check what is left (needs strace)
	@scripts/killed-recordings .build/release

players: build ## Play a job and a recording in mpv and VLC while they grow, and compare the pictures with the files
	@scripts/players .build/release

MANGLE_SECONDS ?= 600

mangle: build ## Record streams whose bytes are changed on the way, over UDP, TCP, SRT and RTMP: make mangle MANGLE_SECONDS=600
	@scripts/mangled-recordings .build/release $(MANGLE_SECONDS)

devices: build ## Capture and record from virtual cameras and a virtual sound card, on an emulated machine (needs QEMU)
	@scripts/devices run Tests/Devices/check
	@scripts/devices run Tests/Devices/record 20s
	@Tests/Devices/recorded .build/devices/out

slurm-farm: build ## Render on workers that `sheaf scale` starts as jobs of Slurm (needs root)
	@printf '%s\n' slurmctld slurmd slurm-client munge | scripts/install-packages /dev/stdin
	@scripts/slurm-farm .build/release

netns-farm: build ## Render on four network namespaces while links are cut (needs root)
	@scripts/netns-farm

FUZZ_SECONDS ?= 60

fuzz: packages ## Run the fuzzers for projects, requests, chunks and live streams: make fuzz FUZZ_SECONDS=3600
	@FUZZ_SECONDS=$(FUZZ_SECONDS) SWIFT=$(SWIFT) scripts/fuzz

API_SECONDS ?= 300

api-check: build ## Validate /openapi.json, and compare responses with it (schemathesis): make api-check API_SECONDS=300
	@scripts/api-check $(API_SECONDS)

sanitize: build ## Run the relevant tests under ThreadSanitizer and AddressSanitizer
	@SWIFT=$(SWIFT) scripts/sanitize

lint: build-packages ## Check the formatting, the dependencies of modules and folders, the tests of each promise, and that no test sleeps
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@scripts/graph
	@scripts/promises --check
	@scripts/waits

format: ## Format the sources
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

bench: build ## Measure a full encode against melt and ffmpeg, and print the table
	@Benchmarks/run

bench-copied: build ## Measure copying (GOP=30) against melt and ffmpeg, and print the table
	@Benchmarks/run copied

bench-long: build ## Measure copying in eleven minutes with ten dissolves against melt and ffmpeg, and print the table
	@Benchmarks/run long

bench-edited: build ## Measure a moved title and ten inserted seconds in ten minutes (MODE=encoded copies nothing), and print the table
	@Benchmarks/edited $(MODE)

bench-joined: build ## Measure joining whole clips against ffmpeg, and print the table
	@Benchmarks/run joined

bench-short: build ## Measure how long a short render takes to start, against melt, and print the table
	@Benchmarks/run short

bench-memory: build ## Measure memory, and planning a long sequence
	@Benchmarks/memory

bench-page: build ## Measure the status page with 1,000 jobs and 200 workers
	@Benchmarks/page

bench-load: build ## Measure a coordinator under a thousand workers and 200 event streams
	@Benchmarks/load

bench-cluster: build ## Measure three coordinators under 5,000 workers and SEGMENTS=1000000, with PostgreSQL and an S3 store
	@scripts/install-object-store
	@Benchmarks/cluster

bench-ledger: SEGMENTS ?= 1000000
bench-ledger: packages test-build ## Measure a ledger in PostgreSQL with SEGMENTS=1000000 while a snapshot is held, which takes hours
	@SHEAF_LEDGER_SEGMENTS=$(SEGMENTS) LIMIT=36000 SWIFT=$(SWIFT) scripts/run-tests --filter LedgerVolumeTests
	@sed -n '/^| segments |/,/^⇥/p' .build/tests/some.log | grep -v '^⇥'

bench-scaling: build ## Simulate farms of 1 to 1,024 workers with the real scheduler, and print the tables of docs/performance.md
	@.build/release/farm-scaling

clean: ## Remove what was built
	rm -rf .build demo
