import { builtinModules } from 'node:module';
import { basename } from 'node:path';

const DEFAULT_NAME = 'my-server';
const MAX_LENGTH = 214;
const part = '[a-z0-9~][a-z0-9._~-]*';
const valid = new RegExp(`^(?:@${part}/)?${part}$`);

/** Explains why npm rejects a package name. Returns `undefined` for valid names. */
export function findNameProblem(name: string): string | undefined {
  if (name === '') return 'A name is needed.';
  if (name.length > MAX_LENGTH)
    return `A name may have at most ${MAX_LENGTH} characters, not ${name.length}.`;
  if (/[A-Z]/.test(name)) return `Write the name in lower case: ${name.toLowerCase()}`;
  if (!valid.test(name))
    return `"${name}" is not a valid package name. Use letters, digits, -, _ and ., with a letter or digit first: ${toName(name)}`;
  const own = unscopedName(name);
  if (own.startsWith('.') || own === 'node_modules' || own === 'favicon.ico' || builtinModules.includes(name))
    return `npm does not allow the name "${name}".`;
  // npm cannot install a package into a project of the same name.
  if (dependencies.has(name))
    return `"${name}" is the name of a package that the project needs. Choose another name.`;
  return undefined;
}

const dependencies: ReadonlySet<string> = new Set([
  '@toolfold/cli',
  '@toolfold/testing',
  'toolfold',
  'tsx',
  'typescript',
  'vitest',
  'zod',
]);

/** Derives the default project name from its folder. */
export function nameOfFolder(folder: string): string {
  const name = toName(basename(folder));
  return findNameProblem(name) === undefined ? name : DEFAULT_NAME;
}

/** Turns a text into a package name, as far as possible. */
function toName(text: string): string {
  const name = text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[-._]+|[-._]+$/g, '');
  return name === '' ? DEFAULT_NAME : name;
}

/** Strips the scope: `@acme/mail` becomes `mail`. */
export function unscopedName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
