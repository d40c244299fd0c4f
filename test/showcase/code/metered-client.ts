import { performance } from 'node:perf_hooks';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Json } from './code-task.js';

export type Era = '2026-07-28' | '2025-11-25';

/** The tokens that a model reads and writes, in o200k_base. */
export interface Cost {
  /** Instructions and tool list once, and the text of every answer. */
  read: number;
  /** Names and arguments of calls, programs included. */
  written: number;
  /** The context of each message of the model, summed up: what a host without a prompt cache sends. Includes the message with the answer. */
  sent: number;
  /** Messages of the model with calls. Calls that do not depend on each other share a message. */
  roundTrips: number;
  /** Tool calls in these messages. */
  calls: number;
  /** Time from the first call to the last answer, without any time of a model. */
  ms: number;
}

export interface ToolAnswer {
  readonly text: string;
  readonly structured: unknown;
}

/** A real client that counts the tokens and round trips of a model behind it. */
export interface MeteredClient {
  readonly cost: Cost;
  /** Everything that the model has read. */
  readonly seen: () => string;
  /** The questions that the person behind the client has answered. */
  readonly questions: readonly string[];
  /** One round trip with one or more calls. Throws if one of them fails. */
  send(calls: readonly { readonly name: string; readonly args: Json }[]): Promise<ToolAnswer[]>;
  close(): Promise<void>;
}

interface Result {
  readonly content: { readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}
interface Connection {
  listTools(): Promise<{ tools: { name: string; description?: string; inputSchema: object }[] }>;
  getInstructions(): string | undefined;
  callTool(params: { name: string; arguments: Json }): Promise<unknown>;
  close(): Promise<void>;
}

const INFO = { name: 'tasks', version: '1.0.0' };
const OPTIONS = { capabilities: { elicitation: { form: {} } } };

/** Connects, and reads instructions and tool list as a host does before the first message of a model. */
export async function openMeteredClient(url: string, era: Era): Promise<MeteredClient> {
  const questions: string[] = [];
  const agree = async ({ params }: { params: unknown }) => {
    const { message, requestedSchema } = params as { message: string; requestedSchema?: Json };
    questions.push(message);
    return { action: 'accept' as const, content: acceptAll(requestedSchema) };
  };
  const connection = await (era === '2026-07-28' ? connectModern : connectFirst)(url, agree);
  const cost: Cost = { read: 0, written: 0, sent: 0, roundTrips: 0, calls: 0, ms: 0 };
  let seen = '';
  const read = (text: string): void => {
    cost.read += countTokens(text);
    seen += `${text}\n`;
  };
  // Hosts pass only these fields of a tool to a model.
  const { tools } = await connection.listTools();
  read(
    JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
  );
  read(connection.getInstructions() ?? '');
  cost.sent = cost.read;
  return {
    cost,
    seen: () => seen,
    questions,
    send: async (calls) => {
      cost.roundTrips += 1;
      cost.calls += calls.length;
      for (const { name, args } of calls)
        cost.written += countTokens(JSON.stringify({ name, arguments: args }));
      const begin = performance.now();
      const results = await Promise.all(
        calls.map(({ name, args }) => connection.callTool({ name, arguments: args })),
      );
      cost.ms += performance.now() - begin;
      const answers = results.map((result, index) => {
        const { content, structuredContent, isError } = result as Result;
        const text = content.map((block) => block.text ?? '').join('\n');
        read(text);
        if (isError === true) throw new Error(`${JSON.stringify(calls[index])}: ${text}`);
        return { text, structured: structuredContent };
      });
      cost.sent += cost.read + cost.written;
      return answers;
    },
    close: () => connection.close(),
  };
}

type Agree = (request: { params: unknown }) => Promise<{ action: 'accept'; content: Json }>;

async function connectModern(url: string, agree: Agree): Promise<Connection> {
  const client = new Client(INFO, { ...OPTIONS, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  client.setRequestHandler('elicitation/create', agree as never);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client as unknown as Connection;
}

/** SDK v1, in a 2025 session. */
async function connectFirst(url: string, agree: Agree): Promise<Connection> {
  const client = new FirstClient(INFO, OPTIONS);
  client.setRequestHandler(ElicitRequestSchema, agree as never);
  const transport = new FirstTransport(new URL(url));
  // The SDK's own types do not agree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<FirstClient['connect']>[0]);
  return {
    listTools: () => client.listTools() as never,
    getInstructions: () => client.getInstructions(),
    callTool: (params) => client.callTool(params),
    close: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

/** Answers every question of a form with yes. */
function acceptAll(schema: Json = {}): Json {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return Object.fromEntries(
    fields.map(([name, { type, enum: choices }]) => [
      name,
      type === 'boolean' ? true : Array.isArray(choices) ? choices[0] : 'yes',
    ]),
  );
}
