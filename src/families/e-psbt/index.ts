import { familyPlugin } from '../../hooks/family.ts';
import { psbtOperations } from './psbt-operations.ts';

/** Family E: PSBT v2. */
export const psbts = familyPlugin<Parameters<typeof psbtOperations>[0]>({
  name: 'e-psbt',
  tags: { PSBT: 'Partially signed transactions, from create to extract: [guide](/docs/psbt).' },
  operations: psbtOperations,
});
