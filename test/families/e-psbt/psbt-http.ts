/** What the tests of family E share: requests that must be answered so, and coins of any script on the simulated chain. */
import { expect } from 'vitest';
import { formatBtc } from '../../../src/core/amount.ts';
import { parseBlockTransactions } from '../../../src/core/blocks/block.ts';
import type { ParsedOutput, ParsedTransaction } from '../../../src/core/blocks/transaction.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import type { PsbtInputFacts } from '../../../src/core/psbt/construction/psbt-draft.ts';
import { decodeAddress } from '../../../src/core/relay-policy/address.ts';
import type { CallOptions, Json, TestAnswer, TestApp } from '../../builders/app.ts';
import type { SpendCase } from '../../core/psbt/spend-cases.ts';

export const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
export const ELSEWHERE_SCRIPT = decodeAddress(ELSEWHERE, 'regtest').scriptPubKey;

/** A transaction that nobody's input names: one input, one output. */
export const OTHER_TRANSACTION = `0200000001${'11'.repeat(32)}0000000000ffffffff0100e1f5050000000000${'00'.repeat(4)}`;

export interface PsbtHttp {
  /** The answer's body; fails where the status is another. */
  ok(verb: string, body: Json, options?: CallOptions): Promise<Json>;
  /** The refusal: status, slug, field and sentence. */
  refused(verb: string, body: unknown, options?: CallOptions): Promise<Refused>;
  ask(verb: string, body: unknown, options?: CallOptions): Promise<TestAnswer>;
}

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly field: string;
  readonly message: string;
}

export function psbtHttp(service: () => TestApp): PsbtHttp {
  const ask = (verb: string, body: unknown, options?: CallOptions) =>
    service().post(verb === 'migrate' ? '/api/psbt/migrate' : `/api/psbt/v2/${verb}`, body, options);
  return {
    ask,
    async ok(verb, body, options) {
      // What coins of these tests pay is made up: only the tests of the guard ask without it.
      const guarded = verb === 'finalize' ? { max_fee_rate: 'none', ...body } : body;
      const answer = await ask(verb, guarded, options);
      expect(answer.status, `${verb}: ${answer.text.slice(0, 500)}`).toBe(200);
      return answer.body;
    },
    async refused(verb, body, options) {
      const { status, text, body: refusal } = await ask(verb, body, options);
      expect(status, `${verb}: ${text.slice(0, 200)}`).toBeGreaterThanOrEqual(400);
      const { message, details } = refusal.error;
      return { status, code: details.code, field: details.field, message };
    },
  };
}

export interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly amount: string;
}

/** One spendable coinbase output for each script (hex), buried. */
export async function coinsOf({ simulated }: TestApp, scripts: readonly string[]): Promise<Coin[]> {
  const coins: Coin[] = [];
  for (const script of scripts) {
    const [mined] = await simulated.mine(1, script);
    if (mined === undefined) throw new Error('no block was mined');
    const { bytes } = (await simulated.block(mined.hash)) as { bytes: Uint8Array };
    const [coinbase] = parseBlockTransactions(bytes) as [ParsedTransaction];
    const [paid] = coinbase.outputs as [ParsedOutput];
    coins.push({ txid: coinbase.txid, vout: 0, amount: formatBtc(paid.amountSats) });
  }
  await simulated.mine(100, '51');
  return coins;
}

const hex = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : Buffer.from(bytes).toString('hex');

/** Facts of an input as a request says them. */
export function factsBody(facts: PsbtInputFacts): Json {
  return {
    redeem_script: hex(facts.redeemScript),
    witness_script: hex(facts.witnessScript),
    bip32_derivation: facts.bip32Derivations?.map(({ publicKey, fingerprint, path }) => ({
      pubkey: hex(publicKey),
      fingerprint,
      path: `m/${path.join('/')}`.replace(/\/$/, ''),
    })),
    tap_internal_key: hex(facts.tapInternalKey),
    tap_merkle_root: hex(facts.tapMerkleRoot),
    tap_leaf_script: facts.tapLeafScripts?.map(({ controlBlock, script, leafVersion }) => ({
      control_block: hex(controlBlock),
      script: hex(script),
      leaf_version: leafVersion,
    })),
    preimages: facts.fields?.map(({ type, value }) => {
      expect(type).toBe(INPUT.SHA256);
      return { hash: 'sha256', preimage: hex(value) };
    }),
  };
}

/** An input of a case's coin, as create takes it. */
export const inputOf = (coin: Coin, { lock }: SpendCase): Json => ({
  txid: coin.txid,
  vout: coin.vout,
  sequence: lock.sequence,
  required_height_locktime: lock.requiredHeightLocktime,
});
