import { type CategoryResource, listCategory } from '../../list-category.ts';
import { reads } from '../declarations.ts';

/** One line per folder beside this file, in the order in which they are shown. */
const RESOURCES: readonly CategoryResource[] = [
  { name: 'blocks', methods: ['GET', 'POST'], description: 'Blocks: list, read, their transactions; mine on regtest' },
  {
    name: 'transactions',
    methods: [],
    description: 'Any transaction: read, outputs, decode, test acceptance, broadcast',
  },
  { name: 'merkle-proofs', methods: [], description: 'Proofs of inclusion: check them' },
  { name: 'mempool', methods: ['GET'], description: 'The mempool: summary, fee histogram, entries' },
  { name: 'fees', methods: ['GET'], description: 'Feerates: recommended, estimated, floors' },
  { name: 'headers', methods: ['GET'], description: 'Headers: read, and check a chain of them' },
  {
    name: 'addresses',
    methods: [],
    description: 'Addresses: validate; balance, outputs and history; scans of the chain',
  },
  { name: 'scripts', methods: [], description: 'Scripts: take apart, put together, classify' },
  { name: 'descriptors', methods: [], description: 'Output descriptors: parse, checksum, derive, infer' },
  { name: 'messages', methods: [], description: 'Signed messages: sign, verify (BIP322, legacy)' },
  { name: 'uris', methods: [], description: 'bitcoin: URIs (BIP321): build, parse, QR codes' },
];

export const listBitcoin = () =>
  listCategory({ name: 'bitcoin', declared: reads('Bitcoin', 'bitcoin'), resources: RESOURCES });
