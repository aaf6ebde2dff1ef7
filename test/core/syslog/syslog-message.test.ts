import { expect, it } from 'vitest';
import { octetCounted, type SyslogMessage, syslogMessage } from '../../../src/core/syslog/syslog-message.ts';

const MESSAGE: SyslogMessage = {
  ...{ facility: 'audit', severity: 'warning', time: Date.UTC(2026, 10, 21), hostname: 'ashlar.example.com' },
  ...{ messageId: 'wallet.create', structured: { id: 'ashlar@32473', values: {} }, text: '{}' },
};

it('has the form of RFC 5424, with what must be escaped in structured data', () => {
  const structured = { id: 'ashlar@32473', values: { record_id: 'aud_1', target: 'a"b\\c]d', position: null } };
  expect(syslogMessage({ ...MESSAGE, structured })).toBe(
    '<108>1 2026-11-21T00:00:00.000Z ashlar.example.com ashlar - wallet.create [ashlar@32473 record_id="aud_1" target="a\\"b\\\\c\\]d"] {}',
  );
});

it('marks text that is not ASCII, and counts octets', () => {
  const text = syslogMessage({ ...MESSAGE, hostname: '', messageId: 'a b'.repeat(20), text: '{"é":1}' });
  expect(text).toContain(` - ashlar - ${'a_b'.repeat(20).slice(0, 32)} [ashlar@32473] \u{feff}{"é":1}`);
  const framed = octetCounted(text).toString('utf8');
  expect(framed).toBe(`${Buffer.byteLength(text)} ${text}`);
});
