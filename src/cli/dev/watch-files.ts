import { basename, dirname } from 'node:path';
import { watch } from 'chokidar';
import { changeTime } from './bundler.js';

/** Milliseconds without a change after which a reload begins, because editors and version control write several files. */
const SETTLE_MS = 50;
/** Milliseconds until a folder is certainly watched. */
const START_MS = 500;

/** Watches the folders of files, because many editors replace a file instead of writing to it. */
export class FileWatcher {
  /** Resolves when the watcher has started. */
  readonly ready: Promise<void>;
  readonly #watcher;
  readonly #onChange: () => void;
  /** The files, with the times of their last change when they were read. */
  #files: ReadonlyMap<string, number> = new Map();
  /** The folders in which an import could not be found, with the times of their last change. Any new entry counts then. */
  #missing: ReadonlyMap<string, number> = new Map();
  /** The watched folders. They stay watched, because chokidar would no longer report what is below a folder that is removed. */
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

  /** Watches these files from now on, and new files in the folders `missing`. */
  follow(files: ReadonlyMap<string, number>, missing: ReadonlyMap<string, number>): void {
    const folders = new Set([...[...files.keys()].map((file) => dirname(file)), ...missing.keys()]);
    const added = [...folders].filter((folder) => !this.#folders.has(folder));
    if (added.length > 0) this.#watcher.add(added);
    for (const folder of added) this.#folders.add(folder);
    this.#files = files;
    this.#missing = missing;
    this.#findMissedChange();
    clearTimeout(this.#starting);
    if (added.length > 0) this.#starting = setTimeout(() => this.#findMissedChange(), START_MS);
  }

  async close(): Promise<void> {
    clearTimeout(this.#settling);
    clearTimeout(this.#starting);
    await this.#watcher.close();
  }

  /** Finds files and folders that changed after they were read and before they were watched. */
  #findMissedChange(): void {
    const hasChanged = [...this.#files, ...this.#missing].some(([file, time]) => changeTime(file) !== time);
    if (hasChanged) this.#schedule();
  }

  #receive(event: string, path: string): void {
    const isNew = event === 'add' || event === 'addDir';
    // A folder that is created again must be watched again.
    if (event === 'unlinkDir') this.#folders.delete(path);
    if (this.#files.has(path) || (isNew && this.#missing.size > 0)) this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(this.#onChange, SETTLE_MS);
  }
}
