import { type CategoryResource, listCategory } from '../list-category.ts';

/** One line per folder beside this file, in the order in which they are shown. */
const RESOURCES: readonly CategoryResource[] = [
  { name: 'blocks', description: 'Blocks: list, read, their transactions; mine on regtest' },
  { name: 'transactions', description: 'Any transaction: read, outputs, decode, test acceptance, broadcast' },
  { name: 'merkle-proofs', description: 'Proofs of inclusion: check them' },
  { name: 'mempool', description: 'The mempool: summary, fee histogram, entries' },
  { name: 'fees', description: 'Feerates: recommended, estimated, floors' },
  { name: 'headers', description: 'Headers: read, and check a chain of them' },
  { name: 'addresses', description: 'Addresses: validate; balance, outputs and history; scans of the chain' },
  { name: 'scripts', description: 'Scripts: take apart, put together, classify' },
  { name: 'descriptors', description: 'Output descriptors: parse, checksum, derive, infer' },
  { name: 'messages', description: 'Signed messages: sign, verify (BIP322, legacy)' },
  { name: 'uris', description: 'bitcoin: URIs (BIP321): build, parse, QR codes' },
];

export const listBitcoin = () => listCategory({ name: 'bitcoin', tag: 'Bitcoin', resources: RESOURCES });
