import { type CategoryResource, listCategory } from '../../list-category.ts';
import { reads } from '../declarations.ts';

/** In the order in which they are shown. */
const RESOURCES: readonly CategoryResource[] = [
  {
    name: 'oracles',
    methods: ['GET', 'POST'],
    description: 'Whom contracts ask: oracles of the account, and others by public key',
  },
  { name: 'events', methods: ['GET', 'POST'], description: 'What oracles announce, and the local oracle attests' },
  {
    name: 'announcements',
    methods: ['GET', 'POST'],
    description: 'Signed announcements of events, as oracles give them out',
  },
  { name: 'attestations', methods: ['GET', 'POST'], description: 'Signed outcomes of events' },
  {
    name: 'contracts',
    methods: ['GET'],
    description:
      'Accept, sign, cancel, refund, help, close, verify, back up, restore; POST /api/v1/contracts makes one',
  },
  { name: 'offers', methods: ['GET', 'POST'], description: 'Offers of remote counterparties' },
  {
    name: 'verify',
    methods: ['POST'],
    description: 'Every check of the messages of a contract, which need not be here',
  },
  { name: 'messages', methods: [], description: 'Messages in words' },
  { name: 'payouts', methods: [], description: 'What terms pay by outcome, as a table and as a picture' },
  { name: 'fees', methods: [], description: 'What the transactions of a contract pay at a range of feerates' },
];

export const listDlc = () => listCategory({ name: 'dlc', declared: reads('DLC', 'dlc'), resources: RESOURCES });
