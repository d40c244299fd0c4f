import { ToolRegistry } from 'toolfold';
import { serveStdio } from 'toolfold/node';

/** Writes to standard output in every way that reaches the stream. */
function makeNoise(): string {
  // oxlint-disable-next-line no-console
  console.log('from console.log');
  // oxlint-disable-next-line no-console
  console.table([{ a: 'from console.table' }]);
  process.stdout.write('from write\n');
  process.stdout.write(Buffer.from('from a buffer\n'), () => process.stdout.write('from a callback\n'));
  return 'quiet';
}

const registry = new ToolRegistry({ name: 'noisy' }).register(
  { name: 'noise', description: 'Prints', inputSchema: {}, handler: makeNoise },
  {
    name: 'fail',
    description: 'Fails',
    inputSchema: {},
    handler: () => {
      throw new RangeError('too\nfar', { cause: new Error('password=hunter2') });
    },
  },
);

const onError = process.argv.includes('--on-error')
  ? { onError: (error: unknown) => void process.stderr.write(`onError: ${(error as Error).name}\n`) }
  : {};
const { ended } = serveStdio(registry, onError);
// oxlint-disable-next-line no-console
console.log('from the start');
await ended;
// oxlint-disable-next-line no-console
console.log('from the end');
