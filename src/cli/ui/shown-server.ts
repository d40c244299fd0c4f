import type { UpstreamList } from '../../devtools/page-source.js';
import type { LoadedModule } from '../../analysis/target/loaded-module.js';
import type { Form, Selection } from '../../analysis/target/opened-target.js';
import type { ProfileName } from '../../profiles/profile.js';
import type { OpenOptions } from '../target/open-options.js';
import type { SpecificationOptions } from '../target/specification.js';

export interface SourceOptions extends Pick<OpenOptions, 'terminal' | 'protocol' | 'timeoutMs' | 'signal'> {
  readonly form: Form | undefined;
  readonly code: Selection['code'];
  readonly profile: ProfileName | 'client' | undefined;
  readonly toolsets: readonly string[] | undefined;
  readonly lockfile: string | undefined;
  readonly isJson: boolean;
  readonly specification: SpecificationOptions;
}

/** A target of `toolfold ui` that is open. */
export interface ShownServer {
  readonly loaded: LoadedModule;
  readonly canCall?: boolean;
  /** Removes the credentials of the command line. */
  readonly redact?: (text: string) => string;
  /** The tools as the server or the saved list has them. Missing for a file. */
  readonly upstream?: () => UpstreamList;
  /** Why the server does not work at the moment. */
  readonly problem?: () => string | undefined;
  /** Calls the listener when `problem` changes. */
  readonly onProblem?: (listener: () => void) => () => void;
  readonly close?: () => Promise<void>;
}
