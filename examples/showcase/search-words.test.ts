/** The search file has keywords for all actions, and no others. */
import { Exposure } from 'toolfold/web';
import { expect, it } from 'vitest';
import { createFinance } from './finance.js';
import { createServer, loadSearchWords } from './server.js';

it('has keywords for exactly the actions of the server', async () => {
  const { registry, http } = createServer(createFinance({} as never));
  const { toolsets } = http;
  const served = await new Exposure(registry, { toolsets }).viewFor({});
  const addresses = [...served.tools.values()].flatMap(({ actions }) =>
    [...actions.values()].map(({ address }) => address),
  );
  const { tools } = loadSearchWords();
  expect(Object.keys(tools).toSorted()).toEqual(addresses.toSorted());
  for (const { keywords = [] } of Object.values(tools)) {
    expect(keywords.length).toBeGreaterThanOrEqual(10);
    expect(keywords.length).toBeLessThanOrEqual(14);
  }
});
