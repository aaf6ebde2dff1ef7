/**
 * A round of the driver over contracts that wait: 10,000 confirmed ones, whose events and refunds are years away, and a question for what
 * is to be asked of oracles. SQLite.
 */
import { performance } from 'node:perf_hooks';
import { createContractDriver } from '../../src/services/contracts/driver/contract-driver.ts';
import { createSettleByItself } from '../../src/services/contracts/settlement/settle-by-itself.ts';
import type { Store } from '../../src/store/store.ts';
import { contractRecord, fullContractRecord, oracleEventRecord, oracleRecord } from '../builders/contract-records.ts';
import { accountRecord, txidOf } from '../builders/store-records.ts';
import { openTemporarySqlite, silent } from '../builders/stores.ts';

const CONTRACTS = 10_000;
const YEARS_AWAY = 4_000_000_000;
const never = () => () => {};
const unused = async (): Promise<never> => {
  throw new Error('nothing is due');
};

await using sqlite = await openTemporarySqlite();
const { store } = sqlite;
await fill(store);

let calls = 0;
const counted = new Proxy(store, {
  get(target, name) {
    const value = Reflect.get(target, name) as unknown;
    if (name !== 'read') return typeof value === 'function' ? value.bind(target) : value;
    return new Proxy(target.read, {
      get: (read, repository) =>
        new Proxy(Reflect.get(read, repository) as object, {
          get(methods, method) {
            calls++;
            return Reflect.get(methods, method) as unknown;
          },
        }),
    });
  },
});
const moves = { move: unused };
const driver = createContractDriver({
  store: counted,
  moves,
  steps: createSettleByItself({
    ...{ store: counted, moves, clock: Date.now },
    oracles: { attestationsOf: async () => [], fetchAttestation: unused } as never,
    settling: { build: unused, commit: unused, load: unused },
    refunding: { build: unused, commit: unused } as never,
    sendClosing: unused as never,
  }),
  viewIn: unused,
  ...{ onTip: never, onAttestation: never, clock: Date.now, log: silent },
});

await measured(`a round over ${CONTRACTS} contracts that wait`, () => driver.round());
await measured('the question for what is to be asked of oracles', () =>
  counted.read.oracles.toPoll(Date.now(), { ofEach: 100, all: 1_000 }),
);

async function measured(name: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    calls = 0;
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  const median = times.toSorted((one, other) => one - other)[2] as number;
  console.log(`${name}: ${median.toFixed(1)} ms, ${calls} queries`);
}

async function fill({ write }: Pick<Store, 'write'>): Promise<void> {
  await write(async (tx) => {
    await tx.accounts.insert(accountRecord());
    await tx.oracles.insert(oracleRecord('ora_one'));
  });
  const { offerSide, acceptSide, dlcContractId } = fullContractRecord('ctr_full');
  for (let from = 0; from < CONTRACTS; from += 1_000) {
    await write(async (tx) => {
      for (let n = from; n < from + 1_000; n++) {
        await tx.oracleEvents.insert(oracleEventRecord('ora_one', `e${n}`, { maturityEpoch: YEARS_AWAY }));
        await tx.contracts.insert(
          contractRecord(`ctr_${n}`, {
            ...{ status: 'confirmed', oracleIds: ['ora_one'], eventIds: [`e${n}`] },
            ...{ offerSide, acceptSide, dlcContractId, refundLocktime: YEARS_AWAY },
            ...{ fundingTxid: txidOf(`f${n}`), fundingVout: 0, fundingHeight: 100 },
          }),
        );
      }
    });
  }
}
