/** The pieces of an answer put together. */
import type { ChatPiece, FinishReason, ToolCall, Usage } from './chat.ts';

export interface WholeAnswer {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: FinishReason;
  readonly usage: Usage;
}

export async function collectAnswer(pieces: AsyncIterable<ChatPiece>): Promise<WholeAnswer> {
  let content = '';
  const toolCalls: { id: string; name: string; arguments: string }[] = [];
  let finish: FinishReason = 'stop';
  let usage: Usage = { promptTokens: 0, completionTokens: 0, estimated: true };
  for await (const piece of pieces) {
    if ('content' in piece) content += piece.content;
    else if ('finish' in piece) finish = piece.finish;
    else if ('usage' in piece) usage = piece.usage;
    else {
      const { index, id, name, arguments: more } = piece.toolCall;
      toolCalls[index] ??= { id: '', name: '', arguments: '' };
      const call = toolCalls[index];
      if (id !== undefined) call.id = id;
      if (name !== undefined) call.name = name;
      call.arguments += more;
    }
  }
  // A model may leave a number out.
  return { content, toolCalls: toolCalls.filter((call) => call !== undefined), finish, usage };
}
