import { type CategoryResource, listCategory } from '../list-category.ts';

/** One line per folder beside this file, in the order in which they are shown. */
const RESOURCES: readonly CategoryResource[] = [
  { name: 'blocks', description: 'Blocks: list, read, their transactions; mine on regtest' },
];

export const listBitcoin = () => listCategory({ name: 'bitcoin', tag: 'Bitcoin', resources: RESOURCES });
