import { z } from 'zod';
import type { Network } from '../../../../core/network.ts';
import { isUnspendable } from '../../../../core/relay-policy/standard-scripts.ts';
import { operation } from '../../../../hooks/operation.ts';
import type { ChainTransactions } from '../../../../services/blockchain/chain-transactions.ts';
import { answerWith, unnamedAnswer } from '../../../answer.ts';
import { CHAIN_ERRORS, hashAnswer } from '../../../chain/chain-fields.ts';
import { spentOutput } from '../../../chain/transaction-form.ts';
import { txidField } from '../../../fields.ts';
import { reads } from '../../declarations.ts';

type OutputStatus = Awaited<ReturnType<ChainTransactions['output']>>;

const voutField = z
  .string()
  .regex(/^\d{1,10}$/, 'must be the number of an output, from 0')
  .transform(Number)
  .refine((vout) => vout <= 0xffffffff, 'must be at most 4294967295')
  .meta({ description: 'Which of its outputs, from 0' });

const outputStatus = unnamedAnswer(
  {
    ...spentOutput.shape,
    txid: hashAnswer,
    vout: z.int(),
    status: z.enum(['unspent', 'spent', 'unspendable']),
    block_height: z.int().nullable().meta({ description: 'null while its transaction is unconfirmed' }),
    coinbase: z.boolean(),
    spent_by: z
      .object({
        txid: hashAnswer,
        block_hash: hashAnswer.nullable().meta({ description: 'null while the spend is unconfirmed' }),
      })
      .nullable(),
  },
  (status: OutputStatus & { network: Network }) => ({
    ...spentOutput.present(status),
    status:
      status.spent !== null
        ? ('spent' as const)
        : isUnspendable(Buffer.from(status.scriptPubKey, 'hex'))
          ? ('unspendable' as const)
          : ('unspent' as const),
    block_height: status.height,
    spent_by: status.spent?.by ? { txid: status.spent.by.txid, block_hash: status.spent.by.blockHash } : null,
  }),
);

export const getChainOutput = (transactions: ChainTransactions, network: Network) =>
  operation({
    ...reads('Bitcoin', 'transactions'),
    id: 'chain-output.get',
    path: '/api/v1/bitcoin/transactions/{txid}/outputs/{vout}',
    summary: 'An output, and whether it is spent',
    description:
      '`unspendable` is what nobody can ever spend (OP_RETURN). By whom a confirmed spend was made is null where the source keeps no ' +
      'index of spends (Bitcoin Core before 31); a spend that still waits in the mempool is always named.',
    params: z.strictObject({ txid: txidField, vout: voutField }),
    success: {
      status: 200,
      description: 'The output',
      answer: answerWith(outputStatus, { network }),
    },
    errors: ['not_found', ...CHAIN_ERRORS],
    example: {
      params: { txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b', vout: '0' },
      response: {
        txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
        vout: 0,
        amount: '0.00150000',
        script_pubkey: '0014751e76e8199196d454941c45d1b3a323f1433bd6',
        script_type: 'p2wpkh',
        address: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        status: 'unspent',
        block_height: 120,
        coinbase: false,
        spent_by: null,
      },
    },
    run: ({ params }) => transactions.output(params),
  });
