/** The actions on one connection. The same seed and number give the same plan. */

/**
 * - `answer`: the request is valid, and its answer is known.
 * - `rejection`: the request is invalid; the answer is a JSON-RPC error with a status of at least 400.
 * - `parser`: invalid HTTP, which needs no JSON answer, or no answer at all.
 * - `stream`: the answer stays open.
 * - `anything`: the request may be valid or invalid.
 */
export type Expectation =
  | {
      readonly kind: 'answer';
      readonly status: readonly number[];
      readonly holds?: (message: Json) => boolean;
    }
  | { readonly kind: 'rejection'; readonly status?: readonly number[] }
  | { readonly kind: 'parser' }
  | { readonly kind: 'stream' }
  | { readonly kind: 'anything' };

export type Json = Readonly<Record<string, unknown>>;

export interface Step {
  readonly label: string;
  /** Returns the request. `session` is the id of the session that was opened earlier on this connection. */
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
  /** Lengths of the written pieces, repeated, and the pause after each in milliseconds. */
  readonly pieces?: { readonly lengths: readonly number[]; readonly pauseMs: number };
  /** The client stops after this fraction of the bytes: it resets the connection, or ends its side and waits. */
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
