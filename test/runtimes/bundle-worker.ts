import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

interface Bundle {
  readonly code: string;
  readonly gzippedBytes: number;
  /** The modules that the bundle imports. */
  readonly imports: readonly string[];
  /** The files of which the bundle contains something. */
  readonly inputs: readonly string[];
}

/** Bundles a worker with the settings of Cloudflare's `wrangler`. Throws if a module is missing. `external` stays out of the bundle. */
export async function bundleWorker(entry: string, external: readonly string[] = []): Promise<Bundle> {
  const { outputFiles, metafile, warnings } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: [...external],
    logLevel: 'silent',
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'));
  const code = outputFiles[0]?.text ?? '';
  const [output] = Object.values(metafile.outputs);
  return {
    code,
    gzippedBytes: gzipSync(code).length,
    imports: (output?.imports ?? []).filter((found) => found.external).map(({ path }) => path),
    inputs: Object.entries(output?.inputs ?? {})
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  };
}
