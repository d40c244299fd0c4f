import type { Group } from '../group.js';
import type { Prompt } from '../prompt.js';
import type { Resource } from '../resource.js';
import type { ToolAnnotations } from '../tool-annotations.js';
import type { Tool } from '../tool.js';
import { ConverterBase } from './converter-base.js';
import type { Nullish } from './converter-base.js';

/** Tools to and from another representation. */
export abstract class ToolConverterBase<TTarget> extends ConverterBase<Tool, TTarget> {
  convertFromTool(tool: Tool): TTarget | Nullish {
    return this.convertFrom(tool);
  }
  convertToTool(target: TTarget): Tool | Nullish {
    return this.convertTo(target);
  }
  convertFromTools(tools: readonly (Tool | Nullish)[]): TTarget[] {
    return this.convertFromBatch(tools);
  }
  convertToTools(targets: readonly (TTarget | Nullish)[]): Tool[] {
    return this.convertToBatch(targets);
  }
}

/** Groups to and from another representation. */
export abstract class GroupConverterBase<TTarget> extends ConverterBase<Group, TTarget> {
  convertFromGroup(group: Group): TTarget | Nullish {
    return this.convertFrom(group);
  }
  convertToGroup(target: TTarget): Group | Nullish {
    return this.convertTo(target);
  }
  convertFromGroups(groups: readonly (Group | Nullish)[]): TTarget[] {
    return this.convertFromBatch(groups);
  }
  convertToGroups(targets: readonly (TTarget | Nullish)[]): Group[] {
    return this.convertToBatch(targets);
  }
}

/** Prompts to and from another representation. */
export abstract class PromptConverterBase<TTarget> extends ConverterBase<Prompt, TTarget> {
  convertFromPrompt(prompt: Prompt): TTarget | Nullish {
    return this.convertFrom(prompt);
  }
  convertToPrompt(target: TTarget): Prompt | Nullish {
    return this.convertTo(target);
  }
  convertFromPrompts(prompts: readonly (Prompt | Nullish)[]): TTarget[] {
    return this.convertFromBatch(prompts);
  }
  convertToPrompts(targets: readonly (TTarget | Nullish)[]): Prompt[] {
    return this.convertToBatch(targets);
  }
}

/** Resources to and from another representation. */
export abstract class ResourceConverterBase<TTarget> extends ConverterBase<Resource, TTarget> {
  convertFromResource(resource: Resource): TTarget | Nullish {
    return this.convertFrom(resource);
  }
  convertToResource(target: TTarget): Resource | Nullish {
    return this.convertTo(target);
  }
  convertFromResources(resources: readonly (Resource | Nullish)[]): TTarget[] {
    return this.convertFromBatch(resources);
  }
  convertToResources(targets: readonly (TTarget | Nullish)[]): Resource[] {
    return this.convertToBatch(targets);
  }
}

/** Annotations of tools to and from another representation. */
export abstract class ToolAnnotationsConverterBase<TTarget> extends ConverterBase<ToolAnnotations, TTarget> {
  convertFromToolAnnotations(annotations: ToolAnnotations): TTarget | Nullish {
    return this.convertFrom(annotations);
  }
  convertToToolAnnotations(target: TTarget): ToolAnnotations | Nullish {
    return this.convertTo(target);
  }
}
