import type { AuthInfo as SdkAuthInfo } from '@modelcontextprotocol/server';
import { expectTypeOf, it } from 'vitest';
import type { AuthInfo } from 'toolfold/web';

it('AuthInfo has the fields of the type of the SDK, so that either can be passed', () => {
  expectTypeOf<AuthInfo>().toEqualTypeOf<SdkAuthInfo>();
});
