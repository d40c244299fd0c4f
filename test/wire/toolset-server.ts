import { ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import type { RunningServer, ServeHttpOptions } from 'toolfold/node';

const noInput = { type: 'object', properties: {} } as const;

const tool = (name: string, readOnly: boolean, handler: (call: never) => unknown = () => name) => ({
  name,
  description: `Does ${name.replaceAll('_', ' ')}. More of it.`,
  readOnly,
  inputSchema: noInput,
  handler,
});

/** The caller as handlers see it. */
const whoami = ({ context }: { context: { accessToken?: string; session: object } }) =>
  JSON.stringify({ token: context.accessToken ?? null, session: context.session });

type Complete = ToolsetConfig & Required<Pick<ToolsetConfig, 'moduleLoaders'>>;

/** Two toolsets that share a module, one that fails to load, and one with static tools. */
export function configOf(config: Partial<ToolsetConfig> = {}): Complete {
  const loads: string[] = [];
  const module =
    (name: string, ...tools: object[]) =>
    (context: Readonly<Record<string, unknown>> = {}) => {
      loads.push(`${name} ${String(context['accessToken'])}`);
      return tools as never;
    };
  const made: Complete = {
    catalog: {
      users: {
        name: 'Users',
        description: 'People and their accounts',
        decisionCriteria: 'For anything about people',
        modules: ['users', 'audit'],
      },
      billing: { name: 'Billing', description: 'Invoices and payments', modules: ['billing', 'audit'] },
      broken: { name: 'Broken', description: 'Cannot be loaded', modules: ['broken'] },
      basics: { name: 'Basics', description: 'What everybody needs', tools: [tool('whoami', true, whoami)] },
    },
    moduleLoaders: {
      users: module('users', tool('list_users', true), tool('add_user', false)),
      billing: module('billing', tool('list_invoices', true), tool('pay_invoice', false)),
      audit: module('audit', tool('read_audit', true)),
      broken: () => {
        loads.push('broken');
        throw new Error('the service is down, said token-of-the-server');
      },
    },
    startup: { mode: 'STATIC', toolsets: ['users', 'billing', 'basics'] },
    context: { accessToken: 'token-of-the-server' },
    exposurePolicy: {},
    ...config,
  };
  loadsByConfig.set(made, loads);
  return made;
}

const loadsByConfig = new WeakMap<ToolsetConfig, string[]>();

/** The modules that a configuration of `configOf` has loaded, each with the token that its loader got. */
export function loadsOf(config: ToolsetConfig): string[] {
  return loadsByConfig.get(config) ?? [];
}

export async function start(
  toolsets: ToolsetConfig,
  options: ServeHttpOptions = {},
): Promise<RunningServer & { readonly registry: ToolRegistry }> {
  const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
  registry.register(tool('ping', true, () => 'pong') as never);
  const server = await serveHttp(registry, { port: 0, closeOnSignals: false, toolsets, ...options });
  return { ...server, registry };
}
