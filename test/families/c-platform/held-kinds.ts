/** One request of each kind that waits for approval as a held request, and what its result has to be. */
import type { Json, TestAnswer } from '../../builders/app.ts';
import { cosigner } from '../../builders/cosigner.ts';
import { testSigner } from '../../builders/taproot-recipes.ts';
import { outsider } from '../../services/transactions/payments-setup.ts';
import { type ApprovalsApp, TRANSACTIONS } from './approvals-app.ts';

export interface HeldKind {
  readonly operation: string;
  /** Its own where no rule wants it approved. */
  readonly status: 200 | 201;
  readonly scope: string;
  /** Its result is for whoever asked alone. */
  readonly secret?: true;
  /** While no rule is in force. */
  prepare?(): Promise<void>;
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

/** A wallet whose other keys `cosigners` have, and payments of it that wait for their signatures, each of a coin of its own. */
export async function sharedPayments(app: ApprovalsApp, request: Json, count: number): Promise<Json[]> {
  const wallet = { name: 'shared', type: 'multisig', backup_type: 'none', ...request };
  const { wallet_id } = (await app.post('/api/v1/wallets', wallet)).body;
  const recipients: Json[] = [];
  for (let n = 0; n < count; n++) {
    const { address } = (await app.post(`/api/v1/wallets/${wallet_id}/addresses`)).body;
    recipients.push({ address, amount: '0.01' });
  }
  await app.pay({ recipients });
  await app.simulated.mine(1, '51');
  await app.synced();
  const made: Json[] = [];
  for (let n = 0; n < count; n++) {
    const to = [{ address: outsider('payee'), amount: '0.004' }];
    // At a feerate at which one coin pays.
    const { status, body, text } = await app.pay({ wallet_id, recipients: to, label: `${n}`, fee_rate: '40' });
    if (status !== 201) throw new Error(text);
    made.push(body);
  }
  return made;
}

function signatures(app: ApprovalsApp, musig: boolean): HeldKind {
  const party = cosigner('held');
  const payments: Json[] = [];
  let made: { readonly payment: Json; readonly psbt: string } | undefined;
  const next = () => {
    const payment = payments.pop()!;
    return { payment, psbt: musig ? party.nonces(payment.psbt).psbt : party.sign(payment.psbt) };
  };
  return {
    ...{ operation: musig ? 'musig' : 'signature', status: 200, scope: 'transactions:write' },
    async prepare() {
      const keys = musig
        ? { script_type: 'musig', cosigners: [party.key(87, 1, 0)] }
        : { required: 2, cosigners: [party.multisigKey] };
      payments.push(...(await sharedPayments(app, keys, 24)));
    },
    async ask(apiKey, idempotencyKey) {
      made = idempotencyKey ? (made ?? next()) : next();
      const { payment, psbt } = made;
      return app.post(`${TRANSACTIONS}/${payment.txid}/signatures`, { psbt }, asking(apiKey, idempotencyKey));
    },
    signs: { kind: 'signature', added: [{ input: 0, field: musig ? 'musig2_pub_nonce' : 'partial_sig' }] },
    lies: [
      ...[{ fee: '0.10000000' }, { unsigned_txid: '00'.repeat(32) }, { transaction: '00' }, { outputs: [] }],
      ...[{ inputs: [] }, { added: [] }, { added: [{ input: 1, field: 'partial_sig', key: '02', sha256: '00' }] }],
    ],
    async holds({ txid, musig_round }) {
      const { payment } = made!;
      const now = (await app.get(`${TRANSACTIONS}/${payment.txid}`)).body;
      if (musig) return musig_round === 'signatures' && now.psbt !== payment.psbt && now.musig_round === 'signatures';
      return txid === payment.txid && (await app.status(txid, 'broadcast')).psbt === null;
    },
  };
}

const asking = (apiKey: string, idempotencyKey?: string) => ({ apiKey, ...(idempotencyKey && { idempotencyKey }) });

export const HELD_KINDS = {
  ...{ message, attest, musig, backup },
  signature: (app: ApprovalsApp) => signatures(app, false),
  musig_payment: (app: ApprovalsApp) => signatures(app, true),
};
