import { describe, expect, it } from 'vitest';
import { OF_SERVICE } from '../../../src/services/policies/gate.ts';
import { createTransactionMaker, type Spend } from '../../../src/services/transactions/make-transaction.ts';
import { createSignPlan } from '../../../src/services/transactions/signing/sign-plan.ts';

/** The steps, in the order in which they were taken. */
function making({ secret, check }: { secret: Uint8Array | null; check?: Spend['check'] }) {
  const steps: string[] = [];
  const maker = createTransactionMaker({
    leaseWallet: async () => ({
      change: { scriptPubKey: '51' },
      coins: async (plan: (coins: unknown) => unknown) => plan({}),
      committed: () => steps.push('committed'),
      release: () => steps.push('released'),
    }),
    signPlan: createSignPlan({
      openKeyRing: async () => {
        steps.push('keys opened');
        return { dispose: () => steps.push('keys disposed') } as never;
      },
      randomBytes: (size) => new Uint8Array(size),
    }),
    composePsbt: async (built: unknown) => built,
  } as never);
  const spend = {
    ...{ wallet: { type: 'segwit', secret }, details: () => ({}) },
    plan: () => {
      steps.push('planned');
      // An input that no key of the ring signs.
      return { version: 2, locktime: 0, inputs: secret === null ? [] : [{}], outputs: [] };
    },
    ...(check && { check }),
  } as never;
  return { steps, drafted: maker.draft(spend, { hold: true, by: OF_SERVICE }) };
}

describe('a draft', () => {
  it('that cannot be signed wipes the keys and releases what it has leased', async () => {
    const { steps, drafted } = making({ secret: new Uint8Array(65) });
    await expect(drafted).rejects.toThrow();
    expect(steps).toEqual(['planned', 'keys opened', 'keys disposed', 'released']);
  });

  it('whose check fails is none, and releases what it has leased', async () => {
    const check = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('a coin is spent');
    };
    const { steps, drafted } = making({ secret: null, check });
    await expect(drafted).rejects.toThrow('a coin is spent');
    expect(steps).toEqual(['planned', 'released']);
  });
});
