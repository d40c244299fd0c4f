import { InputRequired } from '../protocol/input-required.js';
import type { RequestContext } from '../define/tool-definition.js';
import { ToolfoldError } from '../errors.js';
import { redactError } from '../guards/redact/redact-outcome.js';
import type { Services } from './services.js';
import { createRequestContext, redactorFor } from './request-context.js';
import type { RequestOptions } from './request.js';

/** Runs a prompt or a resource. What it throws is cleaned and logged like what a call throws. */
export async function runWithContext<T>(
  request: RequestOptions,
  services: Services,
  run: (context: RequestContext) => Promise<T>,
): Promise<T> {
  let app: unknown;
  try {
    app = await services.contextFactory?.(request);
    return await run(createRequestContext(request, app, services));
  } catch (thrown) {
    if (thrown instanceof InputRequired) throw thrown;
    const redactor = redactorFor(request, app);
    services.logger?.warn({ error: redactor.value(thrown) }, 'prompt or resource failed');
    throw thrown instanceof ToolfoldError ? redactError(thrown, redactor) : thrown;
  }
}
