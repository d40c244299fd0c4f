import { ErrInvalidOptions } from 'toolfold/errors';
import { followPointer, isJsonObject } from '@toolfold/schema/internal';

type Fields = Record<string, unknown>;

/** Converts at most this many media types of `consumes` and `produces`, because each is copied into every operation. */
const MAX_MEDIA_TYPES = 20;
/** Limits the values of referenced parameters in total, because each use is a copy. */
const MAX_COPIED = 2_000_000;

const FORM = 'application/x-www-form-urlencoded';

/**
 * Prepares a Swagger 2.0 document for the converter, which loses references to bodies and forms, the default format of lists in forms, and
 * the media type of forms without one.
 */
export function prepareSwagger(document: Fields): void {
  shortenLists(document);
  const copies = new Copies(document);
  for (const path of valuesOf(document['paths'])) {
    if (!isJsonObject(path)) continue;
    const shared = prepareParameters(path, copies);
    for (const operation of valuesOf(path)) {
      if (!isJsonObject(operation)) continue;
      shortenLists(operation);
      const own = prepareParameters(operation, copies);
      const forms = [...shared, ...own].filter((parameter) => parameter['in'] === 'formData');
      const consumed = operation['consumes'] ?? document['consumes'];
      const hasFile = forms.some(({ type }) => type === 'file');
      if (forms.length > 0 && !hasFile && !namesForm(consumed)) operation['consumes'] = [FORM];
    }
  }
}

function valuesOf(value: unknown): unknown[] {
  return isJsonObject(value) ? Object.values(value) : [];
}

function shortenLists(holder: Fields): void {
  for (const name of ['consumes', 'produces']) {
    const listed = holder[name];
    if (Array.isArray(listed)) holder[name] = listed.slice(0, MAX_MEDIA_TYPES);
  }
}

function namesForm(mediaTypes: unknown): boolean {
  return (
    Array.isArray(mediaTypes) && mediaTypes.some((each) => each === FORM || each === 'multipart/form-data')
  );
}

/** Replaces references to bodies and forms by copies, and returns the parameters. */
function prepareParameters(holder: Fields, copies: Copies): Fields[] {
  const { parameters } = holder;
  if (!Array.isArray(parameters)) return [];
  const prepared = parameters.map((given: unknown) => {
    const parameter = copies.follow(given);
    const isList = isJsonObject(parameter) && parameter['in'] === 'formData' && parameter['type'] === 'array';
    return isList ? { collectionFormat: 'csv', ...parameter } : parameter;
  });
  holder['parameters'] = prepared;
  return prepared.filter(isJsonObject);
}

/** Copies the parameters that operations refer to, within a limit on the size of all copies. */
class Copies {
  readonly #document: Fields;
  readonly #sizes = new Map<string, number>();
  #left = MAX_COPIED;

  constructor(document: Fields) {
    this.#document = document;
  }

  follow(given: unknown): unknown {
    const reference = isJsonObject(given) ? given['$ref'] : undefined;
    if (typeof reference !== 'string' || !reference.startsWith('#/parameters/')) return given;
    const target = followPointer(this.#document, reference);
    if (!isJsonObject(target) || (target['in'] !== 'body' && target['in'] !== 'formData')) return given;
    const size = this.#sizes.get(reference) ?? countValues(target);
    this.#sizes.set(reference, size);
    this.#left -= size;
    if (this.#left < 0)
      throw new ErrInvalidOptions('The OpenAPI specification uses large parameters too often.', {
        hint: 'Move the schemas of bodies to definitions.',
      });
    return target;
  }
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + countValues(each), 1);
}
