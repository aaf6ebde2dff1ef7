import { assertTexts, type ProposalType } from './proposal-type.ts';

/** What is decided is what it says: nothing follows of it here. */
export const text: ProposalType = {
  check: async (_tx, _dao, parameters) => assertTexts(parameters, { required: [] }),
  apply: async () => null,
};
