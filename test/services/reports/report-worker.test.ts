/** Reports as they are made: after a restart, accounts by turns, within bounds, for whoever may still read them. */
import { expect, it, onTestFinished } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import type { ReportId } from '../../../src/store/repositories/reports.ts';
import { numbers, openReports } from './reports-setup.ts';

async function open() {
  const opened = await openReports();
  onTestFinished(opened.close);
  return opened;
}
async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}
const until = (value: () => Promise<unknown>, wanted: unknown) =>
  expect.poll(value, { timeout: 60_000, interval: 5 }).toEqual(wanted);

/** Pages are given when they are let through. */
function gated() {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  return {
    gate: (passed: number) =>
      isOpen || passed === 0 ? Promise.resolve() : new Promise<void>((resolve) => void waiting.push(resolve)),
    open: () => {
      isOpen = true;
      for (const go of waiting.splice(0)) go();
    },
    reached: () => waiting.length > 0,
  };
}

it('what a restart interrupted begins anew, and is whole', async () => {
  const { store, start, contextOf, asked } = await open();
  const halfway = gated();
  const before = await start([numbers(halfway.gate)]);
  const { reportId } = await before.reports.create(asked(3_000), contextOf());
  before.worker.start();
  await expect.poll(halfway.reached, { timeout: 60_000 }).toBe(true);
  const stopped = before.worker.stop();
  halfway.open();
  await stopped;
  const status = async () => (await store.read.reports.find('acc_one', reportId))?.status;
  expect(await status()).toBe('running');

  const { reports, worker } = await start();
  onTestFinished(() => worker.stop());
  worker.start();
  await until(status, 'done');
  const report = await reports.open('analytics', reportId, contextOf());
  const text = await textOf(report.pieces);
  expect(text.split('\r\n').filter((line) => /,0\.000\d{5}$/.test(line))).toHaveLength(3_000);
  expect(report).toMatchObject({
    begun: 2,
    rowCount: 3_000,
    passed: 3_000,
    toPass: 3_000,
    size: Buffer.byteLength(text),
  });
});

it('a report whose maker is revoked, or loses a right, stops', async () => {
  const { store, start, contextOf, asked } = await open();
  const { reports, worker } = await start();
  onTestFinished(() => worker.stop());
  const { reportId } = await reports.create(asked(400), contextOf());
  const narrowed = { ...contextOf('two'), credential: { ...contextOf('two').credential, scopes: ['analytics:write'] } };
  await expect(reports.create(asked(400), narrowed)).rejects.toThrow(/takes the scope transactions:read/);
  await store.write((tx) => tx.apiKeys.revoke('acc_one', 'key_one', Date.now()));
  worker.start();
  await until(async () => (await reports.get('analytics', reportId, contextOf())).status, 'failed');
  expect(await store.read.reports.find('acc_one', reportId)).toMatchObject({
    reason: 'key_one, which asked for it, was revoked or disabled, or has expired',
  });
});

it('a cancelled one stops and leaves nothing; another account has its turn beside a long one', async () => {
  const { store, start, contextOf, asked } = await open();
  const { reports, worker } = await start();
  onTestFinished(() => worker.stop());
  worker.start();
  const long = (await reports.create(asked(50_000_000), contextOf())).reportId;
  const pieces = async (reportId: ReportId) =>
    (await store.read.reports.piece({ accountId: 'acc_one', reportId }, 0)) !== null;
  await until(() => pieces(long), true);
  const short = (await reports.create(asked(1_000), contextOf('two'))).reportId;
  await until(async () => (await reports.get('analytics', short, contextOf('two'))).status, 'done');
  expect((await reports.get('analytics', long, contextOf())).status).toBe('running');
  await reports.cancel('analytics', long, contextOf());
  expect(await pieces(long)).toBe(false);
  expect(await store.read.reports.find('acc_one', long)).toMatchObject({ status: 'cancelled', stored: 0 });
  const next = (await reports.create(asked(10), contextOf())).reportId;
  await until(async () => (await reports.get('analytics', next, contextOf())).status, 'done');
  expect(await pieces(long)).toBe(false);
});

it('an account has so many in the making', async () => {
  const { start, contextOf, asked } = await open();
  const { reports } = await start();
  for (let n = 0; n < 5; n++) await reports.create(asked(1), contextOf());
  await expect(reports.create(asked(1), contextOf())).rejects.toThrow(/5 analytics reports are being made/);
  // Those of one kind are not the other's.
  const audit = { ...numbers(), kind: 'compliance' as const };
  const other = await start([numbers(), audit]);
  await expect(other.reports.create({ ...asked(1), kind: 'compliance' }, contextOf())).resolves.toMatchObject({
    status: 'queued',
  });
  await expect(reports.create(asked(1), contextOf('two'))).resolves.toMatchObject({ status: 'queued' });
});

it('what waits for the node is not counted as begun; what was uploaded goes with the end', async () => {
  const { store, start, contextOf, asked } = await open();
  let isAway = true;
  const away = numbers(async () => {
    if (isAway) throw new DomainError('unavailable', 'the node is away');
  });
  const { reports, worker } = await start([away]);
  onTestFinished(() => worker.stop());
  const { reportId } = await reports.create({ ...asked(10), input: 'customer,1' }, contextOf());
  const cancelled = (await reports.create({ ...asked(10), input: 'customer,1' }, contextOf('two'))).reportId;
  await reports.cancel('analytics', cancelled, contextOf('two'));
  expect(await store.read.reports.findWhole('acc_two', cancelled)).toMatchObject({ input: null });
  worker.start();
  const whole = () => store.read.reports.findWhole('acc_one', reportId);
  await until(() => whole().then((report) => [report?.status, report?.begun]), ['running', 0]);
  expect((await whole())?.input).not.toBeNull();
  isAway = false;
  await until(() => whole().then((report) => [report?.status, report?.input]), ['done', null]);
});

it('what is stored tells nothing, and is bound to its place', async () => {
  const { store, start, contextOf, asked } = await open();
  const { reports, worker } = await start();
  onTestFinished(() => worker.stop());
  worker.start();
  const { reportId } = await reports.create(asked(3_000), contextOf());
  await until(async () => (await reports.get('analytics', reportId, contextOf())).status, 'done');
  const key = { accountId: 'acc_one', reportId } as const;
  const [first, second] = [await store.read.reports.piece(key, 0), await store.read.reports.piece(key, 1)];
  expect(Buffer.from(first as Uint8Array).includes('quick brown')).toBe(false);
  await store.write(async (tx) => {
    await tx.reports.deletePieces(key, 2);
    await tx.reports.addPiece({ ...key, place: 0, content: second as Uint8Array });
  });
  await expect(textOf((await reports.open('analytics', reportId, contextOf())).pieces)).rejects.toThrow();
});
