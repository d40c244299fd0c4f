import type { Observe } from '../../engine/services.js';
import { assertInstalled } from '../target/open-server.js';
import { withSignals } from '../terminal/terminal.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import type { Terminal } from '../terminal/terminal.js';
import { createGateway } from './gateway.js';
import { Notices } from './notices.js';
import type { ProxiedServer } from './proxied-server.js';
import { readSettings } from './read-settings.js';
import { serveProxy } from './serve-proxy.js';
import { createSingleProxy } from './single-proxy.js';

export { proxyHelp, proxySpecs } from './proxy-options.js';

/** Serves other servers until a signal, or the end of the client, stops it. */
export async function proxy(read: ReadArguments, terminal: Terminal): Promise<number> {
  const settings = readSettings(read);
  const { form, source, isJson, isTraced } = settings;
  assertInstalled(
    form === 'code' ? 'toolfold proxy --form code needs' : 'toolfold proxy needs',
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/server',
    ...(form === 'code' ? ['quickjs-wasi'] : []),
    ...(isTraced ? ['@opentelemetry/api'] : []),
  );
  const isGateway = 'config' in source;
  const notices = new Notices(terminal, isJson, isGateway ? source.config.secrets : undefined);
  const servers: ProxiedServer[] = [];
  const own = (server: ProxiedServer): void => void servers.push(server);
  try {
    const observe = isTraced ? await loadTracing() : undefined;
    const proxied = await withSignals(terminal.host, (signal) => {
      const parts = { settings, notices, signal, observe, own };
      const starting = isGateway
        ? createGateway(source.config, parts)
        : createSingleProxy(source.target, parts);
      return terminal.withNotice('connecting', starting);
    });
    return await serveProxy(proxied, settings, notices, terminal);
  } finally {
    await Promise.allSettled(servers.map((server) => server.close()));
  }
}

/** Loads the observer of calls. The package is optional, so it is loaded only if it is used. */
async function loadTracing(): Promise<Observe> {
  const { observeWithOpenTelemetry } = await import('../../otel.js');
  return observeWithOpenTelemetry();
}
