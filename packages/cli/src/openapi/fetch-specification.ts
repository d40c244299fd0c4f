import { isSecure } from '@toolfold/schema/internal';
import { MAX_SPECIFICATION_BYTES } from '../target/specification.js';
import { CommandError, UsageError } from '@toolfold/analysis/internal';

/** Returns the reason of a failed connection, which fetch puts into `cause`. */
function messageOf(thrown: unknown): string {
  const { cause } = thrown as { cause?: unknown };
  return cause instanceof Error ? cause.message : String(thrown);
}

const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/** Fetches a specification with limits: https or this machine, redirects within the host, and limited size and time. */
export async function fetchSpecification(
  address: string,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly url: URL }> {
  if (!URL.canParse(address)) throw new UsageError(`"${address}" is not a valid URL.`);
  let url = new URL(address);
  if (!isSecure(url))
    throw new UsageError('A specification is fetched from https, or from http on localhost.');
  if (url.username !== '' || url.password !== '')
    throw new UsageError('The URL must not contain credentials.');
  const { host } = url;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  for (let step = 0; step <= MAX_REDIRECTS; step++) {
    const response = await request(url, limited);
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null)
      return { text: await readBody(response), url };
    await response.body?.cancel();
    url = new URL(location, url);
    if (url.host !== host || !isSecure(url))
      throw new CommandError(
        `${host} redirects to ${url.origin}, which is not followed. Pass that address instead.`,
      );
  }
  throw new CommandError(`${host} redirects more than ${MAX_REDIRECTS} times.`);
}

async function request(url: URL, signal: AbortSignal): Promise<Response> {
  try {
    const headers = { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' };
    return await fetch(url, { redirect: 'manual', signal, headers });
  } catch (cause) {
    if (signal.aborted && (signal.reason as { name?: string }).name !== 'TimeoutError') throw cause;
    const reason = signal.aborted ? `did not answer within ${TIMEOUT_MS / 1_000} s` : 'cannot be reached';
    throw new CommandError(`${url.origin} ${reason}: ${messageOf(cause)}`);
  }
}

async function readBody(response: Response): Promise<string> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new CommandError(`${response.url} answered with status ${response.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MAX_SPECIFICATION_BYTES)
      throw new CommandError(
        `The specification is larger than ${MAX_SPECIFICATION_BYTES / 1024 / 1024} MiB.`,
      );
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}
