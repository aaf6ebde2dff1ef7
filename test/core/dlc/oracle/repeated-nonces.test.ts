import { expect, it } from 'vitest';
import { repeatedEvent, repeatedNonce } from '../../../../src/core/dlc/oracle/repeated-nonces.ts';
import { enumEvent, testOracle } from '../../../builders/dlc-oracle.ts';

const event = enumEvent('yes', 'no');
const [one, other] = [testOracle('one'), testOracle('other')];

it('an event is one of its oracle: another may call its own the same', () => {
  const announced = one.announce(event, 'match');
  expect(repeatedEvent([announced, other.announce(event, 'match')])).toBeNull();
  expect(repeatedEvent([announced, one.announce(event, 'another')])).toBeNull();
  expect(repeatedEvent([announced, other.announce(event, 'match'), one.announce(enumEvent('a', 'b'), 'match')])).toBe(
    2,
  );
});

it('a nonce is one of all: whoever announces it again stands second', () => {
  const announced = one.announce(event, 'match');
  const others = other.announce(event, 'match');
  expect(repeatedNonce([announced, others])).toBeNull();
  const again = { ...others, event: { ...others.event, nonces: announced.event.nonces } };
  expect(repeatedNonce([announced, again])).toBe(1);
});
