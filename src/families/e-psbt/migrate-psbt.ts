import { z } from 'zod';
import { operation } from '../../hooks/operation.ts';
import type { PsbtService } from '../../services/psbt/psbt-service.ts';
import { MIGRATE_EXAMPLE, MIGRATED_ANSWER } from '../psbt-examples.ts';
import { psbtAnswer } from './psbt-answer.ts';
import { ANYONE_WHO_READS, PSBT_OPERATION } from './psbt-declaration.ts';
import { psbtField } from './psbt-fields.ts';

export const migratePsbt = (psbts: Pick<PsbtService, 'migrate'>) =>
  operation({
    ...PSBT_OPERATION,
    id: 'psbt.migrate',
    path: '/api/psbt/migrate',
    summary: 'From version 0 to version 2, and back',
    description:
      'A PSBT of version 0 (BIP174) becomes one of version 2 (BIP370); with `target: 0` the other way, which is refused where version 0 ' +
      'cannot carry what is in it (422). One that has the version already is answered as it is.',
    access: ANYONE_WHO_READS,
    body: z.strictObject({
      psbt: psbtField,
      target: z
        .union([z.literal(2), z.literal(0)])
        .default(2)
        .meta({ description: 'Version to come to' }),
    }),
    success: { status: 200, answer: psbtAnswer, description: 'The PSBT in the other version' },
    errors: ['invalid_psbt', 'not_representable', 'too_large', 'unavailable'],
    example: { body: { psbt: MIGRATE_EXAMPLE }, response: MIGRATED_ANSWER },
    run: ({ body }, context) => psbts.migrate(body.psbt, body.target, context),
  });
