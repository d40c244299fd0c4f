import { success } from 'toolfold';
import type { ToolRegistry } from 'toolfold';

/** Blue, 4 by 4 pixels. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR4nGNgaPgPRwzEcQB1cg/xVW8+5AAAAABJRU5ErkJggg==';

/** Half a second of a tone of 440 Hz. */
function createTone(): string {
  const rate = 8_000;
  const samples = rate / 2;
  const wav = Buffer.alloc(44 + samples);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples, 40);
  for (let at = 0; at < samples; at++)
    wav[44 + at] = 128 + Math.round(60 * Math.sin((2 * Math.PI * 440 * at) / rate));
  return wav.toString('base64');
}

const none = { readOnly: true, inputSchema: {} } as const;

/** Tools that return each kind of content, and that fail in each way. */
export function addContentTools(registry: ToolRegistry): void {
  registry.register(
    {
      ...none,
      name: 'show_image',
      description: 'Returns an image',
      handler: () => ({ type: 'image', data: PNG, mimeType: 'image/png' }),
    },
    {
      ...none,
      name: 'play_tone',
      description: 'Returns a sound',
      handler: () => ({ type: 'audio', data: createTone(), mimeType: 'audio/wav' }),
    },
    {
      ...none,
      name: 'get_manual',
      description: 'Returns a text as an embedded resource, and a link to another',
      handler: () => [
        { type: 'resource', resource: { uri: 'demo://manual', mimeType: 'text/markdown', text: '# Manual' } },
        { type: 'resource_link', uri: 'demo://prices', name: 'prices', mimeType: 'text/csv' },
      ],
    },
    {
      ...none,
      name: 'price_table',
      description: 'Returns rows of equal shape',
      handler: () =>
        Array.from({ length: 50 }, (_, at) => ({
          article: `A-${100 + at}`,
          name: ['Anvil', 'Rope', 'Lamp', 'Chair'][at % 4],
          price: Math.round(at * 317) / 100,
          inStock: at % 3 !== 0,
        })),
    },
    {
      ...none,
      name: 'deep_json',
      description: 'Returns nested data',
      handler: () => ({
        shop: { name: 'Demo', open: { mon: ['9:00', '18:00'], sun: null }, tags: ['a', 'b'] },
        counts: { orders: 3, rate: 0.25, isOpen: true },
        text: 'A longer text.\nIt has two lines.',
      }),
    },
    {
      ...none,
      name: 'hostile_text',
      description: 'Returns text that would do harm if it were read as markup',
      handler: () =>
        success(
          '<img src=x onerror="document.title=\'pwned\'"> <script>alert(1)</script> javascript:alert(1) ' +
            'user\u202Etxt.exe\u202C zero\u200Bwidth https://example.com/ & <b>bold</b>',
        ),
    },
    {
      ...none,
      name: 'fail_with_error',
      description: 'Answers with an error that it explains',
      handler: () => ({
        isError: true,
        content: [{ type: 'text', text: 'The warehouse is closed. Try again on Monday.' }],
      }),
    },
    {
      ...none,
      name: 'throw_error',
      description: 'Throws an unexpected error',
      handler: () => {
        throw new Error('Cannot read properties of undefined (reading "price")');
      },
    },
    {
      ...none,
      name: 'long_text',
      description: 'Returns a text of many lines',
      handler: () =>
        Array.from({ length: 500 }, (_, at) => `Line ${at + 1}: ${'word '.repeat(20)}`).join('\n'),
    },
  );
}
