import { type CategoryResource, listCategory } from '../../list-category.ts';
import { reads } from '../declarations.ts';

/** One line per folder beside this file, in the order in which they are shown. */
const RESOURCES: readonly CategoryResource[] = [
  {
    name: 'outputs',
    methods: ['GET', 'POST'],
    description: 'Outputs of internal keys and script trees: keep, compute, control blocks',
  },
  { name: 'tweaks', methods: ['POST'], description: 'Output keys of internal keys' },
  { name: 'signature-hashes', methods: ['POST'], description: 'What signatures of taproot inputs sign' },
  { name: 'signatures', methods: ['POST'], description: 'BIP340 signatures: sign, verify' },
  { name: 'spends', methods: ['POST'], description: 'Spends by leaves: build the witness, verify any with the reason' },
  { name: 'musig-keys', methods: ['POST'], description: 'Keys of several signers (MuSig2)' },
  {
    name: 'musig-sessions',
    methods: ['GET', 'POST'],
    description: 'Signing together (MuSig2): nonces, partial signatures, signature',
  },
];

export const listTaproot = () =>
  listCategory({ name: 'taproot', declared: reads('Taproot', 'taproot'), resources: RESOURCES });
