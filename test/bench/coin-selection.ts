/**
 * Coin selection over 10,000 coins: this service's (Bitcoin Core's algorithms) against npm `coinselect` on the same set, side by side:
 * median milliseconds and the waste of both results by Core's metric. Run: node test/bench/coin-selection.ts
 */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { CandidateCoin } from '../../src/core/coin-selection/candidate.ts';
import { priceCoin } from '../../src/core/coin-selection/output-group.ts';
import { createRandomSource } from '../../src/core/coin-selection/random-source.ts';
import { evaluateSelection } from '../../src/core/coin-selection/selection.ts';
import { feeFor, feeRate, formatFeeRate } from '../../src/core/fee-rate.ts';
import type { Txid } from '../../src/core/outpoint.ts';
import { changeCosts } from '../../src/core/payments/selection-parameters.ts';
import { transactionVsize } from '../../src/core/transactions/sizing.ts';
import { planOf } from '../core/payments/plan-of.ts';

interface NpmInput {
  txId: string;
  vout: number;
  value: number;
  script: { length: number };
}
type Coinselect = (
  inputs: NpmInput[],
  outputs: { value: number; script: { length: number } }[],
  feeRate: number,
) => { inputs?: NpmInput[]; outputs?: { value: number }[]; fee: number };
const coinselect = createRequire(import.meta.url)('coinselect') as Coinselect;

const COINS = 10_000;
const RUNS = 21;
const PAYEE = '0014'.padEnd(44, 'a');
const change = { scriptType: 'p2wpkh' as const, scriptPubKey: '0014'.padEnd(44, 'c') };

function seeded(seed: string): (size: number) => Uint8Array {
  let counter = 0;
  return (size) => createHash('shake256', { outputLength: size }).update(`${seed}/${counter++}`).digest();
}

/** A wallet of p2wpkh coins of very different sizes, each on its own script. */
function wallet(): CandidateCoin[] {
  const random = createRandomSource(seeded('wallet'));
  return Array.from({ length: COINS }, (_, index) => {
    const id = createHash('sha256').update(`coin ${index}`).digest('hex');
    return {
      txid: id as Txid,
      vout: index % 3,
      amountSats: 1000n + BigInt(random.below(2 ** (10 + random.below(17)))),
      scriptPubKey: `0014${id.slice(0, 40)}`,
      scriptType: 'p2wpkh' as const,
      change: false,
      index,
      confirmations: 10 + random.below(1000),
      own: false,
      coinbase: false,
      txVersion: 2,
    };
  });
}

function median(run: (round: number) => void): number {
  const times: number[] = [];
  for (let round = 0; round < RUNS; round++) {
    const start = performance.now();
    run(round);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[RUNS >> 1]!;
}

const coins = wallet();
const balance = coins.reduce((sum, coin) => sum + coin.amountSats, 0n);
console.log(
  `${COINS} coins, ${balance} sat in all; medians of ${RUNS}; waste in sat by Core's metric, lower is better\n`,
);
console.log(
  '  rate  target sat |  ours ms    inputs     waste  algorithm    | coinselect ms    inputs     waste | ms ratio',
);

for (const satVb of [2n, 10n, 40n]) {
  for (const amountSats of [1_000_000n, 50_000_000n, balance / 20n]) {
    const rate = feeRate(satVb * 1000n);
    const settings = { feeRate: rate, rbf: true, tip: { height: 800_000, recent: true }, change };
    const ask = (seed: string) =>
      planOf({
        ...settings,
        candidates: coins,
        recipients: [{ scriptPubKey: PAYEE, amountSats }],
        randomBytes: seeded(seed),
      });
    let plan = ask('warm up');
    const ours = median((round) => {
      plan = ask(`round ${round}`);
    });

    // coinselect knows neither segwit nor scripts; told of a scriptSig length it gets p2wpkh's 68 vB per input right.
    const inputs = coins.map((coin) => ({
      txId: coin.txid,
      vout: coin.vout,
      value: Number(coin.amountSats),
      script: { length: 27 },
    }));
    const outputs = [{ value: Number(amountSats), script: { length: 22 } }];
    let theirs = coinselect(inputs, outputs, Number(satVb));
    const npm = median(() => {
      theirs = coinselect(inputs, outputs, Number(satVb));
    });
    const chosen = new Set((theirs.inputs ?? []).map((input) => `${input.txId}:${input.vout}`));
    const waste = theirs.inputs
      ? wasteOf(
          coins.filter((coin) => chosen.has(`${coin.txid}:${coin.vout}`)),
          amountSats,
        )
      : null;
    const oursWaste = wasteOf(
      plan.inputs.map((input) => coins[input.index]!),
      amountSats,
    );
    console.log(
      `${formatFeeRate(rate).padStart(6)} ${String(amountSats).padStart(11)} | ${ours.toFixed(1).padStart(8)} ${String(plan.inputs.length).padStart(9)} ` +
        `${String(oursWaste).padStart(9)}  ${plan.algorithm.padEnd(12)} | ${npm.toFixed(1).padStart(13)} ${String(chosen.size).padStart(9)} ` +
        `${String(waste ?? 'none').padStart(9)} | ${(ours / npm).toFixed(2)}`,
    );

    /** Both by the same measure: target, sizes and costs of change are ours for both. */
    function wasteOf(selected: readonly CandidateCoin[], target: bigint): bigint {
      const rates = { feeRate: rate, longTermFeeRate: feeRate(10_000n), subtractFee: false };
      const fixed = transactionVsize([], [22]) + 1;
      const { changeVsize: _, ...costs } = changeCosts({ ...settings, randomBytes: seeded('') }, change);
      return evaluateSelection(
        'manual',
        selected.map((coin) => priceCoin(coin, rates)),
        target + feeFor(rate, fixed),
        costs,
        false,
      ).wasteSats;
    }
  }
}
