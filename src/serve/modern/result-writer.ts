import type { CallToolResult } from '../../protocol/tool-result.js';
import { bytesOf } from '../http/json-or-sse-response.js';
import type { EdgeAnswer } from '../http/request-response.js';
import { PREFIX } from './envelope.js';
import type { Id } from '../../protocol/messages.js';

const SERVER_INFO = `${PREFIX}serverInfo`;

/** Writes results of 2026 requests, which have a `resultType` and the server's name in `_meta`. */
export class ResultWriter {
  readonly #server: { readonly name: string; readonly version: string };
  readonly #ending: string;
  readonly #failedEnding: string;

  constructor(server: { readonly name: string; readonly version: string }) {
    this.#server = server;
    const serverInfo = `"${SERVER_INFO}":${JSON.stringify(server)}`;
    this.#ending = `,"resultType":"complete","_meta":{${serverInfo}}}`;
    this.#failedEnding = `,${serverInfo}},"resultType":"complete"}`;
  }

  /** Fast path for most calls, whose result has neither `_meta` nor a `resultType`. */
  writePlain(id: Id, result: object): EdgeAnswer & { readonly body: string } {
    const json = JSON.stringify(result);
    // A result with a toJSON method may be no object, or an empty one.
    if (!json.startsWith('{"')) return this.write(id, result);
    const text = json.slice(0, -1) + this.#ending;
    return { status: 200, body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}` };
  }

  write(id: Id, result: Partial<CallToolResult>): EdgeAnswer & { readonly body: string } {
    const text = this.#writeFailed(result) ?? this.#writeAny(result);
    return { status: 200, body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}` };
  }

  /** Writes a list of tools around a page of JSON. `more` is the JSON of the members after `tools`. */
  writeList(id: Id, page: string, more: string): EdgeAnswer {
    const before = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":`;
    return { status: 200, body: [before, bytesOf(page), `${more}${this.#ending}}`] };
  }

  /** Fast path for failed calls: their `_meta` comes last and is continued as text. */
  #writeFailed(result: Partial<CallToolResult>): string | undefined {
    const { isError, resultType, _meta } = result;
    if (isError !== true || resultType !== undefined || !_meta || Object.hasOwn(_meta, SERVER_INFO))
      return undefined;
    if (Object.keys(result).at(-1) !== '_meta') return undefined;
    const text = JSON.stringify(result);
    return text.endsWith('}}}') ? `${text.slice(0, -2)}${this.#failedEnding}` : undefined;
  }

  #writeAny(result: Partial<CallToolResult>): string {
    const {
      resultType = 'complete',
      _meta,
      toJSON: _,
      ...rest
    } = result as Partial<CallToolResult> & {
      readonly toJSON?: unknown;
    };
    return JSON.stringify({ ...rest, resultType, _meta: { ..._meta, [SERVER_INFO]: this.#server } });
  }
}
