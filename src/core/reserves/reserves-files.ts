/** The two files: the report, which is published, and a customer's proof, which is theirs alone. Amounts are BTC with 8 decimals. */
import { z } from 'zod';
import { NETWORKS } from '../network.ts';

export const RESERVES_REPORT = 'ashlar-proof-of-reserves';
export const CUSTOMER_PROOF = 'ashlar-proof-of-liability';
/** No line breaks: these stand in the signed text. */
const line = z.string().regex(/^[\x21-\x7e]{1,200}$/);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0).max(0xffff_ffff);
/** Also what no amount can be, so that a check says which amount it is. */
const amount = z.string().max(40);

/** What every signature covers. */
export const reservesStatement = z.object({
  account_id: line,
  network: z.enum(NETWORKS),
  block: z.object({ height: count, hash }),
  time: z.iso.datetime(),
  liabilities: z.object({ root: hash, total: amount, customers: count }),
});
export type ReservesStatement = z.infer<typeof reservesStatement>;

/** Other members are ignored. */
export const reservesReport = reservesStatement.extend({
  type: z.literal(RESERVES_REPORT),
  version: z.literal(1),
  reserves: z.object({ total: amount, coins: count }),
  proofs: z.array(
    z.object({ wallet_id: z.string(), address: z.string(), coins: count, amount, signature: z.string() }),
  ),
  /** Wallets whose coins count for nothing here. */
  not_proven: z.array(z.object({ wallet_id: z.string(), reason: z.string(), coins: count, amount })),
  /** Hex of consecutive ones, the last that of `block`. */
  headers: z.array(z.string().regex(/^[0-9a-f]{160}$/)),
});
export type ReservesReport = z.infer<typeof reservesReport>;

export const customerProofFile = z.object({
  type: z.literal(CUSTOMER_PROOF),
  version: z.literal(1),
  customer_id: z.string(),
  balance: amount,
  salt: hash,
  index: count,
  path: z.array(z.object({ hash, sum: amount })).max(32),
});

/** The text that part `index` (from 0) of `parts` signs: no two reports, and no two parts of one, have the same. */
export const reservesMessage = (statement: ReservesStatement, index: number, parts: number): string =>
  [
    `Ashlar proof of reserves, part ${index + 1} of ${parts}`,
    `account: ${statement.account_id}`,
    `network: ${statement.network}`,
    `block: ${statement.block.height} ${statement.block.hash}`,
    `time: ${statement.time}`,
    `liabilities: ${statement.liabilities.total} BTC to ${statement.liabilities.customers} customers`,
    `liabilities root: ${statement.liabilities.root}`,
  ].join('\n');
