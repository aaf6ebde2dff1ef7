import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anchorProblem } from '../../../src/core/audit-log/anchor.ts';
import { createExportVerifier, ExportRefused } from '../../../src/core/audit-log/verify-export.ts';
import { meetsTarget, parseHeader } from '../../../src/core/blocks/header.ts';
import { DomainError } from '../../../src/core/errors.ts';
import type { AccountId, WalletId } from '../../../src/core/ids.ts';
import { openNote, parseCheckpoint, parseVerifier } from '../../../src/core/merkle/signed-note.ts';
import { leafHash } from '../../../src/core/merkle/tree-hash.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { sealed } from '../../builders/audit.ts';
import { verifyConsistency, verifyInclusion } from '../../core/merkle/verify-proof.ts';
import { openClient } from '../a-transactions/realtime/socket-server.ts';

const AUDIT = '/api/v1/compliance/audit';
let app: TestApp;
let other: { accountId: AccountId; apiKey: string };
let walletId: WalletId;

beforeAll(async () => {
  app = await startTestApp({ blocks: 1 });
  other = await app.anotherAccount();
  walletId = (await app.post('/api/v1/wallets', { name: 'one', type: 'segwit', backup_type: 'none' })).body.wallet_id;
});
afterAll(() => app?.close());

const hashes = (hex: string[]) => hex.map((one) => Buffer.from(one, 'hex'));
const settled = () => sealed(app.app.store);
const newest = async (log = 'account'): Promise<Json> => (await app.get(`${AUDIT}?limit=1&log=${log}`)).body.data[0];
const total = async (log = 'account'): Promise<number> =>
  (await app.get(`${AUDIT}?limit=1&log=${log}`)).body.pagination.total;
/** The header with a nonce that does not meet its own target: about every other. */
function withoutWork(header: string): { block_header: string; block_hash: string } {
  const bytes = Buffer.from(header, 'hex');
  do bytes.writeUInt32LE((bytes.readUInt32LE(76) + 1) % 2 ** 32, 76);
  while (meetsTarget(parseHeader(bytes)));
  return { block_header: bytes.toString('hex'), block_hash: parseHeader(bytes).hash };
}
const rename = (name: unknown, options = {}) => app.call('PATCH', `/api/v1/wallets/${walletId}`, { name }, options);

async function exported(log = 'account', apiKey?: string): Promise<string> {
  await settled();
  const answer = await app.get(`${AUDIT}/export?log=${log}`, apiKey === undefined ? {} : { apiKey });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/x-ndjson');
  return answer.text;
}

function verified(text: string, pinned: Uint8Array[] = []) {
  const verifier = createExportVerifier(pinned);
  for (const line of text.trimEnd().split('\n')) verifier.take(line);
  return verifier.end();
}

