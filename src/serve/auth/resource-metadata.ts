import { invalidOption, readAddress, readScopes } from '../../values/assert-option.js';
import type { ResourceMetadata } from './authenticator.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Where RFC 9728 puts what a server says of itself: before the path of its address. */
export function metadataAddress(resource: URL): string {
  return `${resource.origin}${WELL_KNOWN}${pathOf(resource)}`;
}

/** The document, and the paths it is found at: the one that belongs to the server, and the root for clients that try it. */
export interface MetadataDocument {
  readonly paths: ReadonlySet<string>;
  readonly text: string;
}

export function writeMetadata(place: string, metadata: ResourceMetadata): MetadataDocument {
  const resource = readAddress(`${place}.resource`, metadata.resource);
  const servers: unknown = metadata.authorization_servers;
  if (!Array.isArray(servers) || servers.length === 0)
    throw invalidOption(`${place}.authorization_servers`, 'a list with at least one address');
  for (const server of servers) readAddress(`${place}.authorization_servers`, server);
  readScopes(`${place}.scopes_supported`, metadata.scopes_supported);
  return {
    paths: new Set([WELL_KNOWN, `${WELL_KNOWN}${pathOf(resource)}`]),
    text: JSON.stringify(metadata),
  };
}

function pathOf({ pathname }: URL): string {
  return pathname === '/' ? '' : pathname;
}
