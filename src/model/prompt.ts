import { BaseModel } from './base-model.js';
import type { BaseModelInit } from './base-model.js';
import { GroupItem } from './group-item.js';

/** The fields of a prompt argument. */
export interface PromptArgumentInit extends BaseModelInit {
  /** Whether the argument must be given. */
  required?: boolean | undefined;
}

/** One argument of a prompt. */
export class PromptArgument extends BaseModel {
  /** Whether the argument must be given. MCP treats `undefined` as false. */
  required: boolean | undefined;

  constructor(init: PromptArgumentInit) {
    super(init);
    this.required = init.required;
  }
}

/** The fields of a prompt. */
export interface PromptInit extends BaseModelInit {
  /** The arguments, in the order in which clients ask for them. */
  promptArguments?: PromptArgument[] | undefined;
}

/** An MCP prompt. */
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
