import { codeForm } from '@toolfold/code';
import type { CodeSettings } from '@toolfold/code';
import type { AnyRegistry, View } from 'toolfold';
import { searchForm } from '@toolfold/search';
import type { SearchSettings } from '@toolfold/search';
import type { Form, FormServer, FormTools, FormView } from 'toolfold/web';
import { createFormView } from '../src/toolsets/forms/form-view.js';
import type { Pins } from '../src/toolsets/forms/form-view.js';

type ShownView = Partial<Omit<FormView, 'view'>>;

export interface SearchViewOptions extends Pins, ShownView {
  readonly settings?: SearchSettings;
}

export interface CodeViewOptions extends SearchViewOptions {
  readonly code?: CodeSettings;
}

/** A view in the search form. */
export function createSearchView(
  registry: AnyRegistry,
  view: View,
  { settings, ...options }: SearchViewOptions = {},
): View {
  return show(registry, view, searchForm(settings), options);
}

/** A view in the code form. */
export function createCodeView(
  registry: AnyRegistry,
  view: View,
  { code, settings, ...options }: CodeViewOptions = {},
): View {
  return show(registry, view, codeForm(code, settings), options);
}

const onError = (error: unknown): never => {
  throw error;
};

function show(registry: AnyRegistry, given: View, form: Form, options: Pins & ShownView): View {
  const server: FormServer = { registry, onError, closing: new AbortController().signal };
  const view = given.authored ?? given;
  const { toolsets = [], isWhole = false, isComplete = false } = options;
  const wider = options.wider?.authored ?? options.wider ?? view;
  const tools = form.createTools?.({ view, wider, toolsets, isWhole, isComplete }, server);
  return createFormView(server, view, form, tools as FormTools, options);
}
