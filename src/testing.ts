/** `toolfold/testing`: a client, a clock and a description of the surface for the tests of a server. */
export { createClock } from './testing/clock.js';
export type { TestClock } from './testing/clock.js';
export { createTestClient } from './testing/create-test-client.js';
export type { AskedQuestion, ElicitAnswer, SampleAnswer, TestAnswers } from './testing/answers.js';
export type { TestClientOptions } from './testing/options.js';
export type {
  StartedCall,
  StartedTask,
  TestCallArguments,
  TestCallName,
  TestCallOptions,
  TestClient,
  TestLog,
  TestResult,
} from './testing/typed-client.js';
export type { TestProgress } from './testing/test-call.js';
export type { TaskState } from './testing/test-task.js';
export { describeSurface } from './testing/surface.js';
export type { SurfaceSource } from './testing/surface.js';
