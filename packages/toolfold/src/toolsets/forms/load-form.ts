import { ErrInvalidOptions } from '@toolfold/schema/errors';
import type { Form } from './form.js';

/** The settings of the forms that other packages define, by name. These packages declare their types here. */
export interface FormSettings {}

/** The settings of a form; any object while its package is not part of the program. */
type SettingsOf<Name extends string> =
  FormSettings extends Readonly<Record<Name, infer Settings>> ? Settings : object;

/** The settings of a view for the forms that other packages define. */
export interface NamedFormSettings {
  /** Settings for how the search and the code form find tools. */
  readonly search?: SettingsOf<'search'> | undefined;
  /** The calls that code may make in the code form, its limits, and the sandbox that runs it. */
  readonly code?: SettingsOf<'code'> | undefined;
}

/** A form that another package defines, which is loaded when a server first offers it. */
export type NamedForm = 'search' | 'code';

type CreateForm = (settings: NamedFormSettings) => Form;
interface FormPackages {
  readonly searchForm: (search?: object) => Form;
  readonly codeForm: (code?: object, search?: object) => Form;
}

export async function loadForm(name: NamedForm): Promise<CreateForm> {
  // Bundlers let imports fail that are in a `try`, so that the packages need not be installed.
  try {
    if (name === 'search') {
      const { searchForm } = (await import('@toolfold/search' as string)) as FormPackages;
      return ({ search }) => searchForm(search);
    }
    const { codeForm } = (await import('@toolfold/code' as string)) as FormPackages;
    return ({ code, search }) => codeForm(code, search);
  } catch (cause) {
    const { code, message } = cause as { code?: unknown; message?: unknown };
    const needed = `@toolfold/${name}`;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !String(message).includes(`'${needed}'`)) throw cause;
    throw new ErrInvalidOptions(`The ${name} form needs the package ${needed}.`, {
      hint: `Install it: npm install ${needed}`,
      cause,
    });
  }
}

/** The tools of a form that are listed only if they are pinned. Pins are checked before its package is loaded. */
export const pinnableTools: Readonly<Record<NamedForm, readonly string[]>> = {
  search: [],
  code: ['call_read_tool', 'call_write_tool', 'list_toolsets'],
};
