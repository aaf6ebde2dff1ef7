/** One request of each kind that waits for approval as a held request, and what its result has to be. */
import type { Json, TestAnswer } from '../../builders/app.ts';
import { testSigner } from '../../builders/taproot-recipes.ts';
import type { ApprovalsApp } from './approvals-app.ts';

export interface HeldKind {
  readonly operation: string;
  /** Its own where no rule wants it approved. */
  readonly status: 200 | 201;
  readonly scope: string;
  /** Its result is for whoever asked alone. */
  readonly secret?: true;
  /** A request of its own each time; the same each time under a key. */
  ask(apiKey: string, idempotencyKey?: string): Promise<TestAnswer>;
  /** Part of what the text says. */
  readonly signs: Json;
  /** Other members of it, each of which is a lie. */
  readonly lies: readonly Json[];
  holds(result: Json): Promise<boolean>;
}

const MESSAGE = 'I own this, \0 and „that“';

function message(app: ApprovalsApp): HeldKind {
  let address = '';
  return {
    ...{ operation: 'message', status: 200, scope: 'messages:write' },
    async ask(apiKey, idempotencyKey) {
      address ||= (await app.post(`/api/v1/wallets/${app.walletId}/addresses`)).body.address;
      const body = { address, message: MESSAGE };
      return app.post(`/api/v1/wallets/${app.walletId}/messages`, body, asking(apiKey, idempotencyKey));
    },
    signs: { kind: 'message', format: 'simple', message: MESSAGE },
    lies: [{ address: 'elsewhere' }],
    async holds({ signature, psbt }) {
      const asked = { address, message: MESSAGE, signature };
      return psbt === null && (await app.post('/api/v1/bitcoin/messages/verify', asked)).body.valid;
    },
  };
}

function attest(app: ApprovalsApp): HeldKind {
  const announced = async (): Promise<string> => {
    const event = { oracle: 'local', maturity: '2026-01-01T00:00:00Z', outcomes: ['heads', 'tails'] };
    return (await app.post('/api/v1/dlc/events', event)).body.event_id;
  };
  let event: Promise<string> | undefined;
  return {
    ...{ operation: 'attest', status: 201, scope: 'oracles:write' },
    async ask(apiKey, idempotencyKey) {
      event = idempotencyKey ? (event ?? announced()) : announced();
      const body = { oracle: 'local', event_id: await event, outcome: 'heads' };
      return app.post('/api/v1/dlc/attestations', body, asking(apiKey, idempotencyKey));
    },
    signs: { kind: 'attestation', outcome: 'heads' },
    lies: [
      { outcome: 'tails' },
      { outcome: 'edge' },
      { event_id: 'other' },
      { signatures: [] },
      { announcement: '00' },
    ],
    async holds({ attestation_id, attestation, outcome, source }) {
      const kept = await app.get(`/api/v1/dlc/attestations/${attestation_id}`);
      return outcome === 'heads' && source === 'local' && kept.body.attestation === attestation;
    },
  };
}

function musig(app: ApprovalsApp): HeldKind {
  const path = '/api/v1/taproot/musig-sessions';
  /** A session whose nonces are all given, and the partial signature of its first participant. */
  async function prepared() {
    const signers = [testSigner(), testSigner()] as const;
    const body = { public_keys: signers.map(({ publicKey }) => publicKey), message: '07'.repeat(32) };
    let session = (await app.post(path, body)).body;
    for (const { publicKey, nonce } of signers) {
      const given = { public_key: publicKey, public_nonce: nonce };
      session = (await app.post(`${path}/${session.musig_session_id}/nonces`, given)).body;
    }
    const [{ publicKey, sign }] = signers;
    return { id: session.musig_session_id, body: { public_key: publicKey, partial_signature: sign(session) } };
  }
  let made: ReturnType<typeof prepared> | undefined;
  return {
    ...{ operation: 'musig', status: 200, scope: 'taproot:write' },
    async ask(apiKey, idempotencyKey) {
      made = idempotencyKey ? (made ?? prepared()) : prepared();
      const { id, body } = await made;
      return app.post(`${path}/${id}/partial-signatures`, body, asking(apiKey, idempotencyKey));
    },
    signs: { kind: 'partial_signature', message: '07'.repeat(32) },
    lies: [
      ...[{ aggregate_key: '00' }, { aggregate_nonce: '00' }, { public_key: `02${'11'.repeat(32)}` }],
      ...[
        { participants: [] },
        { tweaks: [{ tweak: '01'.repeat(32), x_only: true }] },
        { taproot: { merkle_root: null } },
      ],
    ],
    async holds({ musig_session_id, participants }) {
      const now = (await app.get(`${path}/${musig_session_id}`)).body;
      const { body } = await made!;
      const isThere = (all: Json[]) => all.some((one) => one.partial_signature === body.partial_signature);
      return isThere(participants) && isThere(now.participants);
    },
  };
}

const PASSPHRASE = 'four horses \u00e9 at midnight';

function backup(app: ApprovalsApp): HeldKind {
  return {
    ...{ operation: 'backup', status: 200, scope: 'wallets:write', secret: true },
    ask: (apiKey, idempotencyKey) =>
      app.post(
        `/api/v1/wallets/${app.walletId}/backup`,
        { backup_passphrase: PASSPHRASE },
        asking(apiKey, idempotencyKey),
      ),
    signs: { kind: 'backup', with_seed: true, server_bound: false },
    lies: [{ with_seed: 'yes' }, { fingerprint: 7 }],
    async holds({ backup, server_bound }) {
      const body = { name: 'again', type: 'segwit', backup_type: 'none', backup, backup_passphrase: PASSPHRASE };
      const restored = await app.post('/api/v1/wallets', body);
      const made = (await app.get(`/api/v1/wallets/${app.walletId}`)).body;
      return !server_bound && restored.status === 201 && restored.body.fingerprint === made.fingerprint;
    },
  };
}

const asking = (apiKey: string, idempotencyKey?: string) => ({ apiKey, ...(idempotencyKey && { idempotencyKey }) });

export const HELD_KINDS = { message, attest, musig, backup };
