import { BaseModel } from './base-model.js';
import type { BaseModelInit } from './base-model.js';
import { GroupItem } from './group-item.js';

export interface PromptArgumentInit extends BaseModelInit {
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

export interface PromptInit extends BaseModelInit {
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
