/** Imports that moved to separate packages. `docs/guides/upgrade.md` has the same table. */
export const movedImports: Readonly<Record<string, string>> = {
  'toolfold/search': '@toolfold/search',
  'toolfold/code': '@toolfold/code',
  'toolfold/openapi': '@toolfold/openapi',
  'toolfold/gateway': '@toolfold/gateway',
  'toolfold/redis': '@toolfold/redis',
  'toolfold/testing': '@toolfold/testing',
  'toolfold/testing/vitest': '@toolfold/testing/vitest',
  'toolfold/client': '@toolfold/testing/client',
  'toolfold/devtools': '@toolfold/devtools',
  'toolfold/profiles': '@toolfold/profiles',
};

/** The packages that `toolfold` loads for an option, without an import of the project. */
export const packagesOfOptions: Readonly<Record<string, string>> = {
  "form: 'search'": '@toolfold/search',
  "form: 'auto'": '@toolfold/search',
  "mode: 'DYNAMIC'": '@toolfold/search',
  "form: 'code'": '@toolfold/code',
};

/** The package of the `toolfold` command, for projects whose scripts run it. */
export const COMMAND_PACKAGE = '@toolfold/cli';
