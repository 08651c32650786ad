# The commands that always work, on a fresh machine, too. What each needs it installs by itself.

.PHONY: demo newcomer install dist test check oldest debian13 apple apple-mutants simulate model stress soak bench scale upgrade interop suites sanitize fuzz mutants docs documents release setup format clean

# The traits of a package become compiler flags in an order that is another one in each run, and other flags compile everything
# anew.
export SWIFT_DETERMINISTIC_HASHING = 1

TOOLS = Tools
OSTIARY = $(TOOLS)/.build/debug/ostiary

## demo: sign in at the development provider, step by step (BROWSER=1: in the real browser; SYSTEM=logi, logto, curity, ssafy or zephr: through that front door)
demo: setup
	@swift build --package-path $(TOOLS) --product ostiary
	@$(if $(filter 1,$(BROWSER)),env -u BROWSER )$(OSTIARY) demo$(if $(SYSTEM), --system $(SYSTEM))$(if $(filter 1,$(BROWSER)), --browser)

## newcomer: clone, make demo, then build the program of docs/getting-started.md and sign in with it; prints the time of each step
newcomer:
	@scripts/newcomer.py

## install: install `ostiary` with manual pages and completions (PREFIX=/usr/local; DESTDIR=)
install: setup
	@PREFIX="$(or $(PREFIX),/usr/local)" DESTDIR="$(DESTDIR)" scripts/install.sh

## dist: pack a stripped `ostiary` for this system, with the Swift libraries in it, into dist/
dist: setup
	@scripts/dist.sh

## test: every test that CI needs; the last line is "N passed, N failed"
test: setup
	@scripts/test.sh

## check: format, documented API, layers, linkage, what a consumer resolves, what must not compile
check: setup
	@swift build
	@scripts/check.sh

## oldest: build and test with Swift 6.2 (TOOLCHAIN=folder of one; else, on Debian as root, with the package of Debian unstable)
oldest:
	@TOOLCHAIN="$(TOOLCHAIN)" scripts/oldest.sh

## debian13: run the command line's tests in Debian 13, with the binaries that were built here (as root, on Debian)
debian13: setup
	@swift build --package-path $(TOOLS) --build-tests
	@scripts/debian13.sh

## apple: compile and test what is written for Apple's platforms, against stand-ins of its frameworks (docs/apple.md)
apple: setup
	@scripts/apple.sh
	@scripts/apple-rows.py

## apple-mutants: make one mistake after the other in the adapters and see which test notices; writes the table of docs/apple.md
apple-mutants: setup
	@scripts/apple-mutants.py

## simulate: run the refreshes of a session in a world where everything fails (SEEDS=100000; SEED=17 shows every step of one)
simulate: setup
	@OSTIARY_SEEDS=$(or $(SEEDS),2000) $(if $(SEED),OSTIARY_SEED=$(SEED) )swift test --filter SimulationTests

## model: check in every order of events what processes that share a session do, and that each known mistake is found
model: setup
	@scripts/model.sh

## stress: eight processes, one session, 2,000 refreshes; killed, cut off, with wrong clocks, on a full disk; then commands that are interrupted, out of disk, of descriptors or of a keyring after their request has left
stress: setup
	@swift build --package-path $(TOOLS) --product session-stress
	@swift build --package-path $(TOOLS) --product ostiary
	@$(TOOLS)/.build/debug/session-stress

## soak: keep the provider and the service busy for half an hour (MINUTES=30) and see that memory and descriptors do not grow
soak: setup
	@swift build --package-path $(TOOLS) --product ostiary
	@swift build --package-path $(TOOLS) --product ostiary-backend
	@scripts/soak.py $(or $(MINUTES),30)

## bench: ratios, each measured side by side in one run, also to PyJWT, joserfc and node's crypto; instructions and allocations with valgrind, which fail over a limit
bench: setup
	@peers="$$(scripts/peers.sh)" && OSTIARY_PEERS="$$peers" swift run --package-path Benchmarks -c release benchmarks
	@swift build --package-path Benchmarks -c release --product counts
	@scripts/counts.py

## scale: load one and three instances of the service, disturb issuer, instances and database, and write docs/scale.md
scale: setup
	@scripts/scale.sh

## upgrade: run an older version of the service and this one on one database (COMMIT=…; else the last one whose tables were older)
upgrade: setup
	@scripts/upgrade.sh "$(COMMIT)"

## interop: sign in at providers that nobody here wrote, and with real browsers at ours
interop: setup
	@swift build --package-path $(TOOLS) --product ostiary
	@swift build --package-path $(TOOLS) --product ostiary-backend
	@OSTIARY="$(CURDIR)/$(OSTIARY)" OSTIARY_BACKEND="$(CURDIR)/$(OSTIARY)-backend" interop/run

## suites: run the public vectors of checkouts (WYCHEPROOF=folder of C2SP/wycheproof, JSONTESTSUITE=folder of nst/JSONTestSuite, STRUCTUREDFIELDS=folder of httpwg/structured-field-tests)
suites: setup
	@scripts/suites.sh run "$(WYCHEPROOF)" "$(JSONTESTSUITE)" "$(STRUCTUREDFIELDS)"

## sanitize: the tests of the libraries under the address sanitizer, and those of concurrency under the thread sanitizer
sanitize: setup
	@scripts/sanitized-tests.sh address
	@scripts/sanitized-tests.sh thread

## fuzz: feed every parser of outside data what nobody would send (SECONDS=60 for each)
fuzz: setup
	@swift build
	@scripts/fuzz.sh FUZZ_SECONDS=$(or $(SECONDS),60)

## mutants: take each named check out, make each mistake of scripts/mutants, and see which test notices; writes docs/checks.md
mutants: setup
	@scripts/mutants.py

## documents: write the pages that a test run makes
documents: setup
	@OSTIARY_WRITE_DOCUMENTS=1 swift test --filter "ConformanceTests|MannersPageTests|RequestCountTests"
	@swift test --filter "FrontDoors|SeedSnippets" >.build/front-doors.log
	@scripts/front-doors.py .build/front-doors.log --write
	@swift test --filter OstiaryTests >.build/failures.log
	@scripts/failure-table.py .build/failures.log --write
	@swift build --package-path $(TOOLS) --product ostiary
	@scripts/transcripts.py --write

## docs: build the site of the documentation, .build-docs/site, and look at it in Chromium
docs: setup
	@swift build
	@scripts/docs.py --look

## release: prepare a release in .build-release and tag it here (VERSION=0.1.0); nothing is pushed
release: setup
	@scripts/release.py "$(VERSION)"

## setup: the system packages that building needs
setup:
	@scripts/setup.sh

## format: put every source file into the project's format
format:
	@swift format --in-place --recursive --parallel --configuration .swift-format Package.swift Sources $(TOOLS)/Package.swift $(TOOLS)/Sources Benchmarks Examples/*/Sources
	@swift format --in-place --recursive --parallel --configuration Tests/.swift-format Tests $(TOOLS)/Tests Examples/*/Tests
