import { isNotFound, notInstalled } from '@toolfold/schema/internal';
import type * as Sdk from './sdk-parts.js';

type SdkModule = typeof Sdk;

/** Throws at start if the SDK is not installed, because otherwise the first request that needs it would fail. */
export function assertSdk(place: string): void {
  try {
    // Some runtimes cannot resolve a package without loading it. They skip this check.
    if (typeof import.meta.resolve === 'function') import.meta.resolve('@modelcontextprotocol/server');
  } catch (cause) {
    if (isNotFound(cause)) throw notInstalled(place, '@modelcontextprotocol/server', cause);
  }
}

let loaded: SdkModule | undefined;
let loading: Promise<SdkModule> | undefined;

/** Loads the SDK on first use, because loading takes longer than all of Toolfold and most requests do not need it. */
export function loadSdk(): Promise<SdkModule> {
  return (loading ??= import('./sdk-parts.js').then(
    (sdk) => (loaded = sdk),
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  ));
}

export function sdkIfLoaded(): SdkModule | undefined {
  return loaded;
}
