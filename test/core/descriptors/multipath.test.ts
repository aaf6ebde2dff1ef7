import { expect, it } from 'vitest';
import { expandMultipath } from '../../../src/core/descriptors/multipath.ts';

const XPUB =
  'tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHoQvao8ESaAstxYSnhyswJ76uZPStJRJCTKvosUCJZL5B';

it('takes a multipath step behind an extended key, not within its origin, as Bitcoin Core', () => {
  expect(expandMultipath(`pkh([deadbeef/44h]${XPUB}/<0;1>/0)`)).toEqual([
    `pkh([deadbeef/44h]${XPUB}/0/0)`,
    `pkh([deadbeef/44h]${XPUB}/1/0)`,
  ]);
  for (const origin of ['[deadbeef/<0;1>]', '[deadbeef/44h/<0;1>/0]'])
    for (const steps of ['/0', '/<2;3>/*'])
      expect(() => expandMultipath(`pkh(${origin}${XPUB}${steps})`)).toThrow(/not within the brackets of its origin/);
});
