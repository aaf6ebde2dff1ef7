import type { ChatRequest } from '../chat.ts';

/** A text of a request, under the name that its field has on the wire. */
export interface RequestText {
  readonly field: string;
  readonly text: string;
  /** Who wrote it, of a message's content. */
  readonly role?: string;
  readonly json?: boolean;
  /** A name, which means nothing once a part of it is left out. */
  readonly exact?: boolean;
}

/** The same request with `read` of each text that leaves with it. */
export function mapTexts(request: ChatRequest, read: (text: RequestText) => string): ChatRequest {
  const name = (field: string, text: string) => read({ field, text, exact: true });
  const schema = (field: string, value: object): object =>
    JSON.parse(read({ field, text: JSON.stringify(value), json: true }));
  const { messages, tools, stop, responseFormat, toolChoice } = request;
  const contents = messages.map(({ content, role }, i) =>
    read({ field: `messages[${i}].content`, text: content, role }),
  );
  // Of one kind together, names apart: what is cut up over two of them is read in one.
  const calls = messages.map(({ toolCalls = [] }, i) =>
    toolCalls.map((call, k) =>
      read({ field: `messages[${i}].tool_calls[${k}].function.arguments`, text: call.arguments, json: true }),
    ),
  );
  const descriptions = tools.map(({ description }, i) =>
    description === undefined ? undefined : read({ field: `tools[${i}].function.description`, text: description }),
  );
  return {
    ...request,
    messages: messages.map((message, i) => {
      const at = `messages[${i}]`;
      return {
        ...message,
        content: contents[i] as string,
        ...(message.name !== undefined && { name: name(`${at}.name`, message.name) }),
        ...(message.toolCallId !== undefined && { toolCallId: name(`${at}.tool_call_id`, message.toolCallId) }),
        ...(message.toolCalls !== undefined && {
          toolCalls: message.toolCalls.map((call, k) => ({
            id: name(`${at}.tool_calls[${k}].id`, call.id),
            name: name(`${at}.tool_calls[${k}].function.name`, call.name),
            arguments: calls[i]?.[k] as string,
          })),
        }),
      };
    }),
    tools: tools.map((tool, i) => ({
      ...tool,
      name: name(`tools[${i}].function.name`, tool.name),
      ...(descriptions[i] !== undefined && { description: descriptions[i] }),
      ...(tool.parameters !== undefined && {
        parameters: schema(`tools[${i}].function.parameters`, tool.parameters),
      }),
    })),
    ...(stop !== undefined && { stop: stop.map((text, i) => read({ field: `stop[${i}]`, text })) }),
    ...(responseFormat?.type === 'json_schema' && {
      responseFormat: {
        ...responseFormat,
        name: name('response_format.json_schema.name', responseFormat.name),
        schema: schema('response_format.json_schema.schema', responseFormat.schema),
      },
    }),
    ...(typeof toolChoice === 'object' && {
      toolChoice: { name: name('tool_choice.function.name', toolChoice.name) },
    }),
  };
}
