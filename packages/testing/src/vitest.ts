/** `@toolfold/testing/vitest`: importing it adds the matchers to vitest. */
import { expect, Snapshots } from 'vitest';
import type { MatcherState } from 'vitest';
import type { ErrorCode } from 'toolfold/errors';
import { describeSurface } from './surface.js';
import type { SurfaceSource } from './surface.js';
import { readToolError } from './test-client/tool-error.js';

/** Declares the matchers that `@toolfold/testing/vitest` adds. */
export interface ToolfoldMatchers<R = unknown> {
  /** Passes for the result of a failed call, or its error, with this code and a message that has this text. */
  toBeToolError(code?: ErrorCode | (string & {}), message?: string | RegExp): R;
  /** Compares the tools of a registry, a view, a test client or a list with a snapshot, or with the snapshot in a file. */
  toMatchSurface(file?: string): Promise<R>;
}

declare module 'vitest' {
  // oxlint-disable-next-line typescript/no-explicit-any -- The declaration of vitest, which this one extends.
  interface Matchers<T = any> extends ToolfoldMatchers<T> {}
}

interface Outcome {
  readonly pass: boolean;
  readonly message: () => string;
}

function toBeToolError(
  this: MatcherState,
  received: unknown,
  code?: string,
  message?: string | RegExp,
): Outcome {
  const found = readToolError(received);
  const hasText =
    message === undefined ||
    (typeof message === 'string' ? found?.message.includes(message) : message.test(found?.message ?? ''));
  const pass = found !== undefined && (code === undefined || found.code === code) && hasText === true;
  const { printExpected, printReceived } = this.utils;
  return {
    pass,
    message: () => {
      const wanted = [
        ...(code === undefined ? [] : [`code ${printExpected(code)}`]),
        ...(message === undefined ? [] : [`a message with ${printExpected(message)}`]),
      ].join(' and ');
      const what = `a tool error${wanted === '' ? '' : ` with ${wanted}`}`;
      const got =
        found === undefined
          ? 'The call did not fail. Its result'
          : `The call failed with code ${printReceived(found.code)} and message ${printReceived(found.message)}. Its result`;
      return `Expected ${pass ? 'anything but ' : ''}${what}.\n${got}:\n${printReceived(received)}`;
    },
  };
}

interface ListsTools {
  listTools(): Promise<SurfaceSource>;
}

function toMatchSurface(this: MatcherState, received: unknown, file?: string): Outcome | Promise<Outcome> {
  const compare = (source: SurfaceSource): Outcome | Promise<Outcome> => {
    const text = describeSurface(source);
    return file === undefined
      ? Snapshots.toMatchSnapshot.call(this, text)
      : Snapshots.toMatchFileSnapshot.call(this, `${text}\n`, file);
  };
  if (typeof received !== 'object' || received === null)
    throw new TypeError(
      `toMatchSurface needs a registry, a view, a test client or a list of tools, not ${typeof received}.`,
    );
  // A test client asks its server for the list.
  const isClient = 'sdk' in received && 'listTools' in received;
  return isClient
    ? (received as unknown as ListsTools).listTools().then(compare)
    : compare(received as unknown as SurfaceSource);
}

expect.extend({ toBeToolError, toMatchSurface });
