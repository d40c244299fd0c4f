import { afterAll, describe } from 'vitest';
import { testCalls } from './calls-contract.js';
import { Driver } from '../drive-run.js';
import { testLanguage } from './language-contract.js';
import { testLifecycle } from './lifecycle-contract.js';
import { testLimits } from './limits-contract.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';

/** Defines the tests that every sandbox must pass. */
export function testSandbox(name: string, create: () => Sandbox): void {
  describe(name, () => {
    const driver = new Driver(create());
    afterAll(() => driver.sandbox.close());
    testCalls(driver);
    testLanguage(driver);
    testLimits(driver);
    testLifecycle(driver);
  });
}
