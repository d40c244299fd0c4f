import { statSync } from 'node:fs';
import {
  CommandError,
  compareSurfaces,
  forms,
  kindsIn,
  listWireTool,
  openLoaded,
  readEntries,
  readLockfile,
  readSurface,
} from '@toolfold/analysis/internal';
import type { ListedTarget, Surface } from '@toolfold/analysis/internal';
import { loadLinearPatterns } from '@toolfold/schema/internal';
import { ApiFailure } from '../http/answers.js';
import type { DiffReport } from '../page-api.js';
import type { UpstreamList } from '../page-source.js';
import type { Snapshot } from './snapshot.js';
import { isFixed } from './surface.js';

/** Compares the server with its lockfile, and reads the lockfile again if it has changed. */
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

/** Restores the names that another server gives its tools, because `toolfold diff` compares those. They need not be portable. */
function asListed(opened: ListedTarget, upstream: UpstreamList | undefined): ListedTarget {
  if (!upstream) return opened;
  const { kind, tools } = upstream;
  return { ...opened, kind, form: undefined, tools: [...tools.values()].map(listWireTool) };
}

/** Removes tools that the page cannot show from the lockfile's surface, because they would count as removed. */
function withoutLeftOut(surface: Surface, upstream: UpstreamList | undefined): Surface {
  if (!upstream) return surface;
  return { ...surface, tools: surface.tools.filter(({ name }) => !upstream.leftOut.has(name)) };
}

/** Reads the current surface, with prompts and resources if the lockfile has them. */
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
