import { ErrInvalidOptions } from 'toolfold/errors';
import { clip, isJsonObject, isSecure } from '@toolfold/schema/internal';
import type { SpecObject } from './read-document.js';
import { entriesOf, listOf, NotOffered } from './resolve.js';

/** Returns the base address of a specification: the first of its servers that uses https, or http on this machine. */
export function baseUrlOf(document: SpecObject, specUrl: URL | undefined): URL {
  const given = addressesOf(document['servers'], specUrl);
  const found = given.find((url) => url !== undefined && isSecure(url));
  if (found) return found;
  const first = listOf(document['servers']).find(isJsonObject);
  const address = typeof first?.['url'] === 'string' ? `"${clip(first['url'], 100)}"` : undefined;
  throw new ErrInvalidOptions(
    address === undefined
      ? 'The OpenAPI specification names no server.'
      : `The OpenAPI specification names no server with an https address, but ${address}.`,
    { hint: 'Pass baseUrl.' },
  );
}

/**
 * Returns the base address of an operation with its own servers. It must be on the same host as all others, because credentials go there.
 * If the operator chose the base address, it replaces the host of the specification.
 */
export function serverOf(document: SpecObject, servers: unknown, base: URL): URL {
  const given = addressesOf(servers, base).filter((url) => url !== undefined);
  if (given.length === 0) return base;
  const own = given.find((url) => url.origin === base.origin);
  if (own) return own;
  const replaced = new Set(addressesOf(document['servers'], base).map((url) => url?.origin));
  const moved = given.find((url) => replaced.has(url.origin));
  if (moved) return new URL(moved.pathname, base);
  throw new NotOffered(`is on another server than ${base.origin}`);
}

function addressesOf(servers: unknown, base?: URL): (URL | undefined)[] {
  return listOf(servers)
    .filter(isJsonObject)
    .map(({ url, variables }) => {
      const given = typeof url === 'string' ? fillVariables(url, variables) : '';
      const address = given.startsWith('//') ? `https:${given}` : given;
      if (!URL.canParse(address, base?.href)) return undefined;
      const parsed = new URL(address, base?.href);
      const isPlain =
        parsed.search === '' && parsed.hash === '' && parsed.username === '' && parsed.password === '';
      return isPlain ? parsed : undefined;
    });
}

function fillVariables(url: string, variables: unknown): string {
  const known = new Map(entriesOf(variables));
  return url.slice(0, 2_000).replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = known.get(name);
    const value = isJsonObject(variable) ? variable['default'] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : whole;
  });
}
