import type { ToolRegistry } from 'toolfold';
import { PNG, WAV } from '../samples.js';

/** Tools that return each kind of content. */
export function addContentTools(registry: ToolRegistry): void {
  registry.register(
    {
      name: 'test_simple_text',
      description: 'Answers with text',
      inputSchema: {},
      readOnly: true,
      handler: () => 'This is a simple text response for testing.',
    },
    {
      name: 'test_image_content',
      description: 'Answers with an image',
      inputSchema: {},
      readOnly: true,
      handler: () => ({ type: 'image', data: PNG, mimeType: 'image/png' }),
    },
    {
      name: 'test_audio_content',
      description: 'Answers with a sound',
      inputSchema: {},
      readOnly: true,
      handler: () => ({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
    },
    {
      name: 'test_embedded_resource',
      description: 'Answers with a resource',
      inputSchema: {},
      readOnly: true,
      handler: () => ({
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      }),
    },
    {
      name: 'test_multiple_content_types',
      description: 'Answers with text, an image and a resource',
      inputSchema: {},
      readOnly: true,
      handler: () => [
        { type: 'text', text: 'Multiple content types test:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    },
    {
      name: 'test_error_handling',
      description: 'Fails',
      inputSchema: {},
      readOnly: true,
      handler: () => {
        throw new Error('This tool intentionally returns an error for testing');
      },
    },
  );
}
