import { UsageError } from '@toolfold/analysis/internal';
import { readPort } from './read-arguments.js';
import type { OptionSpecs, ReadArguments } from './read-arguments.js';

/** Where a file is served. What is `undefined` is decided by the server that the file describes. */
export interface Listening {
  readonly port: number | undefined;
  readonly host: string | undefined;
  readonly isStdio: boolean;
}

/** The options of commands that serve a file. */
export const listenSpecs: OptionSpecs = {
  port: {
    value: 'port',
    help: 'Port to serve HTTP on; 0 for any free port. Default: that of the server, else 3000',
  },
  host: {
    value: 'address',
    help: 'Address to listen on. Default: that of the server, else 127.0.0.1, which only this machine reaches',
  },
  stdio: { help: 'Serve on standard input and output instead of HTTP' },
};

export function readListening({ options }: ReadArguments): Listening {
  const isStdio = options.has('stdio');
  const [port, host] = [options.get('port')?.[0], options.get('host')?.[0]];
  if (isStdio && (port ?? host) !== undefined)
    throw new UsageError(`--${port === undefined ? 'host' : 'port'} has no effect with --stdio.`);
  return { port: readPort('port', port), host, isStdio };
}
