/** What may be asked for in which state: nothing that spends twice, signs twice, or undoes what the chain has settled. */
import { describe, expect, it } from 'vitest';
import type { Txid } from '../../../src/core/outpoint.ts';
import {
  allows,
  assertContractAllows,
  type ContractAction,
  mayFollow,
  OPEN_STATUSES,
} from '../../../src/services/contracts/contract-states.ts';
import type { ContractStatus } from '../../../src/store/repositories/contract-rows.ts';

const ENDED = ['closed', 'cancelled', 'failed'] as const satisfies readonly ContractStatus[];
const ALL: readonly ContractStatus[] = [...OPEN_STATUSES, ...ENDED];
const closingTxid = 'c'.repeat(64) as Txid;
const allowedIn = (action: ContractAction) => ALL.filter((status) => allows(action, { status, closingTxid: null }));

describe('the table of states', () => {
  it('has every state once', () => {
    expect(new Set(ALL).size).toBe(11);
    expect(OPEN_STATUSES).toHaveLength(8);
  });

  it('spends the funding output only while it is in a block and unspent', () => {
    for (const action of ['execute', 'refund', 'close'] as const)
      expect(allowedIn(action), action).toEqual(['confirmed']);
  });

  it('signs an offer and an acceptance once', () => {
    expect(allowedIn('accept')).toEqual(['offered']);
    expect(allowedIn('sign')).toEqual(['accepted']);
  });

  it('cancels nothing whose funding is in a block, and bumps nothing that is', () => {
    expect(allowedIn('cancel')).toEqual(['offered', 'accepted', 'signed', 'funded']);
    expect(allowedIn('cpfp')).toEqual(['signed', 'funded', 'executed', 'refunded']);
  });

  it('takes nothing but help for what closes it once that is committed', () => {
    const actions = ['accept', 'sign', 'execute', 'refund', 'cancel', 'close', 'cpfp'] as const;
    for (const status of ['funded', 'confirmed'] as const) {
      expect(actions.filter((action) => allows(action, { status, closingTxid }))).toEqual(['cpfp']);
    }
    const closing = { contractId: 'ctr_1', status: 'confirmed', closingTxid, reason: null, outcome: 'yes' } as const;
    expect(() => assertContractAllows('refund', closing)).toThrow(
      'contract ctr_1 is confirmed and cannot be refunded: its closing transaction is signed, and no node has accepted it yet (yes)',
    );
  });

  it('leads out of an end only where the chain does: to funding, never back to messages', () => {
    for (const from of ENDED) {
      for (const to of ['offered', 'accepted'] as const) expect(mayFollow(from, to), `${from} to ${to}`).toBe(false);
      if (from !== 'closed') expect(mayFollow(from, 'executed'), `${from} to executed`).toBe(false);
    }
    expect(mayFollow('cancelled', 'failed')).toBe(false);
    // Collateral that is not there yet is neither paid out nor given back.
    for (const from of ['offered', 'accepted', 'signed', 'funded'] as const) {
      for (const to of ['executed', 'refunded', 'closed'] as const)
        expect(mayFollow(from, to), `${from} to ${to}`).toBe(false);
    }
    expect(mayFollow('offered', 'signed')).toBe(false);
  });

  it('says where a contract stands that something else is asked of', () => {
    const contract = { contractId: 'ctr_1', status: 'closed', closingTxid, reason: null, outcome: 'yes' } as const;
    expect(() => assertContractAllows('refund', contract)).toThrow(
      expect.objectContaining({ code: 'state_conflict', message: expect.stringContaining('(yes)') }),
    );
  });
});
