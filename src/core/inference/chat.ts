/** What is asked of a model and what it answers, whatever it was asked through. */

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it: nobody promises that it is valid. */
  readonly arguments: string;
}

export interface ChatMessage {
  /** `developer` counts as `system`. */
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly name?: string;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly ToolCall[];
}

export interface FunctionTool {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema. */
  readonly parameters?: object;
  readonly strict?: boolean;
}

/** A model that cannot do what an optional member asks for refuses it by name, and does not pass over it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly reasoningEffort?: string;
  readonly responseFormat?:
    | { readonly type: 'text' | 'json_object' }
    | { readonly type: 'json_schema'; readonly name: string; readonly schema: object; readonly strict: boolean };
  readonly tools: readonly FunctionTool[];
  readonly toolChoice?: 'none' | 'auto' | 'required' | { readonly name: string };
  readonly parallelToolCalls?: boolean;
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Nobody counted them. */
  readonly estimated: boolean;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** What a model answers, piece by piece; `finish` comes once, `usage` last, where the upstream says it. */
export type ChatPiece =
  | { readonly content: string }
  | {
      readonly toolCall: {
        readonly index: number;
        readonly id?: string;
        readonly name?: string;
        readonly arguments: string;
      };
    }
  | { readonly finish: FinishReason }
  | { readonly usage: Usage };
