import { standardHeaders } from '../../../src/http/server.ts';

it('browsers are told to speak HTTPS alone, with every name beneath this one, in production only', () => {
  const told = 'Strict-Transport-Security';
  expect(standardHeaders('id', true)[told]).toBe('max-age=31536000; includeSubDomains');
  expect(standardHeaders('id', false)).not.toHaveProperty(told);
});
