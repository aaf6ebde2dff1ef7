/** What must hold after the last crash. Answers what does not, in sentences. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSimulatedChain } from '../../../src/chain/simulated/simulated-chain.ts';
import { parseBlockTransactions } from '../../../src/core/blocks/block.ts';
import { CLI } from '../../builders/built.ts';
import { eventually } from '../../builders/service-process.ts';
import { collectedLog } from '../../secrets/collected.ts';
import { KINDS, PAYMENT, payeeScript } from './mix.ts';
import type { Series, Wish } from './series.ts';

export interface Tally {
  done: number;
  refused: number;
  /** Whose request broke off at least once; `replayed`: whose effect a later request found made. */
  broken: number;
  replayed: number;
  /** Broke off, and had taken effect all the same. */
  unknownDone: number;
  unknownNot: number;
}

/** Effects by mark, against what was answered. */
export async function effectsVerdict(series: Series): Promise<{ wrong: string[]; tally: Tally }> {
  const { caller, world, wishes } = series;
  const wrong: string[] = [];
  const tally: Tally = { done: 0, refused: 0, broken: 0, replayed: 0, unknownDone: 0, unknownNot: 0 };
  const trail = await auditTrail(series);
  for (const kind of KINDS) {
    const found = await kind.found?.(caller, world);
    for (const wish of wishes.filter((one) => one.kind === kind)) {
      const records = wish.nonces
        .flatMap((nonce) => trail.get(nonce) ?? [])
        .filter(({ outcome }) => outcome === 'done');
      const ids = found?.get(wish.mark) ?? (found === undefined ? records.map(({ target }) => target) : []);
      if (wish.broken) tally.broken++;
      if (wish.broken === 'replayed') tally.replayed++;
      wrong.push(...wishVerdict(wish, ids, records));
      if (wish.outcome !== 'unknown') tally[wish.outcome]++;
      else tally[ids.length > 0 ? 'unknownDone' : 'unknownNot']++;
    }
    const marks = new Set(wishes.map(({ mark }) => mark));
    for (const mark of found?.keys() ?? []) {
      if (mark.startsWith('mark-') && !marks.has(mark)) wrong.push(`${kind.operation} ${mark}: nobody asked for it`);
    }
  }
  return { wrong, tally };
}

/** What is kept of the wallets, against their coins and addresses one by one. */
export async function sumsVerdict({ caller, world }: Series): Promise<string[]> {
  const wrong: string[] = [];
  for (const wallet of [world.main, world.vault]) {
    const path = `/api/v1/wallets/${wallet}`;
    const sats = (btc: string): bigint => BigInt(btc.replace('.', ''));
    const coins: any[] = await caller.readAll(`${path}/utxos`);
    const sum = (which: (coin: any) => boolean) =>
      coins.filter(which).reduce((total, { amount }) => total + sats(amount), 0n);
    const { confirmed, pending, immature, locked } = await caller.read(`${path}/balance`);
    const [kept, counted] = [
      [confirmed, pending, immature, locked].map(sats),
      [
        ...['confirmed', 'pending', 'immature'].map((status) => sum((coin) => coin.status === status)),
        sum((coin) => coin.locked || coin.frozen || coin.held),
      ],
    ];
    if (`${kept}` !== `${counted}`) wrong.push(`the balance of ${wallet} is ${kept}, its coins come to ${counted}`);
    for (const list of ['utxos', 'addresses']) {
      const { total } = (await caller.read(`${path}/${list}?limit=1`)).pagination;
      const { length } = await caller.readAll(`${path}/${list}`);
      if (total !== length) wrong.push(`${wallet} has ${length} ${list}, and ${total} are counted`);
    }
  }
  return wrong;
}

interface Recorded {
  operation: string;
  target: string;
  outcome: string;
}

