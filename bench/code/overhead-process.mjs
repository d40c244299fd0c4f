/** Measures runs and calls of code in one process, beside the same calls without code. */
import { gzipSync } from 'node:zlib';
import { createQuickJsSandbox, defaultCodeLimits } from '../../packages/code/dist/index.js';
import { serveHttp } from '../../packages/toolfold/dist/node.js';
import { createRegistry, createRunner, median, time } from './registry.mjs';
import { callTool } from './request.mjs';

const ROUNDS = Number(process.argv[2] ?? 30);
const CALLS = 40;

const { run, registry, exposure } = await createRunner();
const caller = { auth: { clientId: 'bench', scopes: [], extra: { sub: 'bench' } } };
const plain = await exposure.viewFor({ caller });
const address = { address: 'echo', arguments: { n: 1 } };
const direct = async () => {
  const result = await registry.executeTool({ name: 'call_read_tool', arguments: address, caller }, plain);
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
};
const sequential = (/** @type {string} */ tool) =>
  `let last; for (let n = 0; n < ${CALLS}; n++) last = await tools.${tool}({}); last`;
const atOnce = (/** @type {string} */ tool) =>
  `(await Promise.all(Array.from({ length: ${CALLS} }, () => tools.${tool}({})))).length`;

const running = await serveHttp(createRegistry(), { port: 0, requestLimit: false });
const overHttp = () => callTool(running.url, 'echo', { n: 1 });
const asCode = await serveHttp(createRegistry(), { port: 0, requestLimit: false, view: { form: 'code' } });
const runOverHttp = () => callTool(asCode.url, 'run_code', { code: '1' });

for (let warm = 0; warm < 10; warm++) {
  await run(sequential('echo'));
  await run(atOnce('echo'));
  for (let call = 0; call < CALLS; call++) await direct();
  for (let call = 0; call < CALLS; call++) await overHttp();
  await runOverHttp();
}
const repeat = async (/** @type {() => Promise<unknown>} */ call) => {
  for (let done = 0; done < CALLS; done++) await call();
};
const one = await time(ROUNDS, () => run('1'));
const sequentialMs = await time(ROUNDS, () => run(sequential('echo')));
const atOnceMs = await time(ROUNDS, () => run(atOnce('echo')));
const results = {
  run: one,
  runOverHttp: await time(ROUNDS, runOverHttp),
  sequential: sequentialMs,
  atOnce: atOnceMs,
  sequentialOfSlow: await time(Math.ceil(ROUNDS / 5), () => run(sequential('wait'))),
  atOnceOfSlow: await time(Math.ceil(ROUNDS / 5), () => run(atOnce('wait'))),
  callInRun: (sequentialMs - one) / CALLS,
  callInRunAtOnce: (atOnceMs - one) / CALLS,
  callInProcess: (await time(ROUNDS, () => repeat(direct))) / CALLS,
  callOverHttp: (await time(ROUNDS, () => repeat(overHttp))) / CALLS,
  callOverHttpAtOnce:
    (await time(ROUNDS, () => Promise.all(Array.from({ length: CALLS }, overHttp)))) / CALLS,
  ...(await measureSnapshots()),
};
process.send?.(results);
await running.close();
await asCode.close();
await exposure.close();
process.exit();

/** Saves and restores a run that waits for a call and holds a list of 1,000 rows. */
async function measureSnapshots() {
  const sandbox = createQuickJsSandbox();
  const start = { limits: defaultCodeLimits, owner: 'bench', signal: new AbortController().signal };
  const code =
    'const rows = Array.from({ length: 1000 }, (_, id) => ({ id, name: `row ${id}` })); await tools.echo({}); rows.length';
  /** @type {Record<'snapshot' | 'restore' | 'gzip', number[]>} */
  const times = { snapshot: [], restore: [], gzip: [] };
  let [bytes, gzipped] = [0, 0];
  for (let round = 0; round < Math.ceil(ROUNDS / 3); round++) {
    const first = await sandbox.start(code, start);
    await first.advance([]);
    let begin = performance.now();
    const saved = await first.snapshot?.();
    times.snapshot.push(performance.now() - begin);
    first.dispose();
    if (!saved) throw new Error('The sandbox takes no snapshots.');
    bytes = saved.byteLength;
    begin = performance.now();
    gzipped = gzipSync(saved).byteLength;
    times.gzip.push(performance.now() - begin);
    begin = performance.now();
    const second = await sandbox.restore?.(saved, start);
    const step = await second?.advance([{ id: 1, value: '{}' }]);
    times.restore.push(performance.now() - begin);
    second?.dispose();
    const { outcome } = step ?? {};
    if (!outcome || !('value' in outcome) || outcome.value !== '1000')
      throw new Error(`The restored run ended with ${JSON.stringify(outcome)}.`);
  }
  await sandbox.close();
  return {
    snapshot: median(times.snapshot),
    restore: median(times.restore),
    gzip: median(times.gzip),
    snapshotBytes: bytes,
    gzippedBytes: gzipped,
  };
}
