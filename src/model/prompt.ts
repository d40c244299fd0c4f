import { BaseModel } from './base-model.js';
import type { BaseModelInit } from './base-model.js';
import { GroupItem } from './group-item.js';

/** What an argument of a prompt is made from. */
export interface PromptArgumentInit extends BaseModelInit {
  /** Whether the prompt cannot be filled without it. */
  required?: boolean | undefined;
}

/** One argument of a prompt. */
export class PromptArgument extends BaseModel {
  /** Whether the argument must be given; MCP reads `undefined` as no. */
  required: boolean | undefined;

  constructor(init: PromptArgumentInit) {
    super(init);
    this.required = init.required;
  }
}

/** What a prompt is made from. */
export interface PromptInit extends BaseModelInit {
  /** What can be filled in, in the order in which clients ask for it. */
  promptArguments?: PromptArgument[] | undefined;
}

/** What MCP calls a prompt. */
export class Prompt extends GroupItem {
  promptArguments: PromptArgument[] | undefined;

  constructor(init: PromptInit) {
    super(init);
    this.promptArguments = init.promptArguments;
  }

  get kind(): 'prompt' {
    return 'prompt';
  }
}
