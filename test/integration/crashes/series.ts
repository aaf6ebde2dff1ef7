/** One service, killed with -9 again and again while it is written to; what was asked and answered is kept for the verdict. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type ServiceProcess, startService } from '../../builders/service-process.ts';
import { type Answered, type Caller, type Credentials, createCaller, type Wanted } from './caller.ts';
import { KINDS, type Kind, type World } from './mix.ts';
import { type Random, seededRandom } from './random.ts';

/** Something that is wanted once, however often it is asked for. */
export interface Wish {
  readonly mark: string;
  readonly kind: Kind;
  readonly wanted: Wanted;
  /** Its Idempotency-Key. */
  readonly key: string;
  /** Of every request that asked for it. */
  readonly nonces: string[];
  /** `unknown`: no whole answer came, or one that says to try again. */
  outcome: 'unknown' | 'done' | 'refused';
  /** A request for it broke off; `replayed`: and the answer to a later one was the recorded one, so it had taken effect. */
  broken: false | 'broken' | 'replayed';
  answer: Answered | null;
}

export interface Series {
  readonly service: ServiceProcess;
  readonly caller: Caller;
  readonly world: World;
  readonly wishes: Wish[];
  /** What must not be, found on the way. */
  readonly faults: string[];
  /** Asks for a wish (again) and notes what came of it. */
  ask(wish: Wish): Promise<void>;
}

const AT_ONCE = 6;
const FUNDED = 24;
/** A round ends after this many answers at most, and a random while within the next. */
const MAX_ANSWERS = 16;
const MAX_PAUSE_MS = 25;
const MAX_ROUND_MS = 5_000;

export async function runSeries(options: {
  env: Record<string, string>;
  seed: number;
  crashes: number;
}): Promise<Series> {
  const random = seededRandom(options.seed);
  const env = { CHAIN: 'simulated', LOG_LEVEL: 'debug', ...options.env };
  const service = await startService(env);
  const credentials = JSON.parse(readFileSync(join(service.dataDir, 'admin-credentials.json'), 'utf8')) as Credentials;
  const caller = await unlimited(service.baseUrl, createCaller(service.baseUrl, credentials));
  const world = await prepare(caller);
  // An orderly end leaves its compiled modules behind: starts take half as long from here on.
  await service.stop();
  await service.start();
  const wishes: Wish[] = [];
  const faults: string[] = [];
  const series: Series = { service, caller, world, wishes, faults, ask: (wish) => ask(caller, wish, faults) };
  for (let round = 0; round < options.crashes; round++) {
    if (round > 0) await service.start();
    await writeUntilKilled(series, random, round);
  }
  await service.start();
  return series;
}

/** The same with a key that is allowed more requests than this makes. */
export async function unlimited(
  origin: string,
  administrator: Caller,
  { name, role } = { name: 'crashes', role: 'admin' },
): Promise<Caller> {
  const wanted = {
    method: 'POST',
    path: '/api/v1/api-keys',
    body: {
      ...{ name, role, scopes: ['*'], tier: 'custom' },
      limits: { requests_per_minute: 1_000_000, bulk_per_minute: 1_000_000, voting_per_minute: 1_000_000 },
    },
  };
  const made = await administrator.write(wanted, `unlimited-${name}`, () => {});
  if (made?.status !== 201) throw new Error(`no key: ${JSON.stringify(made?.body)}`);
  return createCaller(origin, made.body as Credentials);
}

