/** `/v1/governance/ws`: updates of an account's DAO. */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../../core/errors.ts';
import type { VerifyBytes } from '../../../core/request-signatures/verify-signature.ts';
import type { ApiKeyService } from '../../../services/credentials/api-keys.ts';
import type { LoadCaller, SigningKeyService } from '../../../services/credentials/signing-keys.ts';
import type { Caller } from '../../../services/requests/request-context.ts';
import { createSeats } from '../../sockets/seats.ts';
import type { Peer } from '../../sockets/sockets.ts';
import { type PresentedCredential, parseGovernanceMessage } from './governance-messages.ts';
import { governanceSocket } from './governance-socket.ts';

export interface GovernanceSocketDeps {
  readonly apiKeys: Pick<ApiKeyService, 'verify'>;
  readonly signatures: {
    readonly signingKeys: Pick<SigningKeyService, 'findCached' | 'find' | 'used'>;
    readonly verifyBytes: VerifyBytes;
    readonly loadCaller: LoadCaller;
  };
  /** How long an open connection may be silent before another takes its place. */
  readonly answerWithinMs?: number;
}

type Signed = Exclude<PresentedCredential, { apiKey: string }>;

/** Needs the websocket-server plugin. */
export function addGovernanceSocket(app: FastifyInstance, deps: GovernanceSocketDeps): void {
  const seats = createSeats(deps.answerWithinMs);
  app.addSocket<PresentedCredential>({
    path: governanceSocket.path,
    declaration: { id: 'governance.connect', family: 'g', effect: 'read', access: 'public', limitClass: 'none' },
    dialectFor(peer) {
      const challenge = randomBytes(32).toString('base64url');
      return {
        greeting: { type: 'challenge', challenge },
        first: 'send {"type":"auth","api_key":"…"} (or keyid and signature over the challenge) first',
        parse: parseGovernanceMessage,
        say: ({ channel: _, ...message }: object & { channel?: string }) => message,
        verify: (given) =>
          'apiKey' in given
            ? deps.apiKeys.verify(given.apiKey, peer.address)
            : signedCaller(deps, given, challenge, peer),
        seat: ({ credential }, given) =>
          seats.take(credential.kind === 'person' && 'keyId' in given ? given.keyId : credential.id, peer.socket),
        inboxOf: async ({ credential }) => credential.id,
      };
    },
  });
}

/** Whom a key speaks for that signed this connection's challenge. Throws `unauthorized`, and as LoadCaller does. */
async function signedCaller(
  { signatures: { signingKeys, verifyBytes, loadCaller } }: GovernanceSocketDeps,
  { keyId, signature }: Signed,
  challenge: string,
  { origin, address }: Peer,
): Promise<Caller> {
  if (origin === null)
    throw unauthorized("the Host is none of this service's public origins (PUBLIC_ORIGINS): connect by one of those");
  const key = signingKeys.findCached(keyId) ?? (await signingKeys.find(keyId));
  if (key === null) throw unauthorized(`the key "${keyId}" is not enrolled`);
  if (key.revokedAt !== null) throw unauthorized(`the key "${keyId}" was revoked`);
  const { host } = new URL(origin);
  const text = Buffer.from(`ashlar-governance-ws\n${host}\n${challenge}`);
  if (!(await verifyBytes(key.publicJwk, text, Buffer.from(signature, 'base64'))))
    throw unauthorized(
      `the signature must be by this key, over "ashlar-governance-ws", "${host}" and the challenge of this connection, parted by \\n`,
    );
  const { accountId, credentialKind: kind, credentialId: id } = key;
  const caller = await loadCaller({ accountId, kind, id, keyId }, address);
  signingKeys.used(key);
  return caller;
}

const unauthorized = (message: string): DomainError => new DomainError('unauthorized', message);
