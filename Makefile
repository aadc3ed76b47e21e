# SPDX-License-Identifier: Apache-2.0
# make setup | run | test | bench: each prepares what it needs first.

SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
RUN_PACKAGES := gcc libc6-dev meson ninja-build python3 python3-venv stress-ng
TEST_PACKAGES := clang clang-format clang-tidy cppcheck libclang-rt-14-dev rt-tests \
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user-static
RECORDING := recordings/wakeup-$(shell date +%Y%m%d-%H%M%S)

.PHONY: setup setup-test probe run test lint bench clean

setup: build/.packages-run .venv/.installed probe

setup-test: setup build/.packages-test .venv/.installed-dev

# Installs only what dpkg does not know yet, so that a second set-up takes no time and needs no root.
define install_packages
	@mkdir -p build
	@missing=$$(for p in $(1); do dpkg-query -W -f '$${db:Status-Status}\n' $$p 2>/dev/null | grep -qx installed || echo $$p; done); \
	if [ -n "$$missing" ]; then echo "Installing" $$missing; \
	  $(SUDO) apt-get update -qq && DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; fi
	@touch $@
endef

build/.packages-run: Makefile
	$(call install_packages,$(RUN_PACKAGES))

build/.packages-test: Makefile
	$(call install_packages,$(TEST_PACKAGES))

.venv/.installed: build/.packages-run requirements.txt pyproject.toml
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "jitterlab needs Python 3.11 or newer")'
	python3 -m venv .venv
	.venv/bin/pip install --quiet --requirement requirements.txt
	.venv/bin/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.installed-dev: .venv/.installed requirements-dev.txt
	.venv/bin/pip install --quiet --requirement requirements-dev.txt
	@touch $@

build/build.ninja: build/.packages-run meson.build
	[ -f $@ ] || meson setup --buildtype release build

probe: build/build.ninja
	@ninja -C build --quiet

run: setup
	.venv/bin/jitterlab run wakeup --skip-unavailable --output $(RECORDING)

lint: setup-test
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	clang-format --dry-run --Werror $$(git ls-files 'probe/*.c' 'probe/*.h')
	git ls-files 'probe/src/*.c' | xargs -P 2 -n 8 clang-tidy -p build --quiet \
	  2> build/clang-tidy.log || { cat build/clang-tidy.log; false; }
	cppcheck --enable=warning,performance,portability --quiet --error-exitcode=1 --project=build/compile_commands.json

test: setup-test lint
	.venv/bin/pytest

bench: setup-test
	.venv/bin/python -m bench

clean:
	rm -rf build build-* .venv
