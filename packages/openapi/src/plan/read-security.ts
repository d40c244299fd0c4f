import { isJsonObject } from '@toolfold/schema/internal';
import type { SecurityAlternative, SecurityScheme } from '../request-plan.js';
import type { SpecObject } from '../read/read-document.js';
import { entriesOf, listOf, NotOffered, resolveObject } from '../read/resolve.js';

const types: readonly SecurityScheme['type'][] = ['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'];
const places: readonly SecurityScheme['in'][] = ['query', 'header', 'cookie'];

/** Reads the security requirements of an operation. Without any, the operation needs no credentials. */
export function readSecurity(document: SpecObject, security: unknown): SecurityAlternative[] {
  const given = listOf(security).filter(isJsonObject);
  const known = given.flatMap((alternative) => {
    const schemes = entriesOf(alternative).map(([id, scopes]) => {
      const scheme = readScheme(document, id);
      return scheme && { scheme, scopes: listOf(scopes).filter((scope) => typeof scope === 'string') };
    });
    const complete = schemes.filter((scheme) => scheme !== undefined);
    return complete.length === schemes.length ? [complete] : [];
  });
  if (known.length === 0 && given.length > 0)
    throw new NotOffered('requires a security scheme that the specification does not define');
  return known;
}

function readScheme(document: SpecObject, id: string): SecurityScheme | undefined {
  const { components } = document;
  const declared = isJsonObject(components) ? components['securitySchemes'] : undefined;
  const given = new Map(entriesOf(declared)).get(id);
  const { type, in: place, name, scheme } = resolveObject(document, given);
  const known = types.find((each) => each === type);
  if (known === undefined) return undefined;
  const isKey = known === 'apiKey';
  const at = places.find((each) => each === place);
  if (isKey && (at === undefined || typeof name !== 'string' || name === '')) return undefined;
  return {
    id,
    type: known,
    in: isKey ? at : undefined,
    name: isKey ? (name as string) : undefined,
    scheme: known === 'http' && typeof scheme === 'string' ? scheme.toLowerCase() : undefined,
  };
}

/**
 * Returns the OAuth scopes that a call needs: those of the first alternative with a credential for each of its schemes. Without such an
 * alternative, an operation that allows calls without credentials needs no scopes, and any other needs those of the first alternative.
 */
export function scopesOf(security: readonly SecurityAlternative[], credentials: unknown): string[] {
  const isKnown = (id: string): boolean =>
    isJsonObject(credentials) && Object.hasOwn(credentials, id) && credentials[id] !== undefined;
  const used =
    security.find((each) => each.length > 0 && each.every(({ scheme }) => isKnown(scheme.id))) ??
    security.find((each) => each.length === 0) ??
    security[0] ??
    [];
  const oauth = used.filter(({ scheme }) => scheme.type === 'oauth2' || scheme.type === 'openIdConnect');
  return [...new Set(oauth.flatMap(({ scopes }) => scopes))];
}
