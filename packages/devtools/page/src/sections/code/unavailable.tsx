import { CodeBlock } from '../../ui/copy.js';
import { Notice } from '../../ui/feedback.js';
import { Text } from '../../ui/text.js';

/** Explains why code cannot run on this server, and what the developer can do. */
export function Unavailable({ problem }: { readonly problem: string }) {
  return (
    <div class="stack code-unavailable">
      <Notice kind="warning">
        <p class="strong">Code cannot run here</p>
        <p>
          <Text value={problem} clamp={6} />
        </p>
      </Notice>
      <p>
        In the code form, a model writes a short program that calls the tools and reads only what the program
        returns. The program runs in a sandbox, which needs the package quickjs-wasi:
      </p>
      <CodeBlock value="npm install quickjs-wasi" label="command" />
      <p>Then offer the form. Clients that ask for it get it, and this section can run code:</p>
      <CodeBlock
        value={`await serveHttp(registry, { view: { form: 'code' } });\n\n// The same view for the page:\nawait devtools(registry, { view: { form: 'code' } });`}
        label="example"
      />
      <p class="soft">
        Code calls actions with readOnly: true. With code: {'{'} allow: 'write' {'}'} in the view it may call
        the others too, and asks before each call that may destroy something.
      </p>
    </div>
  );
}
