import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { proxyCommand } from '../../packages/cli/src/proxy/proxy.js';
import { readArguments } from '../../packages/cli/src/terminal/read-arguments.js';

const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

describe('the container of the gateway', () => {
  it('starts the proxy with options that exist, and copies the files that they name', () => {
    const dockerfile = read('Dockerfile');
    const words = ['ENTRYPOINT', 'CMD'].flatMap(
      (keyword) =>
        JSON.parse(new RegExp(`^${keyword} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '') as string[],
    );
    expect(words.slice(0, 3)).toEqual(['npx', 'toolfold', 'proxy']);
    const { options, positionals } = readArguments(words.slice(3), proxyCommand.specs);
    expect(positionals).toEqual([]);
    const copied = /^COPY (.*) \.\/$/m.exec(dockerfile)?.[1]?.split(' ');
    const files = ['config', 'overrides', 'lock', 'auth-keys'].flatMap((name) => options.get(name) ?? []);
    expect(copied?.toSorted()).toEqual(files.toSorted());
    for (const file of files) expect(() => JSON.parse(read(file)) as unknown).not.toThrow();
  });

  it('gets every variable that the files use from compose', () => {
    const { services } = parse(read('compose.yaml')) as {
      services: { gateway: { environment: Record<string, string> } };
    };
    const used = ['mcp.json', 'keys.json'].flatMap((file) =>
      Array.from(read(file).matchAll(/\$\{([A-Z_]+)(?::-[^}]*)?\}/g), ([, name]) => name),
    );
    expect(Object.keys(services.gateway.environment).toSorted()).toEqual([...new Set(used)].toSorted());
  });
});