describe('what is recorded', () => {
  it('keeps a done request with its effect, its digest and its signature', async () => {
    const answer = await rename('two');
    expect(answer.status).toBe(200);
    const record = await newest();
    expect(record).toMatchObject({ operation: 'wallet.update', outcome: 'done', target: walletId });
    expect(JSON.parse(record.entry)).toMatchObject({
      id: record.record_id,
      account: app.accountId,
      credential: { kind: 'api_key', signature_required: true },
      method: 'PATCH',
      path: `/api/v1/wallets/${walletId}`,
      remote_address: '127.0.0.1',
      request_id: answer.headers['x-request-id'],
      digest: expect.stringMatching(/^sha-256=:.{44}:$/),
      signature: { algorithm: 'ed25519', base: expect.stringContaining('"@method": PATCH'), value: expect.any(String) },
      time: record.time,
    });
  });

  it('keeps every refusal of a change, by its code', async () => {
    const refusals: [outcome: string, () => Promise<{ status: number }>][] = [
      ['invalid_value', () => rename(7)],
      ['malformed_json', () => app.call('PATCH', `/api/v1/wallets/${walletId}`, '{')],
      ['unsupported_media_type', () => rename('x', { headers: { 'content-type': 'text/plain' } })],
      ['not_found', () => app.call('PATCH', '/api/v1/wallets/wal_3mVb1k7Q2xYt9LpRw0Zc5A', { name: 'x' })],
      ['signature_missing', () => rename('x', { sign: false })],
      [
        'insufficient_funds',
        () =>
          app.post('/api/v1/transactions', {
            recipients: [{ address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', amount: '1' }],
            fee_rate: '2',
            rbf: true,
          }),
      ],
    ];
    for (const [outcome, send] of refusals) {
      const before = await total();
      const { status } = await send();
      expect(status, outcome).toBeGreaterThanOrEqual(400);
      expect([await total(), (await newest()).outcome]).toEqual([before + 1, outcome]);
      expect(JSON.parse((await newest()).entry)).toMatchObject({ outcome, target: null });
    }
  });

  it('keeps whoever was not let in, on reads too: in the own log where the credential is known, else in the service’s', async () => {
    const viewer = await app.key({ role: 'viewer', scopes: ['wallets:read'] });
    const before = [await total(), await total('service')];
    expect((await app.get(AUDIT, { apiKey: viewer })).status).toBe(403);
    expect(await newest()).toMatchObject({ operation: 'audit.list', outcome: 'forbidden' });
    expect((await app.get('/api/v1/wallets', { apiKey: null })).status).toBe(401);
    expect((await app.get('/api/v1/wallets', { apiKey: `ak_12345678_${'x'.repeat(43)}` })).status).toBe(401);
    expect(await newest('service')).toMatchObject({
      operation: 'wallet.list',
      outcome: 'unauthorized',
      account_id: null,
      credential: null,
    });
    expect([await total(), await total('service')]).toEqual([before[0]! + 1, before[1]! + 2]);
  });

  it('keeps in its account’s log what was tried with a credential that is no longer good', async () => {
    const apiKey = await app.key({ name: 'revoked' });
    const { keyId } = (await app.app.services.apiKeys.list(app.accountId)).find((key) => key.name === 'revoked')!;
    await app.app.services.apiKeys.revoke(app.accountId, keyId);
    expect((await app.get('/api/v1/wallets', { apiKey })).status).toBe(401);
    const credential = { kind: 'api_key', id: keyId };
    expect(await newest()).toMatchObject({ operation: 'wallet.list', outcome: 'unauthorized', credential });
  });

  it('keeps whoever was not let in to live updates, but no more of them than an address may fail', async () => {
    const apiKey = await app.key({ name: 'listens' });
    const { keyId } = (await app.app.services.apiKeys.list(app.accountId)).find((key) => key.name === 'listens')!;
    await app.app.services.apiKeys.revoke(app.accountId, keyId);
    const before = [await total(), await total('service')];
    const client = await openClient(`${(await app.listen()).replace('http', 'ws')}/v1/ws`);
    client.say({ type: 'auth', api_key: apiKey });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'unauthorized' } });
    client.say({ type: 'auth', api_key: `ak_12345678_${'x'.repeat(43)}` });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'unauthorized' } });
    const refused = { operation: 'realtime.connect', outcome: 'unauthorized', target: null };
    expect(await newest()).toMatchObject({ ...refused, credential: { kind: 'api_key', id: keyId } });
    const nobodys = await newest('service');
    expect(nobodys).toMatchObject({ ...refused, credential: null });
    const seen = { method: 'GET', path: '/v1/ws', remote_address: '127.0.0.1', digest: null, signature: null };
    expect(JSON.parse(nobodys.entry)).toMatchObject(seen);
    // What is said before is a mistake of the client's, and no attempt.
    client.say({ type: 'subscribe', channel: 'blocks' });
    expect(await client.next()).toMatchObject({ type: 'error', error: { code: 'unauthorized' } });
    expect([await total(), await total('service')]).toEqual([before[0]! + 1, before[1]! + 1]);
  });

  it('keeps no reads, dry runs, replays and unknown paths', async () => {
    await rename('kept', { idempotencyKey: 'audit-replay' });
    const before = [await total(), await total('service')];
    await app.get('/api/v1/wallets');
    await app.get('/api/v1/wallets/wal_3mVb1k7Q2xYt9LpRw0Zc5A');
    expect((await rename('kept', { idempotencyKey: 'audit-replay' })).headers['idempotency-replayed']).toBe('true');
    await app.post('/api/v1/transactions?dry_run=true', { recipients: [], fee_rate: '2', rbf: true });
    await app.get('/api/v1/nothing', { apiKey: null });
    expect([await total(), await total('service')]).toEqual(before);
  });

  it('keeps neither digest nor signature base of a body that holds a secret', async () => {
    const words = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
    const body = { name: 'restored', type: 'segwit', backup_type: 'mnemonic', mnemonic: words };
    expect((await app.post('/api/v1/wallets', body)).status).toBe(201);
    const entry = (await newest()).entry as string;
    expect(JSON.parse(entry)).toMatchObject({ digest: null, signature: { base: null, value: null } });
    expect(entry).not.toContain('abandon');
  });

  it('keeps the failure of a change whose commit failed after its record was written', async () => {
    const { store } = app.app;
    const write = store.write.bind(store);
    const before = await total();
    // The job runs to its end, and its transaction is lost.
    store.write = (job) =>
      write(async (tx) => {
        const value = await job(tx);
        if ((await tx.wallets.find(app.accountId, walletId))?.name !== 'never') return value;
        throw new DomainError('unavailable', 'the database is away');
      });
    try {
      expect((await rename('never')).status).toBe(503);
    } finally {
      store.write = write;
    }
    expect(await total()).toBe(before + 1);
    expect(await newest()).toMatchObject({ operation: 'wallet.update', outcome: 'unavailable', target: null });
    expect((await app.get(`/api/v1/wallets/${walletId}`)).body.name).not.toBe('never');
  });

  it('keeps as done, once, a change that was committed although its job failed', async () => {
    const { store } = app.app;
    const write = store.write.bind(store);
    const before = await total();
    store.write = async (job) => {
      const value = await write(job);
      const { name } = (await store.read.wallets.find(app.accountId, walletId))!;
      if (name !== 'after all') return value;
      store.write = write;
      throw new DomainError('unavailable', 'the connection was lost after the commit');
    };
    expect((await rename('after all')).headers['idempotency-replayed']).toBe('true');
    expect(await total()).toBe(before + 1);
    expect(await newest()).toMatchObject({ operation: 'wallet.update', outcome: 'done', target: walletId });
  });

  it('answers a refusal although it cannot be recorded', async () => {
    const write = app.app.store.write;
    app.app.store.write = () => Promise.reject(new Error('the database is away'));
    try {
      expect((await rename(7)).status).toBe(400);
    } finally {
      app.app.store.write = write;
    }
  });
});

