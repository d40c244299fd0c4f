import type { Observe } from 'toolfold';
import { assertInstalled } from '../target/open-server.js';
import { withSignals } from '../terminal/terminal.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { createGateway } from './gateway.js';
import { Notices } from './notices.js';
import type { ProxiedServer } from './proxied-server.js';
import { proxyHelp } from './proxy-options.js';
import { readSettings } from './read-settings.js';
import { serveProxy } from './serve-proxy.js';
import { createSingleProxy } from './single-proxy.js';

export const proxyCommand: Command = { ...proxyHelp, run: proxy };

async function proxy(read: ReadArguments, terminal: Terminal): Promise<number> {
  const settings = readSettings(read);
  const { source, isJson, isTraced } = settings;
  assertInstalled(
    'toolfold proxy needs',
    '@modelcontextprotocol/server',
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

/** Loads the OpenTelemetry observer lazily, because its package is optional. */
async function loadTracing(): Promise<Observe> {
  const { observeWithOpenTelemetry } = await import('toolfold/otel');
  return observeWithOpenTelemetry();
}
