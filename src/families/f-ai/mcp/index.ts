/** `/mcp`: this service's operations as tools of editors and agents (streamable HTTP, without sessions: each replica answers any message). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../../core/errors.ts';
import { authorize } from '../../../hooks/credentials/authorization.ts';
import type { AnyOperation } from '../../../hooks/operation.ts';
import type { RouteDeclaration } from '../../../hooks/register-operations.ts';
import type { Caller } from '../../../services/requests/request-context.ts';
import { callTool } from './call-tool.ts';
import type { McpTools } from './mcp-server.ts';
import { proposeRequest, proposeTool } from './propose-request.ts';
import { asData, asMistake, type ToolAnswer } from './tool-answer.ts';
import { argumentsOf, isProposable, isTool, type Tool, toolOf } from './tool-operations.ts';

const declaration: RouteDeclaration = {
  id: 'mcp.call',
  family: 'f',
  effect: 'compute',
  access: { scope: 'ai:read', role: 'viewer' },
  limitClass: 'standard',
  // Arguments may hold what the operations' own bodies may.
  secretBody: true,
};

const BODY_LIMIT = 256 * 1024;
/** What the protocol reads of the headers. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version'] as const;

interface Described {
  readonly operation: AnyOperation;
  readonly tool: Tool;
}

export async function addMcp(app: FastifyInstance, { version }: { version: string }): Promise<void> {
  let described: Promise<ReadonlyMap<string, Described>> | undefined;

  app.post('/mcp', { config: { declaration }, bodyLimit: BODY_LIMIT }, async (request, reply) => {
    assertOrigin(request);
    if (Array.isArray(request.body))
      throw new DomainError('invalid_value', 'body must be one message: batches are not taken', { field: 'body' });
    // When all families have declared.
    described ??= describe(app.declared.operations);
    const tools = toolsFor(await described, app.declared.operations.filter(isProposable), { request, reply });
    const { answerMcp } = await import('./mcp-server.ts');
    const headers = HEADERS.flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : []));
    const answer = await answerMcp(request.body, Object.fromEntries(headers), { version, tools });
    const text = await answer.text();
    return reply.status(answer.status).type('application/json; charset=utf-8').send(text);
  });
}

/** By name. All schemas together take long: each is made in a turn of its own, and kept. */
async function describe(operations: readonly AnyOperation[]): Promise<ReadonlyMap<string, Described>> {
  const described = new Map<string, Described>();
  for (const operation of operations.filter(isTool)) {
    const tool = toolOf(operation);
    if (described.has(tool.name)) throw new Error(`two tools have the name ${tool.name}`);
    described.set(tool.name, { operation, tool });
    await nextTurn();
  }
  return described;
}

function toolsFor(
  described: ReadonlyMap<string, Described>,
  proposable: readonly AnyOperation[],
  asked: { request: FastifyRequest; reply: FastifyReply },
): McpTools {
  const caller = asked.request.caller as Caller;
  const proposing = proposeTool(proposable);

  async function propose({ operation: id, ...given }: Record<string, unknown>): Promise<ToolAnswer> {
    const operation = proposable.find((one) => one.id === id);
    if (operation === undefined) return asMistake(noSuch(id), proposing.inputSchema);
    try {
      return asData(JSON.stringify(proposeRequest(operation, given, caller.credential)));
    } catch (error) {
      return asMistake(error, argumentsOf(operation, false));
    }
  }

  return {
    async list() {
      const open = [...described.values()].filter(({ operation }) => mayCall(caller, operation));
      return [proposing, ...open.map(({ tool }) => tool)];
    },
    async call(name, given) {
      if (name === proposing.name) return propose(given);
      const found = described.get(name);
      if (found === undefined) return null;
      try {
        return await callTool(found.operation, given, asked);
      } catch (error) {
        return asMistake(error, found.tool.inputSchema);
      }
    },
  };
}

const noSuch = (id: unknown): DomainError =>
  new DomainError('invalid_value', `operation ${JSON.stringify(id)} is none that can be proposed`, {
    field: 'operation',
  });

function mayCall(caller: Caller, operation: AnyOperation): boolean {
  try {
    authorize(caller, operation);
    return true;
  } catch {
    return false;
  }
}

/** A page may ask only from this service's origins and those of CORS_ORIGINS: a name that was bound to this address anew is none. */
function assertOrigin({ headers: { origin }, host, server }: FastifyRequest): void {
  if (origin === undefined || server.originOf(host ?? '') === origin) return;
  if (server.corsHeaders?.(origin)['access-control-allow-origin'] === origin) return;
  throw new DomainError('forbidden', 'pages of this origin may not ask: it is not one of CORS_ORIGINS', {
    field: 'headers.origin',
  });
}