describe('who may see what', () => {
  it('shows an account its own log alone', async () => {
    const mine = (await newest()).record_id;
    const asOther = { apiKey: other.apiKey };
    expect((await app.get(AUDIT, asOther)).body.pagination.total).toBe(0);
    for (const path of [`${AUDIT}/${mine}`, `${AUDIT}/${mine}/proof`]) {
      expect((await app.get(path, asOther)).status).toBe(404);
    }
    for (const path of ['', '/checkpoint', '/export', '/anchors']) {
      expect((await app.get(`${AUDIT}${path}?log=service`, asOther)).status).toBe(403);
    }
    const operator = await app.key({ role: 'operator', scopes: ['compliance:read'] });
    expect((await app.get(AUDIT, { apiKey: operator })).status).toBe(200);
    expect((await app.get(`${AUDIT}?log=service`, { apiKey: operator })).status).toBe(403);
    expect(verified(await exported('account', other.apiKey))).toMatchObject([{ log: other.accountId }]);
  });

  it('filters by time, operation, credential, outcome and target', async () => {
    const { record_id, time, credential } = (await app.get(`${AUDIT}?operation=wallet.update&outcome=done&limit=1`))
      .body.data[0];
    const found = async (query: string) =>
      (await app.get(`${AUDIT}?limit=100&${query}`)).body.data.map((record: Json) => record.record_id);
    expect(await found(`from=${time}`)).toContain(record_id);
    expect(await found(`to=${time}`)).not.toContain(record_id);
    expect(await found(`credential=${credential.id}&target=${walletId}`)).toContain(record_id);
    expect(await found('outcome=forbidden')).not.toContain(record_id);
    expect((await app.get(`${AUDIT}?from=yesterday`)).body.error.details.field).toBe('query.from');
  });
});

