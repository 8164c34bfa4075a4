import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CardPayments } from '../../../typescript/src/index.ts';
import { describeFailure } from '../errors.ts';
import { version } from '../version.ts';
import { markNote, markOutsideText } from './mark.ts';
import { allows, tools } from './tools.ts';

/** Serves the tools that the scopes allow on stdio, until the client closes it. */
export async function serveMcp(options: {
  cp: CardPayments;
  scopes: 'full' | readonly string[];
  environment: string;
}): Promise<void> {
  const { cp, scopes, environment } = options;
  const server = new McpServer(
    { name: 'card-payments', version },
    {
      capabilities: { tools: {} },
      instructions: `Payments of the ${environment} environment. Amounts are in cents. ${markNote}`,
    },
  );
  for (const [name, { title, description, needs, effect, input, run }] of Object.entries(tools)) {
    if (!allows(scopes, needs)) continue;
    const annotations = { readOnlyHint: effect === 'reads', destructiveHint: effect === 'destructive' };
    server.registerTool(
      name,
      { title, description, inputSchema: input, annotations: { ...annotations, idempotentHint: true } },
      async (given) => {
        try {
          const marked = markOutsideText(await run(cp, given as never));
          return { content: [text(markNote), text(JSON.stringify(marked, null, 2))] };
        } catch (error) {
          return { isError: true, content: [text(describeFailure(error).line)] };
        }
      },
    );
  }
  await server.connect(new StdioServerTransport());
}

const text = (content: string) => ({ type: 'text', text: content }) as const;
