import { z } from 'zod';
import { formatBtc } from '../../../../core/amount.ts';
import { ADDRESS_SCAN_STATES, type AddressScanView } from '../../../../services/addresses/address-service.ts';
import { amount, answer, time } from '../../../answer.ts';
import { idField } from '../../../fields.ts';
import { addressText } from './address-answer.ts';
import { EXAMPLE_ADDRESS } from './lookup-answer.ts';

export const scanParams = z.strictObject({ address: addressText, scan_id: idField('scn') });
export const scansParams = z.strictObject({ address: addressText });

export const addressScan = answer(
  'AddressScan',
  {
    scan_id: z.string(),
    address: z.string(),
    state: z.enum(ADDRESS_SCAN_STATES),
    from_height: z.int(),
    at_height: z.int().nullable().meta({ description: 'The last block that was looked at' }),
    at_hash: z.string().nullable(),
    to_height: z.int().nullable().meta({ description: 'The tip when it was last looked at' }),
    progress: z.number().meta({ description: '0 to 1' }),
    restarts: z.int().meta({ description: 'How often it began anew because a block left the chain' }),
    stale: z.boolean().meta({ description: 'Its last block has left the chain: it will be done anew' }),
    error: z.string().nullable(),
    result: z
      .object({
        confirmed: amount,
        immature: amount,
        utxo_count: z.int(),
        as_of: z.object({ height: z.int(), hash: z.string() }),
      })
      .nullable()
      .meta({ description: 'When done. Outputs and history: /utxos and /transactions of the address' }),
    created_at: time,
    finished_at: time.nullable(),
  },
  (scan: AddressScanView) => ({ progress: progressOf(scan), result: resultOf(scan) }),
);

const resultOf = ({ totals, atHeight: height, atHash: hash }: AddressScanView) =>
  totals === null || height === null || hash === null
    ? null
    : {
        confirmed: formatBtc(totals.confirmedSats),
        immature: formatBtc(totals.immatureSats),
        utxo_count: totals.unspentCount,
        as_of: { height, hash },
      };

function progressOf({ state, fromHeight, atHeight, toHeight }: AddressScanView): number {
  if (state === 'done') return 1;
  if (atHeight === null || toHeight === null) return 0;
  const whole = Math.max(1, toHeight - fromHeight + 1);
  return Math.min(0.999, Math.floor((1_000 * (atHeight - fromHeight + 1)) / whole) / 1_000);
}

export const scanExample = {
  scan_id: 'scn_3mVb1k7Q2xYt9LpRw0Zc5A',
  address: EXAMPLE_ADDRESS,
  state: 'queued',
  from_height: 0,
  at_height: null,
  at_hash: null,
  to_height: 111,
  progress: 0,
  restarts: 0,
  stale: false,
  error: null,
  result: null,
  created_at: '2026-11-01T12:00:00.000Z',
  finished_at: null,
};