describe('proofs', () => {
  it('prove every record under a head that the shown key signed', async () => {
    await settled();
    const { keys } = (await app.get(`${AUDIT}/checkpoint`)).body;
    const verifier = parseVerifier(keys.at(-1).verifier)!;
    expect(Buffer.from(verifier.publicKey).toString('base64')).toBe(keys.at(-1).public_key);
    for (const { record_id } of (await app.get(`${AUDIT}?limit=100`)).body.data) {
      const { entry, position, leaf_hash, proof, head } = (await app.get(`${AUDIT}/${record_id}/proof`)).body;
      const signed = parseCheckpoint(openNote(head.note, verifier)!)!;
      expect(signed).toMatchObject({ origin: verifier.name, size: head.size });
      expect(leafHash(Buffer.from(entry)).toString('hex')).toBe(leaf_hash);
      const claim = {
        leaf: hashes([leaf_hash])[0]!,
        position,
        size: head.size,
        root: signed.root,
        proof: hashes(proof),
      };
      expect(verifyInclusion(claim)).toBe(true);
      expect(verifyInclusion({ ...claim, leaf: leafHash(Buffer.from(`${entry} `)) })).toBe(false);
    }
  });

  it('show that a later head begins with an earlier one', async () => {
    const first = (await app.get(`${AUDIT}/checkpoint`)).body.head;
    await rename('three');
    await settled();
    const { head, consistency } = (await app.get(`${AUDIT}/checkpoint?from_size=${first.size}`)).body;
    expect(head.size).toBe(first.size + 1);
    const claim = {
      first: { size: first.size, root: hashes([first.root])[0]! },
      second: { size: head.size, root: hashes([head.root])[0]! },
      proof: hashes(consistency.proof),
    };
    expect(verifyConsistency(claim)).toBe(true);
    expect(verifyConsistency({ ...claim, first: { ...claim.first, root: claim.second.root } })).toBe(false);
    expect((await app.get(`${AUDIT}/checkpoint?from_size=${head.size + 1}`)).status).toBe(400);
    expect((await app.get(`${AUDIT}/checkpoint?from_size=0`)).status).toBe(400);
    const again = (await app.get(`${AUDIT}/checkpoint`)).body.head;
    expect(again).toEqual(head);
  });

  it('say 409 of a record that is not sealed yet', async () => {
    await app.app.services.audit.sealer.stop();
    try {
      await rename('four');
      const { record_id, seal } = await newest();
      expect(seal).toBeNull();
      const answer = await app.get(`${AUDIT}/${record_id}/proof`);
      expect([answer.status, answer.headers['retry-after']]).toEqual([409, '1']);
    } finally {
      app.app.services.audit.sealer.start();
    }
  });
});

