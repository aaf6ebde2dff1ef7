import { type AppliedType, assertTexts } from './proposal-type.ts';

/** What is decided is what it says: nothing follows of it here. */
export const text: AppliedType = {
  async check(_tx, _dao, parameters) {
    assertTexts(parameters, { required: [] });
    return parameters;
  },
  apply: async () => null,
};
