import { fromOpenAPI } from '@toolfold/openapi';
import { ToolRegistry } from 'toolfold';

const specification = {
  openapi: '3.1.0',
  info: { title: 'Museum', version: '1.0.0' },
  paths: { '/hours': { get: { operationId: 'listHours', tags: ['museum'], responses: {} } } },
};
const fetch = () => Promise.resolve(Response.json({ open: '9:00', close: '18:00' }));
const tools = fromOpenAPI(specification, { baseUrl: 'https://museum.example', fetch });
const registry = new ToolRegistry({ name: 'museum' }).register(tools);
const answer = await registry.executeTool({ name: 'museum', arguments: { action: 'list_hours' } });
console.log(answer.content);
