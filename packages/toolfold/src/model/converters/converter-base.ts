import type { Group } from '../group.js';
import type { Prompt, Resource } from '../prompt-resource.js';
import type { Tool, ToolAnnotations } from '../tool.js';

/** An absent entry, which batch conversions skip. */
export type Nullish = null | undefined;

/**
 * Converts between two representations of one noun. A subclass converts single items and returns `null` for an item that has no
 * counterpart. This class converts batches.
 */
export abstract class ConverterBase<TSource, TTarget> {
  /** Converts from the model to the other representation. */
  abstract convertFrom(source: TSource): TTarget | Nullish;
  /** Converts from the other representation to the model. */
  abstract convertTo(target: TTarget): TSource | Nullish;

  /** Converts all entries. Skips entries that are absent before or after the conversion. */
  convertFromBatch(sources: readonly (TSource | Nullish)[]): TTarget[] {
    return convertAll(sources, (source) => this.convertFrom(source));
  }

  /** Converts all entries back to the model. Skips absent entries in the same way. */
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

/** Base class of converters between `Tool` and another representation. */
export abstract class ToolConverterBase<TTarget> extends ConverterBase<Tool, TTarget> {
  /** Same as `convertFrom`. */
  convertFromTool(tool: Tool): TTarget | Nullish {
    return this.convertFrom(tool);
  }
  /** Same as `convertTo`. */
  convertToTool(target: TTarget): Tool | Nullish {
    return this.convertTo(target);
  }
  /** Same as `convertFromBatch`. */
  convertFromTools(tools: readonly (Tool | Nullish)[]): TTarget[] {
    return this.convertFromBatch(tools);
  }
  /** Same as `convertToBatch`. */
  convertToTools(targets: readonly (TTarget | Nullish)[]): Tool[] {
    return this.convertToBatch(targets);
  }
}

/** Base class of converters between `Group` and another representation. */
export abstract class GroupConverterBase<TTarget> extends ConverterBase<Group, TTarget> {
  /** Same as `convertFrom`. */
  convertFromGroup(group: Group): TTarget | Nullish {
    return this.convertFrom(group);
  }
  /** Same as `convertTo`. */
  convertToGroup(target: TTarget): Group | Nullish {
    return this.convertTo(target);
  }
  /** Same as `convertFromBatch`. */
  convertFromGroups(groups: readonly (Group | Nullish)[]): TTarget[] {
    return this.convertFromBatch(groups);
  }
  /** Same as `convertToBatch`. */
  convertToGroups(targets: readonly (TTarget | Nullish)[]): Group[] {
    return this.convertToBatch(targets);
  }
}

/** Base class of converters between `Prompt` and another representation. */
export abstract class PromptConverterBase<TTarget> extends ConverterBase<Prompt, TTarget> {
  /** Same as `convertFrom`. */
  convertFromPrompt(prompt: Prompt): TTarget | Nullish {
    return this.convertFrom(prompt);
  }
  /** Same as `convertTo`. */
  convertToPrompt(target: TTarget): Prompt | Nullish {
    return this.convertTo(target);
  }
  /** Same as `convertFromBatch`. */
  convertFromPrompts(prompts: readonly (Prompt | Nullish)[]): TTarget[] {
    return this.convertFromBatch(prompts);
  }
  /** Same as `convertToBatch`. */
  convertToPrompts(targets: readonly (TTarget | Nullish)[]): Prompt[] {
    return this.convertToBatch(targets);
  }
}

/** Base class of converters between `Resource` and another representation. */
export abstract class ResourceConverterBase<TTarget> extends ConverterBase<Resource, TTarget> {
  /** Same as `convertFrom`. */
  convertFromResource(resource: Resource): TTarget | Nullish {
    return this.convertFrom(resource);
  }
  /** Same as `convertTo`. */
  convertToResource(target: TTarget): Resource | Nullish {
    return this.convertTo(target);
  }
  /** Same as `convertFromBatch`. */
  convertFromResources(resources: readonly (Resource | Nullish)[]): TTarget[] {
    return this.convertFromBatch(resources);
  }
  /** Same as `convertToBatch`. */
  convertToResources(targets: readonly (TTarget | Nullish)[]): Resource[] {
    return this.convertToBatch(targets);
  }
}

/** Base class of converters between `ToolAnnotations` and another representation. */
export abstract class ToolAnnotationsConverterBase<TTarget> extends ConverterBase<ToolAnnotations, TTarget> {
  /** Same as `convertFrom`. */
  convertFromToolAnnotations(annotations: ToolAnnotations): TTarget | Nullish {
    return this.convertFrom(annotations);
  }
  /** Same as `convertTo`. */
  convertToToolAnnotations(target: TTarget): ToolAnnotations | Nullish {
    return this.convertTo(target);
  }
  /** Same as `convertFromBatch`. */
  convertFromToolAnnotationsBatch(annotations: readonly (ToolAnnotations | Nullish)[]): TTarget[] {
    return this.convertFromBatch(annotations);
  }
  /** Same as `convertToBatch`. */
  convertToToolAnnotationsBatch(targets: readonly (TTarget | Nullish)[]): ToolAnnotations[] {
    return this.convertToBatch(targets);
  }
}
