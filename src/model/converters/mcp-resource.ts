import { ErrInvalidModel } from '../../errors.js';
import { Resource, ResourceTemplate } from '../resource.js';
import { ResourceConverterBase } from './bases.js';
import { ConverterBase } from './converter-base.js';
import type { McpResource, McpResourceTemplate } from '../../protocol/mcp-types.js';
import { WireFields, defined } from './wire-fields.js';

/** Resources to and from their MCP form, which is the same in both revisions. */
export class McpResourceConverter extends ResourceConverterBase<McpResource> {
  override convertFrom(resource: Resource): McpResource {
    return defined<McpResource>({
      uri: resource.uri,
      name: resource.name,
      title: resource.title,
      description: resource.description,
      mimeType: resource.mimeType,
      size: resource.size,
      annotations: resource.annotations,
      icons: resource.icons,
      _meta: resource.meta,
    });
  }

  override convertTo(wire: McpResource): Resource {
    const fields = new WireFields(wire, 'resource', ErrInvalidModel);
    return new Resource({
      uri: fields.required(fields.string('uri'), 'uri'),
      size: fields.number('size'),
      ...itemFields(fields),
    });
  }
}

/** Resource templates to and from their MCP form. */
export class McpResourceTemplateConverter extends ConverterBase<ResourceTemplate, McpResourceTemplate> {
  override convertFrom(template: ResourceTemplate): McpResourceTemplate {
    return defined<McpResourceTemplate>({
      uriTemplate: template.uriTemplate,
      name: template.name,
      title: template.title,
      description: template.description,
      mimeType: template.mimeType,
      annotations: template.annotations,
      icons: template.icons,
      _meta: template.meta,
    });
  }

  override convertTo(wire: McpResourceTemplate): ResourceTemplate {
    const fields = new WireFields(wire, 'resource template', ErrInvalidModel);
    return new ResourceTemplate({
      uriTemplate: fields.required(fields.string('uriTemplate'), 'uriTemplate'),
      ...itemFields(fields),
    });
  }
}

function itemFields(fields: WireFields) {
  return {
    name: fields.required(fields.string('name'), 'name'),
    title: fields.string('title'),
    description: fields.string('description'),
    mimeType: fields.string('mimeType'),
    annotations: fields.annotations(),
    icons: fields.icons(),
    meta: fields.object('_meta'),
  };
}
