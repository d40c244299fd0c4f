import { ErrInvalidTool } from '@toolfold/schema/errors';

/** The advice for each member of an MCP server that a tool collector does not have. */
const replacements: Readonly<Record<string, string>> = {
  prompt: 'Register the prompt on the registry: registry.registerPrompt({ name, handler }).',
  registerPrompt: 'Register the prompt on the registry: registry.registerPrompt({ name, handler }).',
  resource: 'Register the resource on the registry: registry.registerResource({ name, uri, handler }).',
  registerResource:
    'Register the resource on the registry: registry.registerResource({ name, uri, handler }).',
  server: 'Write the tool as a definition, and ask with context.requestInput, or log with context.log.',
};
const ELSE = 'Keep this line where the server is created, outside of the function that registers tools.';
const HANDLE =
  'Offer some of the tools with a view or with toolsets, and change a tool where it is registered.';

/** A handler that reaches the client through the server instead of through its second argument. */
const asksServer = /\.server\s*\.\s*(?:elicitInput|createMessage|listRoots|sendLoggingMessage)\b/;

/**
 * Rejects what code expects of an MCP server and a collector of tools cannot do, while the code registers its tools. Otherwise
 * prompts would be missing, and handlers would fail when they are called.
 */
export function guardCollector<T extends object>(collector: T): T {
  return new Proxy(collector, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      // Looking for `then` and for symbols is what `await` and loggers do.
      if (value === undefined && isUsed(name))
        throw unsupported(`server.${name}`, replacements[name] ?? ELSE);
      if (typeof value !== 'function') return value;
      if (name !== 'tool' && name !== 'registerTool') return value.bind(target) as unknown;
      return (...args: readonly unknown[]) => {
        if (asksServer.test(String(args.at(-1))))
          throw unsupported(
            `server.server in the handler of "${String(args[0])}"`,
            replacements['server'] as string,
          );
        value.apply(target, args);
        return handle;
      };
    },
  });
}

/** Stands for the handle that the SDKs return for a tool, with which code can disable or change the tool. */
const handle: object = new Proxy(
  {},
  {
    get: (_, name) => {
      if (isUsed(name)) throw unsupported(`.${name} of a registered tool`, HANDLE);
      return undefined;
    },
  },
);

function isUsed(name: string | symbol): name is string {
  return typeof name === 'string' && name !== 'then' && name !== 'toJSON';
}

function unsupported(what: string, hint: string): ErrInvalidTool {
  return new ErrInvalidTool(`The code uses ${what}, but only its tools are collected.`, { hint });
}
