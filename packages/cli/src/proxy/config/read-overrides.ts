import { ErrInvalidOptions } from 'toolfold/errors';
import { assertOverrides } from '@toolfold/gateway/internal';
import type { ToolOverrides } from '@toolfold/gateway';
import { didYouMean, isJsonObject, nearestName } from '@toolfold/schema/internal';
import { readJson } from '../../search/read-json.js';
import { CommandError } from '@toolfold/analysis/internal';

const VERSION = 1;

/** Reads and strictly validates an overrides file, because a misspelt limit would not apply. */
export function readOverridesFile(file: string): ToolOverrides {
  const read = readJson(file, 'Write { "version": 1, "tools": { "name": { "description": "…" } } } into it.');
  if (!isJsonObject(read)) throw new CommandError(`${file} must be an object with "version" and "tools".`);
  const { version, tools = {}, $schema: _, ...others } = read;
  if (version !== VERSION)
    throw new CommandError(`${file}: version must be ${VERSION}. Write "version": ${VERSION} into it.`);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new CommandError(
      `${file} has no field "${unknown}". Its fields are version and tools.${didYouMean(nearestName(unknown, ['version', 'tools']))}`,
    );
  try {
    assertOverrides(`${file}: tools`, tools);
  } catch (error) {
    if (error instanceof ErrInvalidOptions) throw new CommandError(error.message);
    throw error;
  }
  return tools;
}

/** Groups overrides by server. The keys are `server/tool`, and a server name may contain slashes. */
export function splitOverrides(
  file: string,
  overrides: ToolOverrides,
  servers: readonly string[],
): { readonly byServer: ReadonlyMap<string, ToolOverrides>; readonly notices: readonly string[] } {
  const byServer = new Map<string, Record<string, ToolOverrides[string]>>();
  const notices: string[] = [];
  for (const [address, override] of Object.entries(overrides)) {
    const found = splitAddress(address, servers);
    if (found) byServer.set(found.server, { ...byServer.get(found.server), [found.tool]: override });
    else {
      const [server = ''] = address.split('/');
      const advice = address.includes('/')
        ? `there is no server "${server}".${didYouMean(nearestName(server, servers))}`
        : 'it must have the form server/tool.';
      notices.push(`${file}: the override for "${address}" has no effect: ${advice}`);
    }
  }
  return { byServer, notices };
}

/** Splits `server/tool`. If several servers match, the longest name wins. */
export function splitAddress(
  address: string,
  servers: readonly string[],
): { readonly server: string; readonly tool: string } | undefined {
  const server = servers
    .filter((name) => address.startsWith(`${name}/`) && address.length > name.length + 1)
    .toSorted((one, other) => other.length - one.length)[0];
  return server === undefined ? undefined : { server, tool: address.slice(server.length + 1) };
}
