// Counts the tokens (o200k) of GitHub's tools in the forms in which a model can read them:
//
//   npm run bench:signatures
//
// `JSON schemas` are the names, descriptions and arguments of `tools/list`. The declarations are those of `describe_tools` in the
// code form, and the signatures those of its search results: at most 200 characters of arguments. `-- --print` prints both.
import { createTokenCounter } from '../packages/testing/src/token-counter.ts';
import { writeSignatureLine } from '../packages/code/src/declarations/signature-line.ts';
import { writeDeclarations } from '../packages/code/src/declarations/write-declarations.ts';
import { toMCPJSON } from 'toolfold/model';
import { runAtOnce } from '../packages/search/src/index/slices.ts';
import { githubTools } from '../test/catalog/github.ts';

const { count } = createTokenCounter();
const tools = githubTools.map(({ name, description, inputSchema, outputSchema }) => ({
  path: `github.${name}`,
  description,
  notes: [],
  inputSchema,
  outputSchema,
}));
const signatures = tools.map(({ path, inputSchema, outputSchema }) =>
  writeSignatureLine(path, inputSchema, outputSchema),
);
const texts = {
  'JSON of tools/list': JSON.stringify(githubTools.map((tool) => toMCPJSON(tool))),
  'JSON schemas': JSON.stringify(
    githubTools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  ),
  'TypeScript declarations': runAtOnce(writeDeclarations(tools)),
  'one-line signatures': signatures.join('\n'),
};
console.log(`${githubTools.length} tools of GitHub, tokens (o200k)`);
for (const [name, text] of Object.entries(texts))
  console.log(`${name.padEnd(26)}${count(text).toLocaleString('en-US').padStart(8)}`);
const [most] = signatures.toSorted((one, other) => count(other) - count(one));
const mean = Math.round(count(texts['one-line signatures']) / signatures.length);
console.log(`A signature has ${mean} tokens on average and at most ${count(most)}.`);
if (process.argv.includes('--print')) console.log(Object.values(texts).slice(2).join('\n\n'));
