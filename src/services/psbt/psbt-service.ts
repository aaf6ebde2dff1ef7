/** PSBTs that callers send: nothing of them is kept. */
import type { Network } from '../../core/network.ts';
import type { PsbtChanges } from '../../core/psbt/construction/modify-psbt.ts';
import type { PsbtDraft, PsbtInputFacts } from '../../core/psbt/construction/psbt-draft.ts';
import type { PsbtUpdates } from '../../core/psbt/construction/update-psbt.ts';
import type { PsbtCheck } from '../../core/psbt/inspection/psbt-checks.ts';
import type { PsbtJobs, SpentOutput, Unproved } from '../../core/psbt/jobs/psbt-jobs.ts';
import type { SighashName } from '../../core/scripts/sighash-type.ts';
import type { Computing, ComputingFor } from '../../engines/computing/computing.ts';
import type { FairLookups } from '../blockchain/fair-lookups.ts';
import { chainChecks } from './against-chain.ts';
import { previousFacts } from './previous-transactions.ts';

/** Who asks: accounts take turns, and what is given up ends. */
type Whose = Pick<ComputingFor, 'accountId' | 'signal'>;

/** By input index. */
export type PreviousFacts = readonly (readonly [number, PsbtInputFacts])[];

export interface UpdateOptions {
  readonly descriptors: readonly string[];
  readonly previous: PreviousFacts;
}

export interface VerifyOptions {
  readonly descriptors: readonly string[];
  /** Beyond those of the PSBT alone. */
  readonly chainChecks: readonly PsbtCheck[];
}

function nodeOf(chain: FairLookups | null): FairLookups {
  if (chain === null) throw new Error('a worker thread has no node to ask');
  return chain;
}

/** PSBTs are given as texts, base64 or hex. Each throws as its job does (core/psbt/jobs), and as Computing does. */
export function createPsbtService(deps: {
  /** null in a worker thread, which asks nobody. */
  chain: FairLookups | null;
  network: Network;
  computing: Computing<PsbtJobs>;
}) {
  const { chain, network, computing } = deps;

  return {
    network,
    create: (draft: PsbtDraft, whose: Whose) => computing.run('psbt.create', draft, whose),
    construct: (psbt: string, changes: PsbtChanges, whose: Whose) =>
      computing.run('psbt.construct', { psbt, changes }, whose),

    /** `previous`: put in before the updates. */
    update: (psbt: string, updates: PsbtUpdates, { descriptors, previous }: UpdateOptions, whose: Whose) =>
      computing.run('psbt.update', { psbt, previous, updates, descriptors }, whose),
    /** The inputs without a whole previous transaction, for `previous`. */
    unproved: (psbt: string, whose: Whose) => computing.run('psbt.unproved', { psbt }, whose),
    /** What the node knows of the outputs that they spend. */
    previous: async (inputs: readonly Unproved[], whose: Whose) => [
      ...(await previousFacts(inputs, nodeOf(chain).of(whose))),
    ],

    /** Signs what the key can sign; nothing of the key is kept. */
    async sign(psbt: string, key: string, allowSighash: readonly SighashName[], whose: Whose) {
      // Memory of its own, which can be handed over to another thread, and overwritten there.
      const bytes = new Uint8Array(Buffer.byteLength(key));
      new TextEncoder().encodeInto(key, bytes);
      try {
        return await computing.run('psbt.sign', { psbt, key: bytes, allowSighash }, { ...whose, transfer: [bytes] });
      } finally {
        // It is empty where it was handed over.
        if (bytes.length > 0) bytes.fill(0);
      }
    },

    combine: (psbts: readonly string[], whose: Whose) => computing.run('psbt.combine', { psbts }, whose),
    join: (psbts: readonly string[], whose: Whose) => computing.run('psbt.join', { psbts }, whose),
    finalize: (psbt: string, whose: Whose) => computing.run('psbt.finalize', { psbt }, whose),
    extract: (psbt: string, { proveFee }: { readonly proveFee: boolean }, whose: Whose) =>
      computing.run('psbt.extract', { psbt, proveFee }, whose),
    inspect: (psbt: string, descriptors: readonly string[], whose: Whose) =>
      computing.run('psbt.inspect', { psbt, descriptors }, whose),

    async verify(psbt: string, { descriptors, chainChecks }: VerifyOptions, whose: Whose) {
      const { psbtData, checks } = await computing.run('psbt.verify', { psbt, descriptors }, whose);
      const all = [...checks, ...chainChecks];
      return { psbtData, checks: all, valid: all.every(({ verdict }) => verdict !== 'failed') };
    },

    /** For `againstChain`. */
    spent: (psbt: string, whose: Whose) => computing.run('psbt.spent', { psbt }, whose),
    /** Whether the node has what is spent, unspent and as the PSBT says. */
    againstChain: async (spent: readonly SpentOutput[], whose: Whose) => chainChecks(spent, nodeOf(chain).of(whose)),
    migrate: (psbt: string, target: 0 | 2, whose: Whose) => computing.run('psbt.migrate', { psbt, target }, whose),
  };
}

export type PsbtService = ReturnType<typeof createPsbtService>;
