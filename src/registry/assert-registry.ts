import { ErrInvalidOptions } from '../errors.js';
import { describeValue, isClass, isPromise } from '../values/describe-value.js';
import { isObject } from '../values/json-value.js';

const methods = ['executeTool', 'listTools', 'view', 'onChange'] as const;

/** Whether a value is a registry, of this copy of Toolfold or another. */
function isRegistry(value: unknown): boolean {
  return isObject(value) && hasMethods(value, methods) && 'tools' in value;
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

/** Tells the author what to write instead of a value that is not a registry. */
function adviseOn(call: string, value: unknown): string {
  if (isPromise(value)) return `Write ${call}(await …).`;
  if (typeof value === 'function')
    return `Write ${call}(${isClass(value) ? 'new ' : 'await '}${value.name || 'create'}()).`;
  if (!isObject(value))
    return `Write ${call}(registry) with const registry = new ToolRegistry({ name: '…' }).`;
  const field = Object.entries(value).find(([, entry]) => isRegistry(entry))?.[0];
  if (field !== undefined)
    return `Write ${call}(${Array.isArray(value) ? `registries[${field}]` : `….${field}`}).`;
  if (isRegistrable(value)) return `Write ${call}(new ToolRegistry({ name: '…' }).register(…)).`;
  if (hasMethods(value, ['listTools', 'listPages'])) return `Write ${call}(registry, { view: { … } }).`;
  if ('setRequestHandler' in value || 'registerTool' in value)
    return 'To serve a registry through a server of an MCP SDK, write registry.attachToServer(server).';
  return `Write ${call}(registry) with const registry = new ToolRegistry({ name: '…' }).`;
}

/** Whether `register()` takes a value: a builder, a definition, or a list of them. */
function isRegistrable(value: object): boolean {
  return (
    hasMethods(value, ['compile']) ||
    hasMethods(value, ['handler']) ||
    (Array.isArray(value) && value.length > 0)
  );
}
