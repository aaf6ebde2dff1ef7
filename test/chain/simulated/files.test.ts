import { appendFileSync, copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRecordLog } from '../../../src/chain/simulated/record-log.ts';
import { txid } from '../../../src/core/outpoint.ts';
import { fundedChain, mempoolOf, NOBODY, openChain, owner, sorted, temporaryFolder } from './simulated-setup.ts';

/** What a kill -9 leaves: the files as they are, without a close. */
function copyOf(folder: string): string {
  const copy = join(temporaryFolder(), 'copy');
  mkdirSync(copy);
  for (const name of ['blocks.dat', 'mempool.dat']) copyFileSync(join(folder, name), join(copy, name));
  return copy;
}

describe('a simulated chain in files', () => {
  it('goes on after a restart: blocks, coins, mempool, stale branches', async () => {
    const dataDir = temporaryFolder();
    const { chain, coins } = await fundedChain(3, { dataDir });
    const mined = owner.spend({ coins: [coins[0]!] });
    await chain.broadcast(mined.raw);
    const [stale] = await chain.mine(1, NOBODY);
    await chain.reorganize(1, { remine: true });
    const waiting = owner.spend({ coins: [coins[1]!] });
    const child = owner.spend({ coins: [waiting.coin(0)] });
    await chain.broadcast(waiting.raw);
    await chain.broadcast(child.raw);
    const before = await chain.info();
    await chain.close();

    const again = await openChain({ dataDir });
    expect(await again.info()).toEqual(before);
    expect(await mempoolOf(again)).toEqual(sorted(waiting, child));
    expect(await again.header(stale!.hash)).toMatchObject({ inBestChain: false });
    expect(await again.transaction(txid(mined.txid))).toMatchObject({ confirmations: 2 });
    expect(await again.utxo({ txid: txid(coins[0]!.txid), vout: 0 })).toBeNull();
    expect(await again.broadcast(owner.spend({ coins: [coins[2]!] }).raw)).toEqual({ result: 'accepted' });
    await again.mine(1, NOBODY);
    expect((await again.info()).height).toBe(before.height + 1);
  });

  it('is readable whenever the process is killed, without close', async () => {
    const dataDir = temporaryFolder();
    const { chain, coins } = await fundedChain(4, { dataDir });
    const payments = coins.map((coin) => owner.spend({ coins: [coin] }));
    for (const [i, payment] of payments.entries()) {
      await chain.broadcast(payment.raw);
      if (i === 1) await chain.mine(1, NOBODY);
      const other = await openChain({ dataDir: copyOf(dataDir) });
      expect(await other.info()).toEqual(await chain.info());
      expect(await mempoolOf(other)).toEqual(await mempoolOf(chain));
    }
  });

  it('does not bring back what was replaced or evicted', async () => {
    const dataDir = temporaryFolder();
    const { chain, coins } = await fundedChain(2, { dataDir });
    const first = owner.spend({ coins: [coins[0]!], feeSats: 500n });
    const better = owner.spend({ coins: [coins[0]!], feeSats: 5_000n });
    const evicted = owner.spend({ coins: [coins[1]!] });
    for (const { raw } of [first, better, evicted]) await chain.broadcast(raw);
    await chain.evict(txid(evicted.txid));
    const again = await openChain({ dataDir: copyOf(dataDir) });
    expect(await mempoolOf(again)).toEqual(sorted(better));
    await chain.broadcast(evicted.raw);
    expect(await mempoolOf(await openChain({ dataDir: copyOf(dataDir) }))).toEqual(sorted(better, evicted));
  });

  it('keeps the old branch until the new one is written in full', async () => {
    const dataDir = temporaryFolder();
    const { chain, coins } = await fundedChain(1, { dataDir });
    const payment = owner.spend({ coins });
    await chain.broadcast(payment.raw);
    await chain.mine(3, NOBODY);
    const before = await chain.info();
    const sizeBefore = readFileSync(join(dataDir, 'blocks.dat')).length;
    await chain.reorganize(3);
    const sizeAfter = readFileSync(join(dataDir, 'blocks.dat')).length;
    const copy = copyOf(dataDir);
    const blocks = readFileSync(join(copy, 'blocks.dat'));
    for (let cut = sizeAfter - 1; cut >= sizeBefore; cut -= 97) {
      writeFileSync(join(copy, 'blocks.dat'), blocks.subarray(0, cut));
      const other = await openChain({ dataDir: copy });
      expect(await other.info()).toEqual(before);
      await other.close();
    }
  });

  it('stays cut back after a restart', async () => {
    const dataDir = temporaryFolder();
    const chain = await openChain({ dataDir });
    await chain.mine(5, NOBODY);
    await chain.disconnect(3);
    const cut = await chain.info();
    expect(cut.height).toBe(2);
    expect(await (await openChain({ dataDir: copyOf(dataDir) })).info()).toEqual(cut);
    await chain.mine(1, NOBODY);
    expect(await (await openChain({ dataDir: copyOf(dataDir) })).info()).toEqual(await chain.info());
  });

  it('refuses block files that are not its own', async () => {
    const dataDir = temporaryFolder();
    const { log } = openRecordLog(join(dataDir, 'blocks.dat'));
    log.append(1, Buffer.alloc(200, 7));
    log.close();
    await expect(openChain({ dataDir })).rejects.toThrow(/blocks\.dat/);
  });
});

describe('a record log', () => {
  const filled = () => {
    const path = join(temporaryFolder(), 'test.log');
    const { log } = openRecordLog(path);
    for (let i = 0; i < 4; i++) log.append(i, Buffer.alloc(10 + i, i));
    log.close();
    return path;
  };
  const types = (path: string) => {
    const { log, records } = openRecordLog(path);
    log.close();
    return records.map((record) => record.type);
  };

  it('gives back what was appended', () => {
    const path = filled();
    const { log, records, droppedBytes } = openRecordLog(path);
    expect(records.map(({ type, payload }) => [type, payload.toString('hex')])).toEqual(
      [0, 1, 2, 3].map((i) => [i, Buffer.alloc(10 + i, i).toString('hex')]),
    );
    expect(droppedBytes).toBe(0);
    log.rewrite([{ type: 9, payload: Buffer.from('x') }]);
    log.append(8, Buffer.from('y'));
    log.close();
    expect(types(path)).toEqual([9, 8]);
  });

  it('drops a torn end wherever it was torn, and goes on after it', () => {
    const whole = readFileSync(filled());
    const lastStart = whole.length - 22;
    for (let cut = lastStart + 1; cut < whole.length; cut++) {
      const path = filled();
      truncateSync(path, cut);
      const { log, records, droppedBytes } = openRecordLog(path);
      expect(records.length).toBe(3);
      expect(droppedBytes).toBe(cut - lastStart);
      log.append(7, Buffer.from('after'));
      log.close();
      expect(types(path)).toEqual([0, 1, 2, 7]);
    }
  });

  it('drops what fails its checksum and what follows it', () => {
    const path = filled();
    const bytes = readFileSync(path);
    bytes[25]! ^= 1;
    writeFileSync(path, bytes);
    expect(types(path)).toEqual([0]);
    const garbage = filled();
    appendFileSync(garbage, Buffer.alloc(5000, 0xff));
    expect(types(garbage)).toEqual([0, 1, 2, 3]);
  });
});