describe('an export', () => {
  let text: string;
  let lines: string[];
  beforeAll(async () => {
    const writes = Array.from({ length: 60 }, (_, index) =>
      index % 3 === 0
        ? rename(index)
        : index % 3 === 1
          ? rename(`load ${index}`)
          : rename('x', { apiKey: other.apiKey }),
    );
    await Promise.all([...writes, app.get('/api/v1/wallets', { apiKey: null })]);
    text = await exported();
    lines = text.trimEnd().split('\n');
  });
  const refusal = (changed: string | string[]): ExportRefused => {
    try {
      verified([changed].flat().join('\n'));
    } catch (error) {
      if (error instanceof ExportRefused) return error;
      throw error;
    }
    throw new Error('it was taken');
  };
  const recordAt = (position: number) => lines.findIndex((line) => line.includes(`"record","position":${position},`));
  const idAt = (position: number): string => JSON.parse(lines[recordAt(position)]!).entry.id;

  it('verifies after a mixed load, with the signatures of its requests', async () => {
    const { pagination } = (await app.get(AUDIT)).body;
    const [log] = verified(text);
    expect(log).toMatchObject({ log: app.accountId, size: pagination.total, unknownKeys: 0, pinned: false });
    expect(log!.signatures).toBeGreaterThan(40);
    const { keys } = (await app.get(`${AUDIT}/checkpoint`)).body;
    expect(verified(text, [Buffer.from(keys[0].public_key, 'base64')])[0]?.pinned).toBe(true);
    expect(verified(`${text}${await exported('service')}`).map(({ log: id }) => id)).toEqual([
      app.accountId,
      'service',
    ]);
  });

  it('names a record that was changed', () => {
    const at = recordAt(5);
    for (const [from, to] of [
      ['"outcome":"', '"outcome":"x'],
      ['"method":"', '"method": "'],
      ['"version":1', '"version":1,"zz":1'],
    ] as const) {
      const changed = lines.with(at, lines[at]!.replace(from, to));
      expect(changed[at]).not.toBe(lines[at]);
      expect(refusal(changed)).toMatchObject({ position: 5, message: expect.stringMatching(/changed/) });
    }
    const renamed = lines.with(at, lines[at]!.replace('"outcome":"', '"outcome":"x'));
    expect(refusal(renamed).recordId).toBe(idAt(5));
  });

  it('names the place of a record that was taken out, swapped, repeated or cut off', () => {
    const [five, six] = [recordAt(5), recordAt(6)];
    expect(refusal(lines.toSpliced(five, 1))).toMatchObject({ position: 5, recordId: idAt(6) });
    expect(refusal(lines.with(five, lines[six]!).with(six, lines[five]!))).toMatchObject({
      position: 5,
      recordId: idAt(6),
    });
    expect(refusal(lines.toSpliced(six, 0, lines[five]!))).toMatchObject({ position: 6, recordId: idAt(5) });
    expect(refusal(lines.slice(0, -1))).toMatchObject({ position: JSON.parse(lines[0]!).size - 1 });
    expect(refusal(lines.slice(0, 1)).message).toMatch(/no record/);
    expect(refusal(text.slice(0, -20)).message).toMatch(/not JSON/);
    expect(refusal(lines.slice(1)).message).toMatch(/does not begin/);
    const last = lines.at(-1)!;
    const { position } = JSON.parse(last);
    const more = last.replace(`"position":${position}`, `"position":${position + 1}`);
    expect(refusal([...lines, more])).toMatchObject({ position: position + 1 });
  });

  it('finds a head that nobody signed, and a chain that was rewritten under a true one', async () => {
    const header = JSON.parse(lines[0]!);
    expect(refusal(lines.with(0, JSON.stringify({ ...header, root: '00'.repeat(32) }))).message).toMatch(/not the one/);
    expect(refusal(lines.with(0, JSON.stringify({ ...header, size: header.size - 1 }))).message).toMatch(/not the one/);
    expect(refusal(lines.with(0, JSON.stringify({ ...header, verifiers: [] }))).message).toMatch(/no signature/);
    const note = header.note.replace(/\n\d+\n/, '\n7\n');
    expect(refusal(lines.with(0, JSON.stringify({ ...header, size: 7, note }))).message).toMatch(/no signature/);
    expect(() => verified(text, [Buffer.alloc(32, 1)])).toThrow(/not signed by the key given/);

    const foreign = (await exported('service')).split('\n')[0]!;
    expect(refusal(lines.with(0, foreign)).message).toMatch(/it belongs to the log|one more/);

    const { createHash } = await import('node:crypto');
    const at = recordAt(header.size - 1);
    const entry = JSON.parse(lines[at]!).entry;
    const forged = JSON.stringify({ ...entry, remote_address: '192.0.2.1' });
    const { previous_hash } = JSON.parse(lines[at]!);
    const hash = createHash('sha256')
      .update(Buffer.from(previous_hash, 'hex'))
      .update(leafHash(Buffer.from(forged)))
      .digest('hex');
    const line = `{"type":"record","position":${header.size - 1},"previous_hash":"${previous_hash}","hash":"${hash}","entry":${forged}}`;
    expect(refusal(lines.with(at, line)).message).toMatch(/rewritten/);
  });

  it('finds a key that is not the one its records name', () => {
    const at = lines.findIndex((line) => line.includes('"type":"key"'));
    const key = JSON.parse(lines[at]!);
    const x = Buffer.alloc(32, 9).toString('base64url');
    expect(refusal(lines.with(at, JSON.stringify({ ...key, jwk: { ...key.jwk, x } }))).message).toMatch(/key/);
    const [log] = verified(lines.toSpliced(at, 1).join('\n'));
    expect(log!.unknownKeys).toBeGreaterThan(0);
  });
});

