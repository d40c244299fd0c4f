import type { Form, PageCaller, ShownProfile } from '../../../../../src/page-api.js';
import type { GivenAnswer } from '../../../mcp/call.js';
import type { Era } from '../../../mcp/endpoint.js';

type Fields = Readonly<Record<string, unknown>>;

/** The file in commands and tests for a registry, as the guides name it. */
export const EXAMPLE_FILE = 'registry.ts';

/** A call to copy, with its result if it has run. */
export interface CopiedCall {
  readonly address: string;
  /** The input from the form, before it is converted for the wire. */
  readonly input: Fields;
  /** Method and parameters of the request, as sent to the server. */
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  readonly params: Fields;
  /** The headers of a 2026 request that repeat arguments. */
  readonly paramHeaders?: Readonly<Record<string, string>> | undefined;
  readonly form: Form;
  readonly profile: ShownProfile;
  readonly era: Era;
  readonly caller?: PageCaller | undefined;
  /** The scopes that the action needs. */
  readonly needed?: readonly string[] | undefined;
  readonly asTask?: boolean | undefined;
  /** The page's own origin. */
  readonly origin: string;
  /** The words of a command line that name the target. Missing for a registry, whose file is unknown. */
  readonly words?: readonly string[] | undefined;
  readonly result?: Fields | undefined;
  /** The message of a call that ended with a protocol error. */
  readonly failure?: string | undefined;
  readonly answers?: readonly GivenAnswer[] | undefined;
}
