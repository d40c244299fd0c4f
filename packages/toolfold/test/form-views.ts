import { codeForm } from '@toolfold/code';
import type { CodeSettings } from '@toolfold/code';
import type { AnyRegistry, View } from 'toolfold';
import { searchForm } from '@toolfold/search';
import type { SearchSettings } from '@toolfold/search';
import type { Form, FormServer } from 'toolfold/web';
import { createFormView } from '../src/toolsets/forms/form-view.js';
import type { FormViewOptions } from '../src/toolsets/forms/form-view.js';

export interface SearchViewOptions extends FormViewOptions {
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

function show(registry: AnyRegistry, view: View, form: Form, options: FormViewOptions): View {
  const server: FormServer = { registry, onError, closing: new AbortController().signal };
  return createFormView(server, view, form, options) as View;
}
