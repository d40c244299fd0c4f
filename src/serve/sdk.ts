import type * as Sdk from '@modelcontextprotocol/server';

import { ErrInvalidOptions } from '../errors.js';

type SdkModule = typeof Sdk;

/** Throws where the SDK is not installed: that is no time to find out when the first request needs it. */
export function assertSdk(place: string): void {
  try {
    // Only where the runtime can tell without loading it.
    if (typeof import.meta.resolve === 'function') import.meta.resolve('@modelcontextprotocol/server');
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') return;
    throw new ErrInvalidOptions(`${place} needs the package @modelcontextprotocol/server.`, {
      hint: 'Install it: npm install @modelcontextprotocol/server',
      cause,
    });
  }
}

let loaded: SdkModule | undefined;
let loading: Promise<SdkModule> | undefined;

/** The SDK takes longer to load than everything else together, and most requests are answered without it. */
export function loadSdk(): Promise<SdkModule> {
  return (loading ??= import('@modelcontextprotocol/server').then(
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
