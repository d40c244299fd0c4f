import { readFileSync } from 'node:fs';

/**
 * The 117 tools of GitHub's MCP server, with the JSON Schemas that it lists.
 *
 * @returns {import('../work.mjs').Tool[]}
 */
export const createTools = () => {
  const file = new URL('../../../test/data/github-tools.json', import.meta.url);
  /** @type {{ tools: { name: string, description: string, inputSchema: import('../work.mjs').JsonSchema }[] }} */
  const { tools } = JSON.parse(readFileSync(file, 'utf8'));
  return tools.map(({ name, description, inputSchema }) => ({ name, description, schema: inputSchema }));
};

const input = {
  owner: 'octo-org',
  repo: 'hello-world',
  title: 'Bug',
  body: 'It does not work.',
  method: 'create',
};

/** @type {import('../work.mjs').Sample} */
export const sample = { name: 'issue_write', input, output: input };
