import { ErrUpstreamLost } from 'toolfold/errors';
import { METHOD_NOT_FOUND } from 'toolfold/internal';
import type { ListName, UpstreamConnection, UpstreamFeatures } from '../connection.js';
import { describeFailure, isGone } from '../health/link-errors.js';
import { ListError } from '../list.js';
import type { UpstreamSettings } from '../options.js';
import type { UpstreamServer } from '../upstream-types.js';

/** Everything that a server lists, unchecked. */
export interface ListedItems {
  readonly tools: readonly unknown[];
  readonly prompts: readonly unknown[];
  readonly resources: readonly unknown[];
  readonly templates: readonly unknown[];
  /** Maps each unusable list to the reason. */
  readonly unusable: ReadonlyMap<ListName, string>;
  readonly server: UpstreamServer;
  readonly features: UpstreamFeatures;
}

export interface WantedItems {
  readonly prompts: boolean;
  readonly resources: boolean;
}

/** Reads all lists of a server. An unusable list of prompts or resources does not hide the others. */
export async function listItems(
  connection: UpstreamConnection,
  settings: UpstreamSettings,
  wanted: WantedItems,
): Promise<ListedItems> {
  const unusable = new Map<ListName, string>();
  const list = async (name: ListName, isWanted: boolean): Promise<readonly unknown[]> => {
    if (!isWanted) return [];
    const { maxTools: maxItems, maxMessageBytes: maxSize } = settings;
    try {
      return await connection.list(name, { maxItems, maxSize });
    } catch (error) {
      if (isGone(error) || connection.hasEnded) throw error;
      // A server may declare capabilities that it does not implement.
      if ((error as { code?: unknown }).code !== METHOD_NOT_FOUND) unusable.set(name, describeFailure(error));
      return [];
    }
  };
  const [tools, prompts, resources, templates] = await Promise.all([
    listTools(connection, settings),
    list('prompts', wanted.prompts),
    list('resources', wanted.resources),
    list('resourceTemplates', wanted.resources),
  ]);
  const { server, features } = connection;
  return { tools, prompts, resources, templates, unusable, server, features };
}

/** Reads the list of tools, without which a server cannot be used. */
export async function listTools(
  connection: UpstreamConnection,
  { name, maxTools, maxMessageBytes }: UpstreamSettings,
): Promise<readonly unknown[]> {
  try {
    return await connection.list('tools', { maxItems: maxTools, maxSize: maxMessageBytes });
  } catch (error) {
    if (!(error instanceof ListError)) throw error;
    throw new ErrUpstreamLost(`The server "${name}" cannot be used: ${error.message}.`, {
      details: { upstream: name },
    });
  }
}
