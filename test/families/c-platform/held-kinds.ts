/** One request of each kind that waits for approval as a held request, and what its result has to be. */
import type { Json, TestAnswer } from '../../builders/app.ts';
import type { ApprovalsApp } from './approvals-app.ts';

export interface HeldKind {
  readonly operation: string;
  /** Its own where no rule wants it approved. */
  readonly status: 200 | 201;
  readonly scope: string;
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

const asking = (apiKey: string, idempotencyKey?: string) => ({ apiKey, ...(idempotencyKey && { idempotencyKey }) });

export const HELD_KINDS = { message, attest };
