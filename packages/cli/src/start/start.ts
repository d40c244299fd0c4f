import { exitCodes } from '@toolfold/analysis/internal';
import { serveHttp, serveStdio } from 'toolfold/node';
import { loadModule } from '../target/load-module.js';
import { assertInstalled } from '../target/open-server.js';
import { readOnlyFile } from '../target/read-target.js';
import type { Command } from '../terminal/command.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { listenSpecs, readListening } from '../terminal/read-listening.js';
import { untilSignal, withSignals } from '../terminal/terminal.js';
import type { Terminal } from '../terminal/terminal.js';

export const startCommand: Command = {
  summary: 'Serve a file in production',
  about: `Serve a file in production, over HTTP or on standard input and output.

Usage:
  toolfold start [options] <file>

The file exports a server or a registry, as for toolfold inspect. It is loaded once. Errors of your code go to onError of the
server, else to standard error.`,
  specs: { ...listenSpecs, json: { help: 'Print the address, or the error, as one line of JSON' } },
  examples: [
    'toolfold start dist/server.js',
    'toolfold start dist/server.js --host 0.0.0.0 --port 8080',
    'toolfold start src/server.ts --stdio',
  ],
  exits: {
    0: 'the server was stopped, or the client has disconnected',
    1: 'nothing can be served',
    130: 'Ctrl-C before the server serves',
  },
  run: start,
};

async function start(read: ReadArguments, terminal: Terminal): Promise<number> {
  const file = readOnlyFile(read, 'start');
  const { port, host, isStdio } = readListening(read);
  const isJson = read.options.has('json');
  assertInstalled('toolfold start needs', '@modelcontextprotocol/server');
  process.setSourceMapsEnabled(true);
  const { registry, server, release } = await withSignals(terminal.host, (signal) =>
    loadModule(file, { terminal, signal }),
  );
  release();
  if (isStdio) {
    terminal.releaseStdout();
    const running = serveStdio(registry, { ...server?.stdio, closeOnSignals: false });
    await untilSignal(terminal.host, running.ended);
    await running.close();
    return exitCodes.done;
  }
  const running = await serveHttp(registry, {
    ...server?.http,
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    closeOnSignals: false,
  });
  if (isJson) terminal.printJson({ url: running.url }, 0);
  else terminal.print(`Serving ${file} at ${running.url}`);
  await untilSignal(terminal.host);
  await running.close();
  return exitCodes.done;
}
