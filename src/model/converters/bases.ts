import type { Group } from '../group.js';
import type { Prompt } from '../prompt.js';
import type { Resource } from '../resource.js';
import type { ToolAnnotations } from '../tool-annotations.js';
import type { Tool } from '../tool.js';
import { ConverterBase } from './converter-base.js';
import type { Nullish } from './converter-base.js';

/** Tools to and from another representation. */
export abstract class ToolConverterBase<TTarget> extends ConverterBase<Tool, TTarget> {
  /** `convertFrom` under its own name. */
  convertFromTool(tool: Tool): TTarget | Nullish {
    return this.convertFrom(tool);
  }
  /** `convertTo` under its own name. */
  convertToTool(target: TTarget): Tool | Nullish {
    return this.convertTo(target);
  }
  /** `convertFromBatch` under its own name. */
  convertFromTools(tools: readonly (Tool | Nullish)[]): TTarget[] {
    return this.convertFromBatch(tools);
  }
  /** `convertToBatch` under its own name. */
  convertToTools(targets: readonly (TTarget | Nullish)[]): Tool[] {
    return this.convertToBatch(targets);
  }
}

/** Groups to and from another representation. */
export abstract class GroupConverterBase<TTarget> extends ConverterBase<Group, TTarget> {
  /** `convertFrom` under its own name. */
  convertFromGroup(group: Group): TTarget | Nullish {
    return this.convertFrom(group);
  }
  /** `convertTo` under its own name. */
  convertToGroup(target: TTarget): Group | Nullish {
    return this.convertTo(target);
  }
  /** `convertFromBatch` under its own name. */
  convertFromGroups(groups: readonly (Group | Nullish)[]): TTarget[] {
    return this.convertFromBatch(groups);
  }
  /** `convertToBatch` under its own name. */
  convertToGroups(targets: readonly (TTarget | Nullish)[]): Group[] {
    return this.convertToBatch(targets);
  }
}

/** Prompts to and from another representation. */
export abstract class PromptConverterBase<TTarget> extends ConverterBase<Prompt, TTarget> {
  /** `convertFrom` under its own name. */
  convertFromPrompt(prompt: Prompt): TTarget | Nullish {
    return this.convertFrom(prompt);
  }
  /** `convertTo` under its own name. */
  convertToPrompt(target: TTarget): Prompt | Nullish {
    return this.convertTo(target);
  }
  /** `convertFromBatch` under its own name. */
  convertFromPrompts(prompts: readonly (Prompt | Nullish)[]): TTarget[] {
    return this.convertFromBatch(prompts);
  }
  /** `convertToBatch` under its own name. */
  convertToPrompts(targets: readonly (TTarget | Nullish)[]): Prompt[] {
    return this.convertToBatch(targets);
  }
}

/** Resources to and from another representation. */
export abstract class ResourceConverterBase<TTarget> extends ConverterBase<Resource, TTarget> {
  /** `convertFrom` under its own name. */
  convertFromResource(resource: Resource): TTarget | Nullish {
    return this.convertFrom(resource);
  }
  /** `convertTo` under its own name. */
  convertToResource(target: TTarget): Resource | Nullish {
    return this.convertTo(target);
  }
  /** `convertFromBatch` under its own name. */
  convertFromResources(resources: readonly (Resource | Nullish)[]): TTarget[] {
    return this.convertFromBatch(resources);
  }
  /** `convertToBatch` under its own name. */
  convertToResources(targets: readonly (TTarget | Nullish)[]): Resource[] {
    return this.convertToBatch(targets);
  }
}

/** Annotations of tools to and from another representation. */
export abstract class ToolAnnotationsConverterBase<TTarget> extends ConverterBase<ToolAnnotations, TTarget> {
  /** `convertFrom` under its own name. */
  convertFromToolAnnotations(annotations: ToolAnnotations): TTarget | Nullish {
    return this.convertFrom(annotations);
  }
  /** `convertTo` under its own name. */
  convertToToolAnnotations(target: TTarget): ToolAnnotations | Nullish {
    return this.convertTo(target);
  }
  /** `convertFromBatch` under its own name. */
  convertFromToolAnnotationsBatch(annotations: readonly (ToolAnnotations | Nullish)[]): TTarget[] {
    return this.convertFromBatch(annotations);
  }
  /** `convertToBatch` under its own name. */
  convertToToolAnnotationsBatch(targets: readonly (TTarget | Nullish)[]): ToolAnnotations[] {
    return this.convertToBatch(targets);
  }
}