describe('an anchor', () => {
  it('puts the head into a transaction, keeps it when that is bumped, and proves it once it is in a block', async () => {
    const { address } = (await app.post(`/api/v1/wallets/${walletId}/addresses`)).body;
    expect((await app.post(`${AUDIT}/anchor`, { fee_rate: '2', wallet_id: walletId })).status).toBe(422);
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address });
    await app.post('/api/v1/bitcoin/blocks', { count: 100 });
    await app.synced();
    await settled();
    const before = await total();
    const made = await app.post(`${AUDIT}/anchor`, { fee_rate: '2', wallet_id: walletId });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ status: 'broadcast', head: { size: before } });
    expect(await newest()).toMatchObject({ operation: 'audit.anchor', outcome: 'done', target: made.body.txid });
    const { data } = (await app.get(`${AUDIT}/anchors`)).body;
    expect(data).toMatchObject([
      { anchor_id: made.body.anchor_id, txid: made.body.txid, status: 'broadcast', proof: null },
    ]);

    const bumped = await app.post(`/api/v1/transactions/${made.body.txid}/bump`, { fee_rate: '10' });
    expect(bumped.status).toBe(201);
    await app.post('/api/v1/bitcoin/blocks', { count: 1 });
    await app.synced();
    const [anchor] = (await app.get(`${AUDIT}/anchors`)).body.data;
    expect(anchor).toMatchObject({ txid: bumped.body.txid, status: 'confirmed', size: before });
    const proof = {
      txid: anchor.txid,
      transaction: anchor.proof.transaction,
      block_hash: anchor.block_hash,
      block_header: anchor.proof.block_header,
      index: anchor.proof.index,
      branch: anchor.proof.branch,
    };
    const head = { size: before, root: hashes([made.body.head.root])[0]! };
    expect(anchorProblem(head, proof)).toBeNull();
    expect(anchorProblem({ ...head, size: before + 1 }, proof)).toMatch(/does not carry/);
    expect(anchorProblem(head, { ...proof, index: proof.index ^ 1 })).toMatch(/not in its block/);
    expect(anchorProblem(head, { ...proof, block_hash: '00'.repeat(32) })).toMatch(/another block/);
    expect(anchorProblem(head, { ...proof, ...withoutWork(proof.block_header) })).toMatch(/no proof of work/);

    const [log] = verified(await exported());
    expect(log?.anchors).toEqual([{ size: before, txid: anchor.txid, blockHash: anchor.block_hash }]);
    const lines = (await exported()).trimEnd().split('\n');
    const at = lines.findIndex((line) => line.includes('"type":"anchor"'));
    const wrong = JSON.stringify({ ...JSON.parse(lines[at]!), root: '00'.repeat(32) });
    expect(() => verified(lines.with(at, wrong).join('\n'))).toThrow(/another root/);
  });

  it('that was cancelled proves nothing, and leaves the export good', async () => {
    const made = await app.post(`${AUDIT}/anchor`, { fee_rate: '2', wallet_id: walletId });
    expect((await app.post(`/api/v1/transactions/${made.body.txid}/cancel`, { fee_rate: '20' })).status).toBe(201);
    await app.post('/api/v1/bitcoin/blocks', { count: 1 });
    await app.synced();
    const [anchor] = (await app.get(`${AUDIT}/anchors`)).body.data;
    expect(anchor).toMatchObject({ anchor_id: made.body.anchor_id, txid: made.body.txid, proof: null });
    expect(anchor.status).not.toBe('confirmed');
    expect(verified(await exported())[0]?.anchors).toHaveLength(1);
  });

  it('is refused in an empty log', async () => {
    const answer = await app.post(
      `${AUDIT}/anchor`,
      { fee_rate: '2' },
      { apiKey: (await app.anotherAccount('empty')).apiKey },
    );
    expect([answer.status, answer.body.error.details.code]).toEqual([409, 'state_conflict']);
  });
});
