import { sample, unmeasured } from '../compare.mjs';
import { ahead, cpuRatios, latencies, measuredFigure, rates } from '../lines.mjs';
import { startShop } from '../shop-services.mjs';
import { startServer } from '../start-server.mjs';
import { loadUsers } from '../virtual-users.mjs';

const kinds = { Toolfold: 'toolfold', SDK: 'sdk', tmcp: 'tmcp', fastmcp: 'fastmcp' };

/**
 * The workload of a public comparison of MCP servers; see bench/README.md. Each server runs in a process of its own in each round, in
 * rotating order, with data that is reset before.
 *
 * @param {{ effort: import('../compare.mjs').Effort }} options
 */
export async function run({ effort: { spawns, rounds, sampleMs, warmMs } }) {
  const names = /** @type {(keyof typeof kinds)[]} */ (Object.keys(kinds));
  const measured = unmeasured(names);
  const shop = await startShop();
  try {
    for (let spawn = 0; spawn < spawns; spawn++)
      for (let index = 0; index < names.length; index++) {
        const name = names[(index + spawn) % names.length];
        if (name === undefined) continue;
        await shop.seed();
        const server = await startServer(kinds[name], 'shop');
        try {
          await loadUsers(server.port, warmMs);
          for (let round = 0; round < rounds; round++)
            await sample(server, () => loadUsers(server.port, 2 * sampleMs), measured[name]);
        } finally {
          await server.stop();
        }
      }
  } finally {
    shop.stop();
  }
  const { Toolfold, SDK, tmcp, fastmcp } = measured;
  return [
    ahead('Toolfold / SDK', Toolfold, SDK, 1),
    ahead('Toolfold / tmcp', Toolfold, tmcp, 1),
    ahead('Toolfold / fastmcp', Toolfold, fastmcp, 1),
    ...cpuRatios({ SDK, tmcp, fastmcp }, Toolfold),
    ...rates(measured),
    ...latencies(measured),
    ...names.flatMap((name) => [
      measuredFigure(`${name}, RSS under load`, measured[name].rss, 'MB'),
      measuredFigure(
        `load of the client, ${name}`,
        measured[name].asker.map((share) => share * 100),
        '%',
      ),
    ]),
  ];
}
