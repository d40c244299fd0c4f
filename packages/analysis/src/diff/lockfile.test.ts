import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isLockfile, readLockfile, saveLockfile, writeLockfile } from './lockfile.js';
import type { Surface } from './surface.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'toolfold-lock-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const surface: Surface = {
  source: 'registry',
  server: 'notes',
  form: 'grouped',
  tools: [
    {
      name: 'notes',
      description: 'Notes',
      discriminator: 'action',
      actions: [
        {
          name: 'add',
          scopes: ['notes:write'],
          inputSchema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
        },
        { name: 'list', aliases: ['all'], annotations: { readOnly: true }, inputSchema: { type: 'object' } },
      ],
    },
    {
      name: 'ping',
      taskSupport: 'optional',
      _meta: { 'acme/x': 1 },
      inputSchema: JSON.parse('{"properties":{"__proto__":{"type":"string"}},"type":"object"}') as {
        type: 'object';
      },
    },
  ],
};

describe('a lockfile', () => {
  it('has the same text for surfaces that differ in the order of keys only', () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .toReversed()
                .map(([key, each]) => [key, reversed(each)]),
            )
          : value;
    expect(writeLockfile(reversed(surface) as Surface)).toBe(writeLockfile(surface));
    expect(
      writeLockfile({
        ...surface,
        tools: surface.tools.map((tool) => ({
          ...tool,
          ...(tool.actions ? { actions: tool.actions.toReversed() } : {}),
        })),
      }),
    ).toBe(writeLockfile(surface));
  });

  it('is read back as the surface that was written', () => {
    const file = join(folder(), 'a.json');
    saveLockfile(file, writeLockfile(surface));
    expect(readLockfile(file)).toEqual(surface);
    expect(writeLockfile(readLockfile(file))).toBe(readFileSync(file, 'utf8'));
  });

  it('has one line for each name, text, keyword and value, and ends with a line break', () => {
    const lines = writeLockfile(surface).split('\n');
    expect(lines.at(-1)).toBe('');
    expect(lines).toContain('          "name": "add",');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(80);
  });

  it('replaces a lockfile but no other file', () => {
    const path = folder();
    const file = join(path, 'toolfold.lock.json');
    saveLockfile(file, writeLockfile({ ...surface, tools: [] }));
    saveLockfile(file, writeLockfile(surface));
    expect(readLockfile(file).tools).toHaveLength(2);
    const other = join(path, 'package.json');
    writeFileSync(other, '{"name":"x"}');
    expect(() => saveLockfile(other, writeLockfile(surface))).toThrow(
      'is not a lockfile, so it is not replaced',
    );
    expect(readFileSync(other, 'utf8')).toBe('{"name":"x"}');
    expect(readdirSync(path)).toEqual(['package.json', 'toolfold.lock.json']);
  });

  it('is not written through a symbolic link, nor to a folder', () => {
    const path = folder();
    const target = join(path, 'target.json');
    saveLockfile(target, writeLockfile(surface));
    const link = join(path, 'link.json');
    symlinkSync(target, link);
    expect(() => saveLockfile(link, writeLockfile({ ...surface, tools: [] }))).toThrow('not a regular file');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readLockfile(target).tools).toHaveLength(2);
    symlinkSync(join(path, 'missing'), join(path, 'dangling'));
    expect(() => saveLockfile(join(path, 'dangling'), '')).toThrow('not a regular file');
    expect(() => saveLockfile(path, '')).toThrow('not a regular file');
    expect(() => saveLockfile(join(path, 'none/a.json'), '')).toThrow('cannot be written');
  });

  it.each([
    ['{', 'is not valid JSON'],
    ['<<<<<<< HEAD\n{}', 'conflict markers'],
    ['[]', 'is not a lockfile'],
    ['{"tools":[]}', 'is not a lockfile'],
    ['{"toolfoldLock":2,"tools":[]}', 'has version 2'],
    ['{"toolfoldLock":1,"source":"registry"}', 'tools is not a list'],
    ['{"toolfoldLock":1,"source":"x","tools":[]}', 'source is none of'],
    ['{"toolfoldLock":1,"source":"list","tools":[{}]}', 'tools[0] has no name'],
    ['{"toolfoldLock":1,"source":"list","tools":[{"name":"a","scopes":1}]}', 'tools[0].scopes is not a list'],
    [
      '{"toolfoldLock":1,"source":"list","tools":[{"name":"a","inputSchema":1}]}',
      'inputSchema is not an object',
    ],
    [
      '{"toolfoldLock":1,"source":"list","tools":[{"name":"a","actions":1}]}',
      'has actions that are not a list',
    ],
    [
      `{"toolfoldLock":1,"source":"list","tools":[{"name":"a","inputSchema":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}]}`,
      'nested too deep',
    ],
  ])('that is damaged is reported: %.60s', (text, message) => {
    const file = join(folder(), 'a.json');
    writeFileSync(file, text);
    expect(() => readLockfile(file)).toThrow(message);
  });

  it('that does not exist is reported with the command that writes it', () => {
    expect(() => readLockfile(join(folder(), 'a.json'))).toThrow('Write it with toolfold lock');
    expect(isLockfile(join(folder(), 'a.json'))).toBe(false);
  });
});
