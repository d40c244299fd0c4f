/** Collects a server's answers to given requests, through a client of either SDK, for comparison with other servers. */

/** The methods that the clients of both SDKs share. */
export interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  readResource(request: { uri: string }): Promise<object>;
  close(): Promise<void>;
}

export type Answers = Readonly<Record<string, unknown>>;

export async function ask(
  client: AnyClient,
  calls: Readonly<Record<string, { name: string; arguments: Record<string, unknown> }>>,
  uri?: string,
): Promise<Answers> {
  const answers: Record<string, unknown> = { tools: comparable((await client.listTools()).tools) };
  for (const [what, call] of Object.entries(calls)) {
    answers[what] = await client.callTool(call).then(comparable, (error: Error) => error.message);
  }
  if (uri !== undefined) answers['resource'] = comparable(await client.readResource({ uri }));
  await client.close();
  return answers;
}

/** Removes differences without meaning: schema dialects, closed objects, metadata, hints that equal MCP's defaults. */
function comparable(value: unknown): unknown {
  const dropped = new Set(['$schema', 'additionalProperties', '_meta', 'execution']);
  const plain = JSON.stringify(value, (key, each: unknown) => {
    if (key === 'annotations') return { readOnlyHint: false, ...withoutImplied(each as Hints) };
    return dropped.has(key) ? undefined : each;
  });
  return JSON.parse(plain) as unknown;
}

type Hints = { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };

/** Drops `destructiveHint` from tools that only read, because it has no meaning there. */
function withoutImplied({ destructiveHint, ...hints }: Hints): Hints {
  return hints.readOnlyHint || destructiveHint === undefined ? hints : { ...hints, destructiveHint };
}

/** The text of an answer for display. */
export function textOf(answer: unknown): string {
  if (typeof answer === 'string') return `JSON-RPC error: ${answer}`;
  const { content = [], isError } = answer as { content?: { text?: string }[]; isError?: boolean };
  return `${isError ? 'isError: ' : ''}${content[0]?.text ?? ''}`.replaceAll(/\s+/g, ' ');
}
