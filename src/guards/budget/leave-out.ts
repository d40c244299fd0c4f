import { clip } from './describe-cuts.js';
import { isBinary, loadOfContent, weigh } from './output-load.js';
import type { OutputBudget } from './output-budget.js';
import type { ContentBlock, TextContent } from '../../protocol/tool-result.js';

/** The binary blocks that do not fit beside the others, of which texts have a claim to half of the budget. */
export function leaveOut(content: readonly ContentBlock[], budget: OutputBudget): ReadonlySet<ContentBlock> {
  const binaries = content.filter(isBinary);
  const texts = content.filter((block) => !isBinary(block));
  let load = Math.min(loadOfContent(budget, texts), 0.5);
  return new Set(
    binaries.filter((block) => {
      const own = loadOfContent(budget, [block]);
      if (load + own > 1) return true;
      load += own;
      return false;
    }),
  );
}

/** What stands in the place of a block that is left out. */
export function describeLeftOut(block: ContentBlock): TextContent {
  const { mimeType } = block.type === 'resource' ? block.resource : (block as { mimeType?: string });
  const kind = block.type === 'resource' ? 'blob' : block.type;
  const size = weigh(block).binaries.reduce((sum, data) => sum + Math.floor((data.length * 3) / 4), 0);
  const type = mimeType === undefined ? '' : ` (${clip(mimeType)})`;
  return { type: 'text', text: `[${kind}${type} of ${size} bytes left out: above the output limit]` };
}
