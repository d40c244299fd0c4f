import { afterAll, describe } from 'vitest';
import { testCalls } from './contract/calls-contract.js';
import { Driver } from './contract/drive-run.js';
import { testLifecycle } from './contract/lifecycle-contract.js';
import { testLimits } from './contract/limits-contract.js';
import type { Sandbox } from './sandbox.js';

/** The tests that every sandbox must pass. */
export function testSandbox(name: string, create: () => Sandbox): void {
  describe(name, () => {
    const driver = new Driver(create());
    afterAll(() => driver.sandbox.close());
    testCalls(driver);
    testLimits(driver);
    testLifecycle(driver);
  });
}
