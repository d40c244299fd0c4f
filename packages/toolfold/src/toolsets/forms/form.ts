import type { CompiledTool, ForwardedCall } from '../../compile/compiled-tool.js';
import type { AnyToolDefinition } from '../../define/tool-definition.js';
import type { ToolfoldError } from '@toolfold/schema/errors';
import type { ToolAnnotationsInit, ToolInit } from '../../model/tool.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { callback, oneOf, assertOptions, text } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { View } from '../../views/view.js';

/** How clients list and call the tools of a view. */
export interface Form {
  /** Names the form in messages. */
  readonly name: string;
  /** The tools that `createTools` gets: one for each group of actions, or one for each action. Default: `grouped`. */
  readonly base?: 'grouped' | 'flat' | undefined;
  /** Creates the tools that clients list instead of the tools of a view. Default: clients list the tools of the view. */
  readonly createTools?: (shown: FormView, server: FormServer) => FormTools | Promise<FormTools>;
  /** Called when a server starts. Loads what the first call would otherwise wait for. */
  readonly prepare?: (server: FormServer) => Promise<void>;
}

/** The tools that a form lists and calls. */
export interface FormView {
  /** The tools by name, as their authors wrote them. */
  readonly view: View;
  /** A view that holds all tools of `view`, such as the whole offer of the server, or `view` itself. */
  readonly wider: View;
  /** The texts of the toolsets. Some may have no tools in the view. */
  readonly toolsets: readonly ToolsetTexts[];
  /** Whether no request has narrowed the view, so that many clients list it. */
  readonly isWhole: boolean;
  /** Whether `wider` holds all tools, so that a setting for another tool is a mistake. */
  readonly isComplete: boolean;
}

/** The server that offers a form. */
export interface FormServer {
  /** The registry whose tools the server offers. */
  readonly registry: AnyRegistry;
  /** Called with errors that clients do not see. */
  readonly onError: (error: unknown) => void;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
}

/** The texts of a toolset. */
export interface ToolsetTexts {
  /** The key of the toolset in the catalog. */
  readonly key: string;
  /** The name that people read. */
  readonly name: string;
  /** What the toolset is for. */
  readonly description: string;
  /** When a model should use the toolset. */
  readonly decisionCriteria?: string;
}

/** The tools that a form creates for a view. */
export interface FormTools {
  /** The tools that clients list beside the pinned ones. */
  readonly listed: readonly FormTool[];
  /** Tools that can be called, but are listed only if they are pinned. */
  readonly unlisted?: readonly FormTool[] | undefined;
  /** Called whenever the tools are listed. */
  readonly onListed?: (() => void) | undefined;
}

/** A tool of the view, a tool with a handler, or a tool whose calls become calls of tools of the view. */
export type FormTool = CompiledTool | AnyToolDefinition | ForwardingTool;

/** A tool whose calls become calls of tools of the view. Guards and limits of the called action apply. */
export interface ForwardingTool extends Omit<ToolInit, 'annotations'> {
  /** Hints about the effects of a call, as plain data. */
  readonly annotations?: ToolAnnotationsInit | undefined;
  /** Returns the call to run instead, or a function that creates the error of the call. */
  readonly forward: (given: Readonly<Record<string, unknown>>) => FormCall | (() => ToolfoldError);
}

/** A call of a tool of the view. */
export type FormCall = Omit<ForwardedCall, 'tools' | 'reading'> & {
  /** The part of the arguments that the client sent, for `context.rawArguments`. Default: all arguments. */
  readonly sent?: Readonly<Record<string, unknown>> | undefined;
};

/** Lists one tool for each group of actions. */
export const groupedForm: Form = Object.freeze({ name: 'grouped' });
/** Lists one tool for each action. */
export const flatForm: Form = Object.freeze({ name: 'flat', base: 'flat' });

const rules: Rules<keyof Form> = {
  name: text,
  base: oneOf('grouped', 'flat'),
  createTools: callback,
  prepare: callback,
};

export function assertForm(form: Form): void {
  assertOptions('"form" of the view policy', form, rules, {
    required: ['name'],
    nameOf: (name) => `"form.${name}" of the view policy`,
  });
}
