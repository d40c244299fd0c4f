import { parseUriTemplate, Resources } from '../../define/resources.js';
import type { ResourceDefinition } from '../../define/resources.js';
import type { Completer } from '../../define/prompts.js';
import { ErrUnknownResource } from '../../errors.js';
import { messageOf } from '../../engine/error-handler.js';
import type { Annotations } from '../../protocol/mcp-types.js';
import { isResourceContents } from '../../protocol/tool-result.js';
import { isJsonObject } from '../../values/json-value.js';
import {
  assertDepth,
  completionContext,
  invalidAnswer,
  problemOf,
  readBase,
  readSuggestions,
} from './listed-item.js';
import type { ItemOptions } from './listed-item.js';

type Fields = Readonly<Record<string, unknown>>;

/** Maximum length of a URI, as for the URIs that match a template. */
const MAX_URI_LENGTH = 4_096;
/** The code of 2025 servers for a resource that does not exist. */
const RESOURCE_NOT_FOUND = -32_002;

interface ResourceOptions extends ItemOptions {
  /** Called when clients subscribe to a resource. */
  readonly subscribe: NonNullable<ResourceDefinition['subscribe']>;
}

/** Converts listed resources and templates into definitions. */
export function toResources(
  resources: readonly unknown[],
  templates: readonly unknown[],
  options: ResourceOptions,
): ResourceDefinition[] {
  return [
    ...convert('resource', 'uri', resources, options),
    ...convert('resource template', 'uriTemplate', templates, options),
  ];
}

function convert(
  kind: string,
  field: 'uri' | 'uriTemplate',
  listed: readonly unknown[],
  options: ResourceOptions,
): ResourceDefinition[] {
  const { skip } = options;
  const definitions = new Map<string, ResourceDefinition>();
  for (const item of listed) {
    const address = isJsonObject(item) ? item[field] : undefined;
    const label = `${kind} ${typeof address === 'string' ? address.slice(0, MAX_URI_LENGTH) : '(no URI)'}`;
    const problem =
      typeof address !== 'string' || address === '' || address.length > MAX_URI_LENGTH
        ? `it has no URI of at most ${MAX_URI_LENGTH} characters`
        : (problemOf(item) ?? (definitions.has(address) ? 'it is listed twice' : undefined));
    if (problem !== undefined) {
      skip(label, problem);
      continue;
    }
    try {
      const definition = toResource(item as Fields, field, address as string, options);
      new Resources().add(definition);
      definitions.set(address as string, definition);
    } catch (error) {
      // An invalid resource must not affect the others.
      skip(label, messageOf(error) || 'its definition cannot be read');
    }
  }
  return [...definitions.values()];
}

function toResource(
  item: Fields,
  field: 'uri' | 'uriTemplate',
  address: string,
  { settings, features, forward, subscribe }: ResourceOptions,
): ResourceDefinition {
  const { name, mimeType, size, annotations } = item;
  const complete =
    (variable: string): Completer =>
    async (typed, { arguments: others, session, signal }) => {
      const params = {
        ref: { type: 'ref/resource', uri: address },
        argument: { name: variable, value: typed },
        context: { arguments: others },
      };
      const answer = await forward('completion/complete', params, completionContext(session, signal));
      return readSuggestions(answer, settings.name);
    };
  const variables =
    field === 'uriTemplate' && features.completions ? parseUriTemplate(address).variables : [];
  return {
    name: String(name),
    [field]: address,
    ...readBase(item),
    ...(typeof mimeType === 'string' ? { mimeType: mimeType.slice(0, 200) } : {}),
    ...(Number.isSafeInteger(size) && Number(size) >= 0 ? { size: Number(size) } : {}),
    ...(isJsonObject(annotations) ? { annotations: annotations as Annotations } : {}),
    ...(variables.length > 0
      ? { complete: Object.fromEntries(variables.map((variable) => [variable, complete(variable)])) }
      : {}),
    subscribe,
    handler: async ({ uri, context }) => {
      const answer = await forward('resources/read', { uri }, context).catch((error: unknown) => {
        throw isMissing(error) ? unknown(uri, error) : error;
      });
      return toContents(answer, settings.name);
    },
  };
}

function isMissing(error: unknown): boolean {
  const { cause } = Object(error) as { cause?: unknown };
  return (Object(cause) as { code?: unknown }).code === RESOURCE_NOT_FOUND;
}

function unknown(uri: string, cause: unknown): ErrUnknownResource {
  return new ErrUnknownResource(`Unknown resource "${uri}".`, { details: { uri }, cause });
}

/** Returns the contents of a resource unchanged, or throws if they are not valid. */
function toContents(answer: unknown, server: string): Fields {
  assertDepth(answer, server);
  const { contents, _meta } = isJsonObject(answer) ? answer : {};
  if (!Array.isArray(contents) || !contents.every(isResourceContents))
    throw invalidAnswer(server, 'it has no list of contents with text or a blob');
  return { contents, ...(isJsonObject(_meta) ? { _meta } : {}) };
}
