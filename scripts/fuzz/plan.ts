/** What is done on one connection. The same seed and number give the same plan. */

/**
 * - `answer`: the request is right, and its answer is known.
 * - `refusal`: the request is wrong; the answer is an error of JSON-RPC with a status of 400 and more.
 * - `parser`: no HTTP, or none that may be; nobody has to say so in JSON, or at all.
 * - `stream`: an answer that stays open.
 * - `anything`: it may be right or wrong.
 */
export type Expectation =
  | {
      readonly kind: 'answer';
      readonly status: readonly number[];
      readonly holds?: (message: Json) => boolean;
    }
  | { readonly kind: 'refusal'; readonly status?: readonly number[] }
  | { readonly kind: 'parser' }
  | { readonly kind: 'stream' }
  | { readonly kind: 'anything' };

export type Json = Readonly<Record<string, unknown>>;

export interface Step {
  readonly label: string;
  /** Given the session that was opened on this connection before. */
  readonly bytes: (session: string) => Buffer;
  readonly isHead?: boolean;
  readonly expect: Expectation;
}

export interface Plan {
  readonly index: number;
  readonly kind: string;
  readonly steps: readonly Step[];
  /** Whether all requests are sent before the first answer is read. */
  readonly isPipelined?: boolean;
  /** Lengths of the pieces that are written, over and over, and the pause after each in milliseconds. */
  readonly pieces?: { readonly lengths: readonly number[]; readonly pauseMs: number };
  /** The client goes away after so much of the bytes, without a word or saying that no more will come. */
  readonly leave?: { readonly after: number; readonly how: 'reset' | 'end' };
}

export interface RequestParts {
  readonly method?: string;
  readonly target?: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Buffer;
}

/** `$session` in a header is the session. */
export function encode({ method = 'POST', target = '/mcp', headers, body }: RequestParts): Step['bytes'] {
  return (session) => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body ?? '');
    const has = (name: string): boolean => headers.some(([other]) => other.toLowerCase() === name);
    const all = [
      ...(has('host') ? [] : [['Host', 'localhost'] as const]),
      ...headers.map(([name, value]) => [name, value === '$session' ? session : value] as const),
      ...(body === undefined || has('content-length') || has('transfer-encoding')
        ? []
        : [['Content-Length', String(bytes.length)] as const]),
    ];
    const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1'), bytes]);
  };
}
