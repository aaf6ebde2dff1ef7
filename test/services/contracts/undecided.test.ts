/** Attestations that decide nothing are gone through once, until there are more. */

import { expect, it } from 'vitest';
import type { ContractId } from '../../../src/core/ids.ts';
import { createSettleByItself } from '../../../src/services/contracts/settlement/settle-by-itself.ts';
import { contractRecord } from '../../builders/contract-records.ts';

it('of oracles that contradict each other nothing is computed again before another has spoken', async () => {
  const kept = new Map<string, number>([
    ['ora_a', 1],
    ['ora_b', 1],
    ['ora_c', 0],
  ]);
  let built = 0;
  const unused = async (): Promise<never> => {
    throw new Error('nothing is decided');
  };
  const [settle] = createSettleByItself({
    store: { read: { ledger: { tip: async () => ({ height: 100, medianTime: 1_700_000_000 }) } } } as never,
    moves: { move: unused },
    oracles: {
      attestationsOf: async (_, oracleId) =>
        Array.from({ length: kept.get(oracleId)! }, () => ({ attestation: '' })) as never,
      askForAttestation: unused,
    },
    settling: {
      load: async () => ({}) as never,
      async build() {
        built++;
        return null;
      },
      commit: unused,
    },
    refunding: { build: unused, commit: unused },
    sendClosing: unused,
    clock: Date.now,
  });
  const contract = (contractId: ContractId) =>
    contractRecord(contractId, {
      status: 'confirmed',
      oracleIds: ['ora_a', 'ora_b', 'ora_c'],
      eventIds: ['e', 'e', 'e'],
      threshold: 2,
    });
  const { signal } = new AbortController();
  const run = (contractId: ContractId = 'ctr_one') => settle!.run(contract(contractId), signal);
  expect(await run()).toBeNull();
  expect(await run()).toBeNull();
  expect(built).toBe(1);
  await run('ctr_two');
  expect(built).toBe(2);
  kept.set('ora_c', 1);
  await run();
  await run();
  expect(built).toBe(3);
});
