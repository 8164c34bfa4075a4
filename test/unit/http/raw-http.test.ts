import { standardHeaders } from '../../../src/http/server.ts';

it('instructs browsers to use HTTPS alone, with every name beneath this one, in production only', () => {
  const header = 'Strict-Transport-Security';
  expect(standardHeaders('id', true)[header]).toBe('max-age=31536000; includeSubDomains');
  expect(standardHeaders('id', false)).not.toHaveProperty(header);
});
