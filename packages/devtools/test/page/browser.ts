import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { launchChromium } from './chromium.js';

export interface OpenOptions {
  readonly theme?: 'light' | 'dark';
  /** `phone` is 390 by 844 pixels with touch, `desktop` is 1280 by 800. */
  readonly size?: 'desktop' | 'phone' | { readonly width: number; readonly height: number };
  /** Default: true, so that tests do not wait for transitions. */
  readonly reducedMotion?: boolean;
  /** Problems that the test expects, such as the console's message about a request that is refused. */
  readonly expectedProblems?: readonly RegExp[];
}

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

/** The browser of all test files of a worker. It ends with the worker. */
let launched: Promise<Browser> | undefined;
const problemsOf = new WeakMap<BrowserContext, string[]>();

/**
 * Opens an address in a fresh context, which ends with the test. The test fails if the page logs an error, throws, violates its
 * content security policy, or sends a request to another host.
 */
export async function openPage(url: string, options: OpenOptions = {}): Promise<Page> {
  launched ??= launchChromium();
  const browser = await launched;
  const { theme = 'light', size = 'desktop', reducedMotion = true } = options;
  const context = await browser.newContext({
    colorScheme: theme,
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
    viewport: typeof size === 'string' ? sizes[size] : size,
    ...(size === 'phone' ? { hasTouch: true, isMobile: true } : {}),
    permissions: ['clipboard-read', 'clipboard-write'],
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const problems: string[] = [];
  problemsOf.set(context, problems);
  // Not a hook of this module, because files that share the module would run it for the first of them alone.
  onTestFinished(async () => {
    await context.close();
    if (problems.length > 0) throw new Error(`The page had problems:\n${problems.join('\n')}`);
  });
  await watch(context, new URL(url).host, (problem) => {
    if (!options.expectedProblems?.some((expected) => expected.test(problem))) problems.push(problem);
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(url);
  return page;
}

/** The problems of a page so far. They no longer fail the test. */
export function takeProblems(page: Page): string[] {
  return problemsOf.get(page.context())?.splice(0) ?? [];
}

async function watch(context: BrowserContext, host: string, report: (problem: string) => void) {
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      report(`console.${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => report(`uncaught: ${error.error().stack ?? String(error.error())}`));
  context.on('request', (request) => {
    const target = new URL(request.url());
    const isOwn = target.host === host || target.protocol === 'data:' || target.protocol === 'blob:';
    if (!isOwn) report(`request to another host: ${request.url()}`);
  });
  await context.exposeBinding('reportToolfoldViolation', (_source, violation: string) =>
    report(`content security policy: ${violation}`),
  );
  await context.addInitScript(() => {
    const { document, reportToolfoldViolation } = globalThis as unknown as PageGlobals;
    document.addEventListener('securitypolicyviolation', (event) =>
      reportToolfoldViolation(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`),
    );
  });
}

/** The globals of the page that the harness uses. The tests are compiled without the types of browsers. */
interface PageGlobals {
  readonly reportToolfoldViolation: (violation: string) => void;
  readonly document: {
    addEventListener(
      name: 'securitypolicyviolation',
      listener: (event: {
        readonly effectiveDirective: string;
        readonly blockedURI: string;
        readonly sample: string;
      }) => void,
    ): void;
  };
}

const require = createRequire(import.meta.url);

/** Checks the page as it is now with axe. The protocol of the browser evaluates axe, because the page's policy allows no other script. */
export async function expectAccessible(page: Page, { except = [] }: { except?: readonly string[] } = {}) {
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  await evaluate(`${readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')}; undefined`);
  const rules = JSON.stringify(Object.fromEntries(except.map((rule) => [rule, { enabled: false }])));
  const { violations } = (await evaluate(
    `axe.run(document, { resultTypes: ['violations'], rules: ${rules} })`,
  )) as AxeResults;
  await session.detach();
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  );
  if (found.length > 0)
    throw new Error(`axe found ${found.length} violations in ${page.url()}:\n\n${found.join('\n\n')}`);
}

/** Writes a screenshot below `node_modules/.cache/page/`, or to an absolute path, and returns the path. */
export async function screenshot(page: Page, name: string, { fullPage = false } = {}): Promise<string> {
  const path = resolve('node_modules/.cache/page', name.endsWith('.png') ? name : `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, fullPage, animations: 'disabled', caret: 'hide' });
  return path;
}

/** Presses Tab until the element has the focus, and fails if it never gets it. */
export async function tabTo(page: Page, selector: string, limit = 100): Promise<void> {
  for (let presses = 0; presses < limit; presses += 1) {
    await page.keyboard.press('Tab');
    if ((await page.locator(selector).and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error(`${selector} has no focus after ${limit} presses of Tab.`);
}
