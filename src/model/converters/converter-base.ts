/** Absent entries, which batches leave out. */
export type Nullish = null | undefined;

/**
 * Converts between two representations of one thing. A subclass says how one item goes each way; an item
 * that has no counterpart is `null`. Batches are written here, once.
 */
export abstract class ConverterBase<TSource, TTarget> {
  /** From the model to the other representation. */
  abstract convertFrom(source: TSource): TTarget | Nullish;
  /** From the other representation to the model. */
  abstract convertTo(target: TTarget): TSource | Nullish;

  /** Converts all, leaving out what is absent before or after. */
  convertFromBatch(sources: readonly (TSource | Nullish)[]): TTarget[] {
    return convertAll(sources, (source) => this.convertFrom(source));
  }

  /** The way back, with the same rule. */
  convertToBatch(targets: readonly (TTarget | Nullish)[]): TSource[] {
    return convertAll(targets, (target) => this.convertTo(target));
  }
}

function convertAll<From, To>(
  items: readonly (From | Nullish)[],
  convert: (item: From) => To | Nullish,
): To[] {
  const converted: To[] = [];
  for (const item of items) {
    if (item === null || item === undefined) continue;
    const result = convert(item);
    if (result !== null && result !== undefined) converted.push(result);
  }
  return converted;
}
