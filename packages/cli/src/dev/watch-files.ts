import { basename, dirname } from 'node:path';
import { watch } from 'chokidar';
import { changeTime } from './bundler.js';
import type { BuildInputs } from './bundler.js';

/** Milliseconds without a change before a reload starts, because editors and version control write several files. */
const SETTLE_MS = 50;
/** Milliseconds after which a folder is reliably watched. */
const START_MS = 500;

/** Watches folders instead of files, because many editors replace a file when saving. */
export class FileWatcher {
  readonly ready: Promise<void>;
  readonly #watcher;
  readonly #onChange: () => void;
  #inputs: BuildInputs = { files: new Map(), missing: new Map() };
  /** The watched folders. They are never unwatched, because chokidar would stop reporting what is below a removed folder. */
  readonly #folders: Set<string>;
  #settling: NodeJS.Timeout | undefined;
  #starting: NodeJS.Timeout | undefined;

  constructor(folder: string, onChange: () => void, onError: (error: unknown) => void) {
    this.#onChange = onChange;
    this.#folders = new Set([folder]);
    this.#watcher = watch(folder, {
      ignoreInitial: true,
      depth: 0,
      ignored: (path) => basename(path) === 'node_modules' || basename(path) === '.git',
    });
    this.#watcher.on('all', (event, path) => this.#receive(event, path));
    this.#watcher.on('error', onError);
    this.ready = new Promise((resolve) => void this.#watcher.once('ready', resolve));
  }

  follow(inputs: BuildInputs): void {
    const { files, missing } = inputs;
    const folders = new Set([...[...files.keys()].map((file) => dirname(file)), ...missing.keys()]);
    const added = [...folders].filter((folder) => !this.#folders.has(folder));
    if (added.length > 0) this.#watcher.add(added);
    for (const folder of added) this.#folders.add(folder);
    this.#inputs = inputs;
    this.#findMissedChange();
    clearTimeout(this.#starting);
    if (added.length > 0) this.#starting = setTimeout(() => this.#findMissedChange(), START_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#settling);
    clearTimeout(this.#starting);
    await this.#watcher.close();
  }

  /** Finds files and folders that changed between being read and being watched. */
  #findMissedChange(): void {
    const { files, missing } = this.#inputs;
    const hasChanged = [...files, ...missing].some(([file, time]) => changeTime(file) !== time);
    if (hasChanged) this.#schedule();
  }

  #receive(event: string, path: string): void {
    const isNew = event === 'add' || event === 'addDir';
    // A recreated folder must be watched again.
    if (event === 'unlinkDir') this.#folders.delete(path);
    const { files, missing } = this.#inputs;
    if (files.has(path) || (isNew && missing.size > 0)) this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(this.#onChange, SETTLE_MS);
  }
}
