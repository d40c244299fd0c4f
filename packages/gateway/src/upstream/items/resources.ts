import { isResourceContents, parseUriTemplate, Resources } from 'toolfold/internal';
import type { ResourceDefinition } from 'toolfold';
import { ErrUnknownResource } from 'toolfold/errors';
import type { Annotations } from 'toolfold/model';
import { isJsonObject } from '@toolfold/schema/internal';
import {
  assertDepth,
  completersFor,
  convertItems,
  invalidAnswer,
  problemOf,
  readBase,
} from './listed-item.js';
import type { ItemOptions } from './listed-item.js';

type Fields = Readonly<Record<string, unknown>>;

/** URIs that match a template have the same limit. */
const MAX_URI_LENGTH = 4_096;
/** 2025 servers answer with this code if a resource does not exist. */
const RESOURCE_NOT_FOUND = -32_002;

interface ResourceOptions extends ItemOptions {
  readonly subscribe: NonNullable<ResourceDefinition['subscribe']>;
}

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
  return convertItems(listed, options, (item) => {
    const address = isJsonObject(item) ? item[field] : undefined;
    const hasUri = typeof address === 'string' && address !== '' && address.length <= MAX_URI_LENGTH;
    return {
      label: `${kind} ${typeof address === 'string' ? address.slice(0, MAX_URI_LENGTH) : '(no URI)'}`,
      key: String(address),
      problem: hasUri ? problemOf(item) : `it has no URI of at most ${MAX_URI_LENGTH} characters`,
      convert: () => {
        const definition = toResource(item as Fields, field, String(address), options);
        new Resources().add(definition);
        return definition;
      },
    };
  });
}

function toResource(
  item: Fields,
  field: 'uri' | 'uriTemplate',
  address: string,
  options: ResourceOptions,
): ResourceDefinition {
  const { settings, features, forward, subscribe } = options;
  const { name, mimeType, size, annotations } = item;
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
      ? { complete: completersFor(variables, { type: 'ref/resource', uri: address }, options) }
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

/** Returns the contents of a resource unchanged, or throws if they are invalid. */
function toContents(answer: unknown, server: string): Fields {
  assertDepth(answer, server);
  const { contents, _meta } = isJsonObject(answer) ? answer : {};
  if (!Array.isArray(contents) || !contents.every(isResourceContents))
    throw invalidAnswer(server, 'it has no list of contents with text or a blob');
  return { contents, ...(isJsonObject(_meta) ? { _meta } : {}) };
}
