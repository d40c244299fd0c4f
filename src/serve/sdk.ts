import type * as Sdk from '@modelcontextprotocol/server';

type SdkModule = typeof Sdk;

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
