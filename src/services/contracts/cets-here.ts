/** Adaptor signatures made in this thread, in slices that leave the event loop its turns: for tests, and where no workers are. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { contractOf } from '../../core/dlc/contract/contract-of.ts';
import type { DlcContract } from '../../core/dlc/contract/dlc-contract.ts';
import { signCets, verifyCets } from '../../core/dlc/contract/sign-cets.ts';
import { parseAccept } from '../../core/dlc/messages/accept.ts';
import { parseOffer } from '../../core/dlc/messages/offer.ts';
import { ecc } from '../../core/keys/ecc.ts';
import type { CetMessages, CetWork } from './remote/remote-dependencies.ts';

const SLICE = 16;
const BYTES = 162;

export function createCetsHere(randomBytes: (size: number) => Uint8Array): CetWork {
  async function inSlices(
    { offer, accept, dialect, onProgress, signal }: CetMessages,
    work: (contract: DlcContract, range: { from: number; to: number }) => boolean,
  ): Promise<void> {
    const contract = contractOf(parseOffer(offer, dialect), parseAccept(accept, dialect).party, dialect);
    const total = contract.caseCount;
    for (let from = 0; from < total; from += SLICE) {
      signal?.throwIfAborted();
      const to = Math.min(total, from + SLICE);
      if (!work(contract, { from, to })) return;
      onProgress?.(to, total);
      await nextTurn();
    }
  }

  return {
    async signAllCets({ privateKey, ...messages }) {
      const key = Uint8Array.from(privateKey);
      const signatures: Uint8Array[] = [];
      try {
        await inSlices(messages, (contract, range) => {
          signatures.push(signCets(contract, key, range, { ecc, randomBytes }));
          return true;
        });
        return Buffer.concat(signatures);
      } finally {
        key.fill(0);
      }
    },
    async verifyAllCets({ publicKey, signatures, ...messages }) {
      let bad: number | null = null;
      await inSlices(messages, (contract, { from, to }) => {
        bad = verifyCets(contract, publicKey, signatures.subarray(from * BYTES, to * BYTES), { from, to });
        return bad === null;
      });
      return bad === null ? { valid: true } : { valid: false, index: bad };
    },
  };
}
