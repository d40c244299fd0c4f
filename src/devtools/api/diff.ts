import { statSync } from 'node:fs';
import { CommandError } from '../../analysis/command-error.js';
import { compareSurfaces } from '../../analysis/diff/compare-surfaces.js';
import { readLockfile } from '../../analysis/diff/lockfile.js';
import { kindsIn, readEntries } from '../../analysis/diff/surface-entries.js';
import { readSurface } from '../../analysis/diff/surface.js';
import type { Surface } from '../../analysis/diff/surface.js';
import { forms } from '../../analysis/target/opened-target.js';
import { openLoaded } from '../../analysis/target/open-loaded.js';
import { loadLinearPatterns } from '../../schema/patterns/patterns.js';
import { ApiFailure } from '../http/answers.js';
import type { DiffReport } from '../page-api.js';
import type { UpstreamList } from '../page-source.js';
import { listWireTool } from '../../analysis/target/list-tools.js';
import type { ListedTarget } from '../../analysis/target/opened-target.js';
import type { Snapshot } from './snapshot.js';
import { isFixed } from './surface.js';

/** Compares the server with its lockfile. A lockfile that has changed is read again. */
export async function diffOf(snapshot: Snapshot, signal: AbortSignal): Promise<DiffReport> {
  const { lockfile, lockCommand: command } = snapshot.source;
  const { mtimeMs, size } = statSync(lockfile, { throwIfNoEntry: false }) ?? {};
  if (mtimeMs === undefined) return { lockfile, command };
  return snapshot.share(`diff ${mtimeMs} ${size}`, signal, async (shared) => {
    await loadLinearPatterns();
    const before = withoutLeftOut(readBefore(lockfile, command), snapshot.source.upstream?.());
    const now = await readNow(snapshot, before);
    return { lockfile, comparison: await compareSurfaces(before, now, { signal: shared }), command };
  });
}

function readBefore(lockfile: string, command: string): Surface {
  try {
    return readLockfile(lockfile);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new ApiFailure(error.message, { status: 422, hint: `Write it again: ${command}` });
  }
}

/** A server as `toolfold diff` reads it: with its own names, which need not be portable. */
function asListed(opened: ListedTarget, upstream: UpstreamList | undefined): ListedTarget {
  if (!upstream) return opened;
  const { kind, tools } = upstream;
  return { ...opened, kind, form: undefined, tools: [...tools.values()].map(listWireTool) };
}

/** Tools that the page cannot show are in the lockfile, but not on the page. That is no change. */
function withoutLeftOut(surface: Surface, upstream: UpstreamList | undefined): Surface {
  if (!upstream) return surface;
  return { ...surface, tools: surface.tools.filter(({ name }) => !upstream.leftOut.has(name)) };
}

/** The server in the form of the lockfile, with the prompts and resources that the lockfile has. */
async function readNow({ loaded, source }: Snapshot, before: Surface): Promise<Surface> {
  const form = forms.find((each) => each === before.form);
  const opened = await openLoaded(source.target, loaded, isFixed(loaded) || !form ? {} : { form });
  try {
    const kinds = kindsIn(before.entries);
    const surface = readSurface(asListed(opened, source.upstream?.()));
    return { ...surface, ...(kinds.length > 0 ? { entries: await readEntries(opened, kinds) } : {}) };
  } finally {
    opened.close();
  }
}
