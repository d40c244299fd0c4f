import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

/** Compiles each text as a module, and returns the errors of the compiler with the texts that have them. */
export async function compileTypeScript(texts: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-declarations-'));
  try {
    texts.forEach((text, at) => writeFileSync(join(folder, `${at}.ts`), `${text}\nexport {};\n`));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { strict: true, noEmit: true, target: 'es2022', lib: ['es2022'], types: [] },
      }),
    );
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, [compiler, '-p', folder], { maxBuffer: 2 ** 26 }, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
    const first = /(\d+)\.ts\(/.exec(output)?.[1];
    return first === undefined ? output : `${output.slice(0, 2_000)}\n${texts[Number(first)]}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
