/** `ashlar reserves verify FILE`: a report of reserves against itself, a customer's proof and, if asked, a chain; without the service. */
import { readFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { formatBtc } from '../core/amount.ts';
import { ReservesRefused } from '../core/reserves/reserves-refused.ts';
import { type VerifiedReserves, verifyInclusion, verifyReserves } from '../core/reserves/verify-reserves.ts';
import { parseArguments } from './arguments.ts';
import { progressBar } from './progress-bar.ts';
import { checkUnspent, openSource } from './reserves-chain.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';

interface Asked {
  readonly chain?: string | undefined;
  readonly cookie?: string | undefined;
  readonly proof?: string | undefined;
}

/** Answers 0 where everything holds and the reserves cover the liabilities; otherwise 1, and says why. */
export async function reserves(_config: Config, args: string[], terminal: Terminal): Promise<number> {
  const [action, ...rest] = args;
  const { values, positionals } = parseArguments({
    args: rest,
    allowPositionals: true,
    options: { chain: { type: 'string' }, cookie: { type: 'string' }, proof: { type: 'string' } },
  });
  const [file, ...more] = positionals;
  if (action !== 'verify' || file === undefined || more.length > 0)
    throw usage('ashlar reserves verify FILE [--proof CUSTOMER.json] [--chain URL [--cookie FILE]]');
  // Both are read before anything is checked.
  const [text, proof] = [await textOf(file), values.proof === undefined ? null : await textOf(values.proof)];
  const checked: Record<string, unknown> = {};
  const refuse = (message: string, place: string | null): 1 => {
    printJson(terminal, { verified: false, ...checked, place, problem: message });
    terminal.err(`ashlar: ${place === null ? '' : `${place}: `}${message}`);
    return 1;
  };
  try {
    const verified = verifyReserves(jsonOf(text, file));
    Object.assign(checked, present(verified));
    if (proof !== null) checked.customer = presentCustomer(verified, jsonOf(proof, values.proof!));
    if (values.chain !== undefined) Object.assign(checked, await unspentOf(verified, values));
    if (checked.unspent === 'not_all') return refuse('coins of the report are not unspent in this chain', 'missing');
    printJson(terminal, { verified: true, ...checked });
    terminal.err(`not proven: ${notProven(values)}`);
    if (checked.covered) return 0;
    terminal.err('ashlar: the file is genuine, and the proven reserves are less than the liabilities');
    return 1;
  } catch (error) {
    if (!(error instanceof ReservesRefused)) throw error;
    return refuse(error.message, error.place);
  }
}

/** What a successful verification with these options leaves open. */
const notProven = ({ chain, proof }: { chain?: string | undefined; proof?: string | undefined }): string =>
  [
    ...(chain === undefined
      ? ['that the coins exist and are unspent, and that the block is in the best chain (--chain)']
      : []),
    'that the coins are not borrowed',
    proof === undefined
      ? 'that every customer is included (each verifies their own proof: --proof)'
      : 'that other customers are included',
  ].join('; ');

async function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => {
    throw new UsageError(`there is no file ${file}`);
  });
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ReservesRefused(`${file} is no JSON`);
  }
}

async function unspentOf(verified: VerifiedReserves, { chain, cookie }: Asked) {
  const source = await openSource(chain!, cookie, verified.report.network);
  const bar = progressBar('looking up coins', process.stderr);
  try {
    return await checkUnspent(source, verified, bar.show);
  } finally {
    bar.end();
    await source.close();
  }
}

const present = ({ report, reservesSats, liabilitiesSats, work }: VerifiedReserves) => ({
  account_id: report.account_id,
  ...{ network: report.network, block: report.block, time: report.time },
  reserves: report.reserves,
  liabilities: report.liabilities,
  covered: reservesSats >= liabilitiesSats,
  headers: { count: report.headers.length, work: work.toString() },
  not_proven: report.not_proven,
  unspent: 'not_checked',
  customer: 'not_checked',
});

function presentCustomer({ report }: VerifiedReserves, file: unknown) {
  try {
    const { customerId, balanceSats, index } = verifyInclusion(report, file);
    return { included: true, customer_id: customerId, balance: formatBtc(balanceSats), index };
  } catch (error) {
    if (!(error instanceof ReservesRefused)) throw error;
    throw new ReservesRefused(error.message, error.place === null ? 'proof' : `proof.${error.place}`);
  }
}
