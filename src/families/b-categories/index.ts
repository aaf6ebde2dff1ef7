import { familyPlugin } from '../../hooks/family.ts';
import { bitcoinOperations } from './bitcoin/index.ts';
import { dlcOperations } from './dlc/index.ts';
import { taprootOperations } from './taproot/index.ts';

type Services = Parameters<typeof bitcoinOperations>[0] &
  Parameters<typeof taprootOperations>[0] &
  Parameters<typeof dlcOperations>[0];

/** Family B: the categories, each under a base path of its own. */
export const categories = familyPlugin<Services>({
  name: 'b-categories',
  tags: {
    Bitcoin: 'Blocks, transactions, addresses, scripts, descriptors, URIs and proofs of the chain.',
    'Bitcoin messages': 'Messages signed with the key of an address, and proofs of funds (BIP322).',
    Taproot: 'Taproot outputs, spends, and MuSig2 sessions: [guide](/docs/taproot).',
    DLC: "Oracles, announcements, attestations and other sides' messages: [guide](/docs/oracles).",
  },
  operations: (services) => [
    ...bitcoinOperations(services),
    ...taprootOperations(services),
    ...dlcOperations(services),
  ],
});
