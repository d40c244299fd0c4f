import { ErrInvalidModel } from '../../errors.js';
import type {
  McpPrompt,
  McpPromptArgument,
  McpResource,
  McpResourceTemplate,
} from '../../protocol/mcp-types.js';
import { Prompt, PromptArgument, Resource, ResourceTemplate } from '../prompt-resource.js';
import { ConverterBase, PromptConverterBase, ResourceConverterBase } from './converter-base.js';
import { WireFields, defined } from './wire-fields.js';

// Prompts, resources and resource templates have the same JSON in both protocol revisions.

/** Prompts to and from their MCP form. */
export class McpPromptConverter extends PromptConverterBase<McpPrompt> {
  override convertFrom(prompt: Prompt): McpPrompt {
    return defined<McpPrompt>({
      name: prompt.name,
      title: prompt.title,
      description: prompt.description,
      arguments: prompt.promptArguments?.map(({ name, title, description, required }) =>
        defined<McpPromptArgument>({ name, title, description, required }),
      ),
      icons: prompt.icons,
      _meta: prompt.meta,
    });
  }

  override convertTo(wire: McpPrompt): Prompt {
    const fields = new WireFields(wire, 'prompt', ErrInvalidModel);
    return new Prompt({
      ...fields.base(),
      promptArguments: fields.nestedList('arguments')?.map(
        (argument) =>
          new PromptArgument({
            name: argument.required(argument.string('name'), 'name'),
            title: argument.string('title'),
            description: argument.string('description'),
            required: argument.boolean('required'),
          }),
      ),
    });
  }
}

/** Resources to and from their MCP form. */
export class McpResourceConverter extends ResourceConverterBase<McpResource> {
  override convertFrom(resource: Resource): McpResource {
    return defined<McpResource>({ uri: resource.uri, ...writeFields(resource, resource.size) });
  }

  override convertTo(wire: McpResource): Resource {
    const fields = new WireFields(wire, 'resource', ErrInvalidModel);
    return new Resource({
      uri: fields.required(fields.string('uri'), 'uri'),
      size: fields.number('size'),
      ...readFields(fields),
    });
  }
}

/** Resource templates to and from their MCP form. */
export class McpResourceTemplateConverter extends ConverterBase<ResourceTemplate, McpResourceTemplate> {
  override convertFrom(template: ResourceTemplate): McpResourceTemplate {
    return defined<McpResourceTemplate>({ uriTemplate: template.uriTemplate, ...writeFields(template) });
  }

  override convertTo(wire: McpResourceTemplate): ResourceTemplate {
    const fields = new WireFields(wire, 'resource template', ErrInvalidModel);
    return new ResourceTemplate({
      uriTemplate: fields.required(fields.string('uriTemplate'), 'uriTemplate'),
      ...readFields(fields),
    });
  }
}

/** The fields after the address, in the order in which they are sent. Only resources have a size. */
function writeFields(item: Resource | ResourceTemplate, size?: number) {
  const { name, title, description, mimeType, annotations, icons, meta } = item;
  return { name, title, description, mimeType, size, annotations, icons, _meta: meta };
}

function readFields(fields: WireFields) {
  return { ...fields.base(), mimeType: fields.string('mimeType'), annotations: fields.annotations() };
}
