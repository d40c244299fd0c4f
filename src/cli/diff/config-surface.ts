import { isModern } from '../../protocol/mcp-types.js';
import { readConfig } from '../proxy/config/read-config.js';
import type { ConfiguredServer } from '../proxy/config/read-config.js';
import { openServer } from '../target/open-server.js';
import { readTargetOptions } from '../target/read-target.js';
import type { ServerTarget } from '../target/read-target.js';
import { CommandError } from '../../analysis/command-error.js';
import type { Terminal } from '../terminal/terminal.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';
import { joinEntries, readEntries, withServer } from '../../analysis/diff/surface-entries.js';
import type { EntryKind } from '../../analysis/diff/surface-entries.js';
import { readSurface, sortByName } from '../../analysis/diff/surface.js';
import type { Surface } from '../../analysis/diff/surface.js';

/** The option of commands that read the servers of a gateway. */
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

/** Reads the tools of all servers of a configuration file as one surface. Its tools are named `server/tool`. */
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
    // If one server fails, the others must not stay running.
    controller.abort();
  }
}

async function openOne(
  { name, ownTarget }: ConfiguredServer,
  { read, terminal, signal, kinds }: OpenConfigOptions,
  redact: (text: string) => string,
): Promise<Surface> {
  try {
    const opened = await openServer(ownTarget as ServerTarget, {
      ...readTargetOptions(read),
      terminal,
      signal,
      // Error messages repeat the end of the standard error.
      onStderr: () => {},
      isProxy: true,
      redact,
    });
    try {
      const surface = readSurface(opened);
      const entries = withServer(await readEntries(opened, kinds), name);
      return {
        ...surface,
        entries,
        tools: surface.tools.map((tool) => ({ ...tool, name: `${name}/${tool.name}` })),
      };
    } finally {
      await opened.close().catch(() => undefined);
    }
  } catch (error) {
    if (error instanceof CommandError)
      throw new CommandError(redact(`The server "${name}": ${error.message}`), error.exitCode);
    throw error;
  }
}
