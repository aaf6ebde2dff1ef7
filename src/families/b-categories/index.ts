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
  operations: (services) => [
    ...bitcoinOperations(services),
    ...taprootOperations(services),
    ...dlcOperations(services),
  ],
});