/** Two wallets, and coins on many addresses: coins of one address are spent together. */
export async function prepare(caller: Caller): Promise<World> {
  let count = 0;
  async function made(path: string, body?: unknown): Promise<any> {
    const answer = await caller.write({ method: 'POST', path, body }, `prepare-${count++}`, () => {});
    if (answer === null || answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.body;
  }
  const wallet = async (name: string) =>
    (await made('/api/v1/wallets', { name, type: 'segwit', backup_type: 'none' })).wallet_id as string;
  const [main, vault] = [await wallet('main'), await wallet('vault')];
  for (let i = 0; i < FUNDED; i++) {
    const { address } = await made(`/api/v1/wallets/${i < 4 ? vault : main}/addresses`);
    await made('/api/v1/bitcoin/blocks', { count: 1, address });
  }
  await made('/api/v1/bitcoin/blocks', { count: 100 });
  await eventually('the follower is at the tip', async () => {
    const status = await caller.read('/api/v1/blockchain/status');
    return status.follower.lag === 0 && status.height === FUNDED + 100;
  });
  const vaultCoins = (await caller.readAll(`/api/v1/wallets/${vault}/utxos`)).map(({ txid, vout }) => ({ txid, vout }));
  return { main, vault, vaultCoins };
}

async function writeUntilKilled(series: Series, random: Random, round: number): Promise<void> {
  const { service, wishes, world } = series;
  const again = [
    ...wishes.filter(({ outcome }) => outcome === 'unknown').filter(() => random.next() < 0.5),
    ...wishes.filter(({ outcome }) => outcome === 'done').filter(() => random.next() < 2 / wishes.length),
  ];
  let killed = false;
  let count = 0;
  let answers = 0;
  const writer = async () => {
    while (!killed) {
      await series.ask(again.shift() ?? newWish(`${round}-${count++}`, world, random, wishes));
      answers++;
    }
  };
  const writing = Promise.all(Array.from({ length: AT_ONCE }, writer));
  // A block now and then, so that payments confirm and their coins can be spent.
  if (round % 4 === 3) void series.caller.write(ONE_BLOCK, `block-${round}`, () => {});
  const [enough, pause] = [random.between(0, MAX_ANSWERS), random.between(0, MAX_PAUSE_MS)];
  for (const latest = Date.now() + MAX_ROUND_MS; answers < enough && Date.now() < latest; ) await sleep(1);
  await sleep(pause);
  killed = true;
  await service.kill();
  await writing;
}

const ONE_BLOCK: Wanted = { method: 'POST', path: '/api/v1/bitcoin/blocks', body: { count: 1 } };

function newWish(name: string, world: World, random: Random, wishes: Wish[]): Wish {
  const mark = `mark-${name}`;
  const kind = random.pick(KINDS);
  const wanted = kind.plan(mark, world, random);
  const wish: Wish = {
    mark,
    kind,
    wanted,
    key: `key-${mark}`,
    nonces: [],
    outcome: 'unknown',
    broken: false,
    answer: null,
  };
  wishes.push(wish);
  return wish;
}

async function ask(caller: Caller, wish: Wish, faults: string[]): Promise<void> {
  const answer = await caller.write(wish.wanted, wish.key, (nonce) => wish.nonces.push(nonce));
  if (answer === null) {
    wish.broken ||= 'broken';
    return;
  }
  const said = `${wish.mark} ${wish.kind.operation}: ${answer.status} ${JSON.stringify(answer.body)}`;
  const slug = answer.body?.error?.details?.code;
  if (answer.status >= 500 && answer.status !== 503) faults.push(said);
  if (answer.status === 429) faults.push(said);
  if (answer.status === 503 || slug === 'idempotency_in_flight') return;
  if (answer.status >= 300) {
    if (wish.outcome === 'done') faults.push(`done before, refused now: ${said}`);
    wish.outcome = 'refused';
  } else {
    const before = wish.outcome === 'done' ? wish.answer : null;
    if (before !== null && JSON.stringify(before.body) !== JSON.stringify(answer.body)) {
      faults.push(`answered ${JSON.stringify(before.body)} before, now ${said}`);
    }
    if (before !== null && !answer.replayed) faults.push(`answered before, not replayed now: ${said}`);
    if (wish.outcome === 'unknown' && wish.broken && answer.replayed) wish.broken = 'replayed';
    wish.outcome = 'done';
  }
  wish.answer = answer;
}
