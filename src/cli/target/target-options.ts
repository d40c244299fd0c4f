import { UsageError } from '../terminal/exit-codes.js';
import type { Form, OpenOptions } from './open-target.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';

const DEFAULT_TIMEOUT_S = 60;

/** What every command takes that opens a server. */
export const targetSpecs: OptionSpecs = {
  header: {
    value: 'name:value',
    isRepeatable: true,
    help: 'Sent to a server at an address with every request',
  },
  protocol: {
    value: 'auto|2025|2026',
    help: 'What a server is spoken to in. Default: auto, which finds out',
  },
  timeout: {
    value: 'seconds',
    help: `How long connecting, a list, or a call without a sign of life may take. Default: ${DEFAULT_TIMEOUT_S}`,
  },
};

export function readTargetOptions({ options }: ReadArguments): Pick<OpenOptions, 'protocol' | 'timeoutMs'> {
  const protocol = options.get('protocol')?.[0] ?? 'auto';
  if (protocol !== 'auto' && protocol !== '2025' && protocol !== '2026')
    throw new UsageError(`--protocol must be auto, 2025 or 2026, not "${protocol}".`);
  const text = options.get('timeout')?.[0] ?? String(DEFAULT_TIMEOUT_S);
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  if (!(seconds > 0 && seconds <= 86_400))
    throw new UsageError(`--timeout needs seconds above 0 and at most 86400, not "${text}".`);
  return { protocol, timeoutMs: Math.ceil(seconds * 1_000) };
}

export function readForm(form: string | undefined): Form | undefined {
  if (form === undefined || form === 'grouped' || form === 'flat' || form === 'search') return form;
  throw new UsageError(`--form must be grouped, flat or search, not "${form}".`);
}
