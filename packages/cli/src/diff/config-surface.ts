import { isModern } from 'toolfold/internal';
import { readConfig } from '../proxy/config/read-config.js';
import type { ConfiguredServer } from '../proxy/config/read-config.js';
import { openServer } from '../target/open-server.js';
import { whileOpen } from '../target/open-target.js';
import { readTargetOptions } from '../target/read-target.js';
import type { ServerTarget } from '../target/read-target.js';
import {
  CommandError,
  joinEntries,
  readEntries,
  readSurface,
  sortByName,
  withServer,
} from '@toolfold/analysis/internal';
import type { Terminal } from '../terminal/terminal.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';
import type { EntryKind, Surface } from '@toolfold/analysis/internal';

export const configSpecs: OptionSpecs = {
  config: {
    value: 'file',
    help: 'All servers of a configuration file of MCP clients, as toolfold proxy --config reads it',
  },
};

interface OpenConfigOptions {
  readonly read: ReadArguments;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly kinds: readonly EntryKind[];
}

/** Reads the tools of all configured servers as one surface. Tools are named `server/tool`. */
export async function openConfigSurface(file: string, options: OpenConfigOptions): Promise<Surface> {
  const { servers, secrets } = readConfig(file);
  const { redact } = secrets;
  const { kinds } = options;
  const controller = new AbortController();
  const signal = AbortSignal.any([options.signal, controller.signal]);
  try {
    const surfaces = await Promise.all(
      servers.map((server) => openOne(server, { ...options, signal }, redact)),
    );
    const protocol =
      surfaces.map((each) => each.protocol).find((each) => isModern(each)) ?? surfaces[0]?.protocol;
    return {
      source: 'server',
      ...(protocol === undefined ? {} : { protocol }),
      tools: sortByName(surfaces.flatMap(({ tools }) => tools)),
      ...(kinds.length > 0
        ? {
            entries: joinEntries(
              surfaces.map(({ entries = {} }) => entries),
              kinds,
            ),
          }
        : {}),
    };
  } finally {
    // Stop the other servers if one fails.
    controller.abort();
  }
}

async function openOne(
  { name, ownTarget }: ConfiguredServer,
  { read, terminal, signal, kinds }: OpenConfigOptions,
  redact: (text: string) => string,
): Promise<Surface> {
  try {
    const opening = openServer(ownTarget as ServerTarget, {
      ...readTargetOptions(read),
      terminal,
      signal,
      isProxy: true,
      redact,
    });
    return await whileOpen(opening, async (opened) => {
      const surface = readSurface(opened);
      const entries = withServer(await readEntries(opened, kinds), name);
      return {
        ...surface,
        entries,
        tools: surface.tools.map((tool) => ({ ...tool, name: `${name}/${tool.name}` })),
      };
    });
  } catch (error) {
    if (error instanceof CommandError)
      throw new CommandError(redact(`The server "${name}": ${error.message}`), error.exitCode);
    throw error;
  }
}
