import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../../core/errors.ts';
import type { ApiKeyService } from '../../../services/credentials/api-keys.ts';
import type { Caller } from '../../../services/requests/request-context.ts';
import type { AccessTokens } from '../../../services/tokens/access-tokens.ts';
import { type PresentedCredential, parseClientMessage } from './client-message.ts';
import { realtimeSocket } from './realtime-socket.ts';

export { realtimeSocket } from './realtime-socket.ts';

export interface RealtimeDeps {
  readonly apiKeys: Pick<ApiKeyService, 'verify'>;
  /** Absent: access tokens are refused. */
  readonly accessTokens?: Pick<AccessTokens, 'verify'>;
  /** Whose notifications a caller hears. Absent: each credential hears its own. */
  readonly inboxOf?: (caller: Caller) => Promise<string>;
}

/** `/v1/ws`: live updates of transactions, blocks, contracts and one's own notifications. Needs the websocket-server plugin. */
export function realtime(app: FastifyInstance, deps: RealtimeDeps): void {
  app.addSocket<PresentedCredential>({
    path: realtimeSocket.path,
    declaration: { id: 'realtime.connect', family: 'a', effect: 'read', access: 'public', limitClass: 'none' },
    dialectFor: ({ address }) => ({
      first: 'send {"type":"auth","api_key":"…"} (or access_token) first',
      parse: parseClientMessage,
      verify: (credential) => verify(deps, credential, address),
      inboxOf: deps.inboxOf ?? (async ({ credential }) => credential.id),
    }),
  });
}

async function verify(
  { apiKeys, accessTokens }: RealtimeDeps,
  credential: PresentedCredential,
  remoteAddress: string,
): Promise<Caller> {
  if ('apiKey' in credential) return apiKeys.verify(credential.apiKey, remoteAddress);
  if (accessTokens === undefined) throw new DomainError('unauthorized', 'access tokens are not taken here');
  return (await accessTokens.verify(credential.accessToken, remoteAddress)).caller;
}
