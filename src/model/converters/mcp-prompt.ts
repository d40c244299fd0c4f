import { ErrInvalidModel } from '../../errors.js';
import { Prompt, PromptArgument } from '../prompt.js';
import { PromptConverterBase } from './bases.js';
import type { McpPrompt, McpPromptArgument } from '../../protocol/mcp-types.js';
import { WireFields, defined } from './wire-fields.js';

/** Prompts to and from their MCP form, which is the same in both revisions. */
export class McpPromptConverter extends PromptConverterBase<McpPrompt> {
  override convertFrom(prompt: Prompt): McpPrompt {
    return defined<McpPrompt>({
      name: prompt.name,
      title: prompt.title,
      description: prompt.description,
      arguments: prompt.promptArguments?.map((argument) =>
        defined<McpPromptArgument>({
          name: argument.name,
          title: argument.title,
          description: argument.description,
          required: argument.required,
        }),
      ),
      icons: prompt.icons,
      _meta: prompt.meta,
    });
  }

  override convertTo(wire: McpPrompt): Prompt {
    const fields = new WireFields(wire, 'prompt', ErrInvalidModel);
    return new Prompt({
      name: fields.required(fields.string('name'), 'name'),
      title: fields.string('title'),
      description: fields.string('description'),
      promptArguments: fields.nestedList('arguments')?.map(
        (argument) =>
          new PromptArgument({
            name: argument.required(argument.string('name'), 'name'),
            title: argument.string('title'),
            description: argument.string('description'),
            required: argument.boolean('required'),
          }),
      ),
      icons: fields.icons(),
      meta: fields.object('_meta'),
    });
  }
}
