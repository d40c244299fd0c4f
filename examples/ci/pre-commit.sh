#!/bin/sh
# Checks the tools before each commit. Install: cp pre-commit.sh .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
set -e
npx --no-install toolfold lock src/registry.ts --check
npx --no-install toolfold lint src/registry.ts
# The commands read the working tree, so the lockfile that they checked must be the one that is committed.
git ls-files --error-unmatch toolfold.lock.json > /dev/null
git diff --exit-code --stat -- toolfold.lock.json
