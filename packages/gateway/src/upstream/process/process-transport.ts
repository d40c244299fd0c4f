import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/client';
import type { StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import type { ClientSdk } from '../load-client-sdk.js';
import type { ConnectionSettings } from '../options.js';
import { readMessages } from '../untrusted-messages.js';
import { forgetGroup, groupOptions, signalGroup, watchGroup } from './process-groups.js';

/** A server has this long to exit after its input has ended, and again after SIGTERM. */
const PATIENCE_MS = 1_000;
const POLL_MS = 10;

interface ProcessParameters extends StdioServerParameters {
  readonly settings: ConnectionSettings;
}

/** Members of the official transport that the class below uses, or that the official client looks for. */
interface OfficialTransport extends Transport {
  readonly stderr: Readable | null;
  _process: ChildProcess | undefined;
}

type OfficialClass = new (parameters: ProcessParameters) => OfficialTransport;

const classes = new WeakMap<object, OfficialClass>();

/**
 * Returns the transport class of commands. It starts a command in a process group, ends the whole group, and reads messages within the
 * budget of the server. To probe the protocol, the official client creates another transport from the parameters of the first one.
 */
export function processTransport(sdk: ClientSdk): OfficialClass {
  let known = classes.get(sdk.StdioClientTransport);
  if (!known) classes.set(sdk.StdioClientTransport, (known = createClass(sdk)));
  return known;
}

function createClass({ StdioClientTransport, getDefaultEnvironment, parseJSONRPCMessage }: ClientSdk) {
  const Official = StdioClientTransport as unknown as OfficialClass;
  return class ProcessTransport extends Official {
    readonly #parameters: ProcessParameters;
    #child: ChildProcess | undefined;
    #closed: Promise<void> | undefined;
    #ended: Promise<void> | undefined;
    #hasAnswered = false;

    constructor(parameters: ProcessParameters) {
      super(parameters);
      this.#parameters = parameters;
    }

    override async start(): Promise<void> {
      if (process.platform === 'win32') {
        // The official client knows how to start scripts such as npx.cmd.
        await super.start();
        this.#child = this._process;
      } else this.#child = this._process = await this.#spawn();
      if (this.#child) this.#follow(this.#child);
    }

    #spawn(): Promise<ChildProcess> {
      const { command, args = [], env, cwd, stderr = 'inherit' } = this.#parameters;
      const child = spawn(command, args, {
        ...groupOptions,
        cwd,
        env: { ...getDefaultEnvironment(), ...env },
        stdio: ['pipe', 'pipe', stderr],
      });
      const onError = (error: Error): void => this.onerror?.(error);
      child.stdin?.on('error', onError);
      if (this.stderr) child.stderr?.pipe(this.stderr as never);
      return new Promise((resolve, reject) => {
        child.once('spawn', () => resolve(child));
        child.on('error', (error) => {
          reject(error);
          onError(error);
        });
      });
    }

    #follow(child: ChildProcess): void {
      watchGroup(child);
      const output = child.stdout as Readable;
      // On Windows, the official client has started the process and already reads its output.
      output.removeAllListeners('data');
      const reading = readMessages(output, this.#parameters.settings, (message) => {
        this.#hasAnswered = true;
        try {
          this.onmessage?.(parseJSONRPCMessage(message));
        } catch (error) {
          this.onerror?.(error as Error);
        }
      }).catch((error: Error) => {
        // `close` ends the output early, which is no error.
        if (this.#ended) return;
        this.onerror?.(error);
        void this.close();
      });
      child.once('exit', () => void endGroup(child));
      child.removeAllListeners('close');
      this.#closed = new Promise((resolve) => child.once('close', () => resolve()));
      void Promise.all([this.#closed, reading]).then(() => {
        this._process = undefined;
        this.onclose?.();
      });
    }

    override close(): Promise<void> {
      return (this.#ended ??= this.#end(this.#hasAnswered));
    }

    /** Ends a process that has only probed the protocol. The official client looks for this method in the class itself. */
    _dispose(): Promise<void> {
      return (this.#ended ??= this.#end(false));
    }

    /** A patient end lets a busy server exit by itself after its input has ended. */
    async #end(isPatient: boolean): Promise<void> {
      const child = this.#child;
      this._process = undefined;
      if (!child) return;
      child.stdin?.end();
      if (isPatient) await Promise.race([this.#closed, sleep(PATIENCE_MS)]);
      await endGroup(child);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    }
  };
}

const ending = new WeakMap<ChildProcess, Promise<void>>();

/** Ends a process and those that it has started: with SIGTERM, and soon with SIGKILL. */
function endGroup(child: ChildProcess): Promise<void> {
  let end = ending.get(child);
  if (!end) ending.set(child, (end = endGroupNow(child)));
  return end;
}

async function endGroupNow(child: ChildProcess): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  // A group can outlive its leader.
  for (let isRunning = signalGroup(child, 'SIGTERM'); isRunning; isRunning = signalGroup(child, 0)) {
    if (performance.now() > deadline + PATIENCE_MS) break;
    if (performance.now() > deadline) signalGroup(child, 'SIGKILL');
    await sleep(POLL_MS);
  }
  forgetGroup(child);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
