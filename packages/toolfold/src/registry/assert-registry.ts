import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { describeValue, isClass, isObject, isPromise } from '@toolfold/schema/internal';
import { INTERNALS } from './any-registry.js';

const methods = ['executeTool', 'listTools', 'view', 'onChange'] as const;

/** Checks members and not the class, because the registry may come from another copy of Toolfold. */
function isRegistry(value: unknown): boolean {
  return isObject(value) && hasMethods(value, methods) && INTERNALS in value;
}

function hasMethods(value: object, names: readonly string[]): boolean {
  return names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function');
}

/** Throws unless a value is a registry. `call` is the function that needs it: `serveHttp`, `new Exposure`. */
export function assertRegistry(call: string, value: unknown): void {
  if (isRegistry(value)) return;
  throw new ErrInvalidOptions(`${call} needs a ToolRegistry, but got ${describeValue(value)}.`, {
    hint: adviseOn(call, value),
    details: { field: 'registry' },
  });
}

/** Explains to the author what to pass instead of a value that is not a registry. */
function adviseOn(call: string, value: unknown): string {
  if (isPromise(value)) return `Write ${call}(await …).`;
  if (typeof value === 'function')
    return `Write ${call}(${isClass(value) ? 'new ' : 'await '}${value.name || 'create'}()).`;
  if (!isObject(value))
    return `Write ${call}(registry) with const registry = new ToolRegistry({ name: '…' }).`;
  const field = Object.entries(value).find(([, entry]) => isRegistry(entry))?.[0];
  if (field !== undefined)
    return `Write ${call}(${Array.isArray(value) ? `registries[${field}]` : `….${field}`}).`;
  const isList = Array.isArray(value) && value.length > 0;
  if (isList || hasMethods(value, ['compile']) || hasMethods(value, ['handler']))
    return `Write ${call}(new ToolRegistry({ name: '…' }).register(…)).`;
  if (hasMethods(value, ['listTools', 'listPages'])) return `Write ${call}(registry, { view: { … } }).`;
  if ('setRequestHandler' in value || 'registerTool' in value)
    return 'To serve a registry through a server of an MCP SDK, write registry.attachToServer(server).';
  return `Write ${call}(registry) with const registry = new ToolRegistry({ name: '…' }).`;
}
