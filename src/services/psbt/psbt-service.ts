/** PSBTs that callers send: nothing of them is kept. */
import type { ChainSource } from '../../chain/chain-source.ts';
import type { Network } from '../../core/network.ts';
import type { PsbtChanges } from '../../core/psbt/construction/modify-psbt.ts';
import type { PsbtDraft, PsbtInputFacts } from '../../core/psbt/construction/psbt-draft.ts';
import type { PsbtUpdates } from '../../core/psbt/construction/update-psbt.ts';
import type { PsbtCheck } from '../../core/psbt/inspection/psbt-checks.ts';
import type { ExtractMade, FinalMade, PsbtJobs, SpentOutput, Unproved } from '../../core/psbt/jobs/psbt-jobs.ts';
import type { SaidPsbt } from '../../core/psbt/jobs/said-psbt.ts';
import type { SigningMade } from '../../core/psbt/jobs/sign-job.ts';
import type { SighashName } from '../../core/scripts/sighash-type.ts';
import type { Computing } from '../../engines/computing/computing.ts';
import { chainChecks } from './against-chain.ts';
import { previousFacts } from './previous-transactions.ts';

/** PSBTs are given as texts, base64 or hex. Each throws as its job does (core/psbt/jobs), and as Computing does. */
export interface PsbtService {
  readonly network: Network;
  create(draft: PsbtDraft): Promise<SaidPsbt>;
  construct(psbt: string, changes: PsbtChanges): Promise<SaidPsbt>;
  /** `previous`: put in before the updates. */
  update(psbt: string, updates: PsbtUpdates, options: UpdateOptions): Promise<SaidPsbt>;
  /** The inputs without a whole previous transaction, for `previous`. */
  unproved(psbt: string): Promise<readonly Unproved[]>;
  /** What the node knows of the outputs that they spend. */
  previous(inputs: readonly Unproved[]): Promise<PreviousFacts>;
  /** Signs what the key can sign; nothing of the key is kept. */
  sign(psbt: string, key: string, allowSighash: readonly SighashName[]): Promise<SigningMade>;
  combine(psbts: readonly string[]): Promise<SaidPsbt>;
  join(psbts: readonly string[]): Promise<SaidPsbt>;
  finalize(psbt: string): Promise<FinalMade>;
  extract(psbt: string, options: { readonly proveFee: boolean }): Promise<ExtractMade>;
  inspect(psbt: string, descriptors?: readonly string[]): Promise<SaidPsbt>;
  verify(psbt: string, options: VerifyOptions): Promise<VerifiedPsbt>;
  /** For `againstChain`. */
  spent(psbt: string): Promise<readonly SpentOutput[]>;
  /** Whether the node has what is spent, unspent and as the PSBT says. */
  againstChain(spent: readonly SpentOutput[]): Promise<PsbtCheck[]>;
  migrate(psbt: string, target: 0 | 2): Promise<SaidPsbt>;
}

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

export interface VerifiedPsbt {
  readonly said: SaidPsbt;
  /** Nothing failed. */
  readonly valid: boolean;
  readonly checks: readonly PsbtCheck[];
}

type Chain = Pick<ChainSource, 'transaction' | 'utxo'>;

function nodeOf(chain: Chain | null): Chain {
  if (chain === null) throw new Error('a worker thread has no node to ask');
  return chain;
}

export function createPsbtService(deps: {
  /** null in a worker thread, which asks nobody. */
  chain: Chain | null;
  network: Network;
  computing: Computing<PsbtJobs>;
}): PsbtService {
  const { chain, network, computing } = deps;

  return {
    network,
    create: (draft) => computing.run('psbt.create', draft),
    construct: (psbt, changes) => computing.run('psbt.construct', { psbt, changes }),

    update: (psbt, updates, { descriptors, previous }) =>
      computing.run('psbt.update', { psbt, previous, updates, descriptors }),
    unproved: (psbt) => computing.run('psbt.unproved', { psbt }),
    previous: async (inputs) => [...(await previousFacts(inputs, nodeOf(chain)))],

    async sign(psbt, key, allowSighash) {
      // Memory of its own, which can be handed over to another thread, and overwritten there.
      const bytes = new Uint8Array(Buffer.byteLength(key));
      new TextEncoder().encodeInto(key, bytes);
      try {
        return await computing.run('psbt.sign', { psbt, key: bytes, allowSighash }, [bytes]);
      } finally {
        // It is empty where it was handed over.
        if (bytes.length > 0) bytes.fill(0);
      }
    },

    combine: (psbts) => computing.run('psbt.combine', { psbts }),
    join: (psbts) => computing.run('psbt.join', { psbts }),
    finalize: (psbt) => computing.run('psbt.finalize', { psbt }),
    extract: (psbt, { proveFee }) => computing.run('psbt.extract', { psbt, proveFee }),
    inspect: (psbt, descriptors = []) => computing.run('psbt.inspect', { psbt, descriptors }),

    async verify(psbt, { descriptors, chainChecks }) {
      const { said, checks } = await computing.run('psbt.verify', { psbt, descriptors });
      const all = [...checks, ...chainChecks];
      return { said, checks: all, valid: all.every(({ verdict }) => verdict !== 'failed') };
    },

    spent: (psbt) => computing.run('psbt.spent', { psbt }),
    againstChain: async (spent) => chainChecks(spent, nodeOf(chain)),
    migrate: (psbt, target) => computing.run('psbt.migrate', { psbt, target }),
  };
}