function wishVerdict(wish: Wish, ids: readonly string[], records: readonly Recorded[]): string[] {
  const wrong: string[] = [];
  const say = (what: string) => wrong.push(`${wish.kind.operation} ${wish.mark} (${wish.outcome}): ${what}`);
  if (wish.outcome === 'done') {
    if (ids.length !== 1) say(`it is there ${ids.length} times`);
    const id = wish.kind.idOf(wish.answer?.body);
    if (id !== '' && wish.kind.found !== undefined && ids[0] !== id) say(`answered as ${id}, there as ${ids[0]}`);
  }
  if (wish.outcome === 'refused' && ids.length > 0) say(`refused, but there as ${ids}`);
  if (ids.length > 1) say(`made ${ids.length} times: ${ids}`);
  if (records.length !== Math.min(1, ids.length)) say(`${ids.length} effects, ${records.length} audit records`);
  for (const record of records) {
    if (record.operation !== wish.kind.operation) say(`recorded as ${record.operation}`);
  }
  return wrong;
}

/** Records by the nonce of the request that they are of. */
async function auditTrail({ caller }: Series): Promise<Map<string, Recorded[]>> {
  const trail = new Map<string, Recorded[]>();
  for (const record of await caller.readAll('/api/v1/compliance/audit')) {
    const nonce = JSON.parse(record.entry).signature?.nonce as string | undefined;
    if (nonce === undefined) continue;
    trail.set(nonce, [...(trail.get(nonce) ?? []), record]);
  }
  return trail;
}

/** The whole log, exported and verified by the command, apart from the service. Answers what is wrong. */
export async function auditVerdict({ caller, service }: Series): Promise<string[]> {
  const newest = async () => caller.read('/api/v1/compliance/audit?limit=100');
  const { pagination } = await eventually('every record is sealed', async () => {
    const page = await newest();
    return page.data.every(({ seal }: { seal: unknown }) => seal !== null) && page;
  });
  const file = join(service.dataDir, 'audit.ndjson');
  writeFileSync(file, await caller.readText('/api/v1/compliance/audit/export'));
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'audit', 'verify', file], {
    ...{ encoding: 'utf8', timeout: 120_000 },
  });
  if (status !== 0) return [`audit verify ends with ${status}: ${stdout}${stderr}`];
  const { logs } = JSON.parse(stdout) as { logs: { records: number }[] };
  return logs[0]?.records === pagination.total ? [] : [`${logs[0]?.records} of ${pagination.total} records: ${stdout}`];
}

/** Everything that was sent gets into a block. */
export async function allConfirmed({ caller }: Series): Promise<void> {
  await caller.write({ method: 'POST', path: '/api/v1/bitcoin/blocks', body: { count: 1 } }, 'last-block', () => {});
  await eventually('every payment is confirmed', async () => {
    await caller.write(
      { method: 'POST', path: '/api/v1/bitcoin/blocks', body: { count: 1 } },
      crypto.randomUUID(),
      () => {},
    );
    const status = await caller.read('/api/v1/blockchain/status');
    const [signed, sent] = await Promise.all(
      ['signed', 'broadcast'].map((state) => caller.read(`/api/v1/transactions?status=${state}&limit=1`)),
    );
    return status.follower.lag === 0 && signed.data.length === 0 && sent.data.length === 0;
  });
}

/** The service is stopped, and the chain itself says who was paid how often. */
export async function chainVerdict({ service, wishes }: Series): Promise<string[]> {
  await service.stop();
  const log = collectedLog();
  const chain = await createSimulatedChain({
    dataDir: join(service.dataDir, 'simulated'),
    clock: Date.now,
    randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
    log,
  });
  const paid = new Map<string, number>();
  const { height } = await chain.info();
  for (let at = 1; at <= height; at++) {
    const hash = await chain.blockHashAt(at);
    const block = hash === null ? null : await chain.block(hash);
    if (block === null) throw new Error(`the chain has no block at ${at}`);
    for (const { outputs } of parseBlockTransactions(block.bytes)) {
      for (const { scriptPubKey } of outputs) paid.set(scriptPubKey, (paid.get(scriptPubKey) ?? 0) + 1);
    }
  }
  await chain.close();
  return wishes
    .filter(({ kind }) => kind.operation === PAYMENT)
    .flatMap(({ mark, outcome }) => {
      const times = paid.get(Buffer.from(payeeScript(mark)).toString('hex')) ?? 0;
      const right = outcome === 'done' ? times === 1 : outcome === 'refused' ? times === 0 : times <= 1;
      return right ? [] : [`payment ${mark} (${outcome}) is in the chain ${times} times`];
    });
}
