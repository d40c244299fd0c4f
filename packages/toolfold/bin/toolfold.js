#!/usr/bin/env node
// Runs the command line, which is a package of its own.
try {
  import.meta.resolve('@toolfold/cli/package.json');
} catch {
  console.error(
    'The toolfold command is the package @toolfold/cli. Install it: npm install --save-dev @toolfold/cli',
  );
  process.exit(1);
}
await import('@toolfold/cli/main');
